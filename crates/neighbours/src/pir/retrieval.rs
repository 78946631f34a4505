//! A service with a table of cells, and a user who retrieves one.

use super::packing::{to_bytes, to_words};
use super::{CellTableSize, PirCost, PirError};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;
use rustix::time::{ClockId, clock_gettime};
use valar_ypir::client::YPIRClient;
use valar_ypir::server::YServer;

/// CPU time of this thread, in seconds. The scheme uses one thread.
fn thread_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Retrieval from a table of random content.
pub struct PirSession {
    size: CellTableSize,
    seed: u64,
}

impl PirSession {
    /// Creates a session; the content depends on size and seed.
    ///
    /// # Errors
    /// [`PirError::Size`] if the table is empty or too large.
    pub fn new(size: CellTableSize, seed: u64) -> Result<PirSession, PirError> {
        size.check()?;
        Ok(PirSession { size, seed })
    }

    /// Content of a cell.
    pub fn content(&self, cell: u32) -> Vec<u8> {
        let mut random = Pcg64Mcg::seed_from_u64(self.seed ^ u64::from(cell) << 20);
        (0..self.size.cell_bytes).map(|_| random.random()).collect()
    }

    /// Sets up the service, retrieves `questions` random cells, compares each with the true content,
    /// and returns the mean costs.
    ///
    /// # Errors
    /// [`PirError::Wrong`] if a retrieved cell differs from the content.
    pub fn measure(&self, questions: u32) -> Result<PirCost, PirError> {
        let CellTableSize { cells, cell_bytes } = self.size;
        let client = YPIRClient::from_db_sz(cells.into(), u64::from(cell_bytes) * 8, true);
        let params = client.params();
        let columns = params.instances * params.poly_len;
        let rows = 1_u32 << (params.db_dim_1 + params.poly_len_log2);
        let words = (0..rows).flat_map(|row| {
            let mut words = if row < cells { to_words(&self.content(row)) } else { Vec::new() };
            words.resize(columns, 0);
            words
        });
        let start = thread_seconds();
        let server = YServer::<u16>::new(params, words, true, false, true);
        let prepared = server.perform_offline_precomputation_simplepir(None, None, None);
        let mut cost = PirCost { setup_seconds: thread_seconds() - start, ..PirCost::default() };
        let mut random = Pcg64Mcg::seed_from_u64(self.seed);
        for _ in 0..questions {
            let cell = random.random_range(0..cells);
            let begin = thread_seconds();
            let ((query, keys), secret) = client.generate_query_simplepir(cell as usize);
            let asked = thread_seconds();
            let answer = server.perform_online_computation_simplepir(
                query.as_slice(),
                &prepared,
                &[keys.as_slice()],
                None,
            );
            let answered = thread_seconds();
            let found = client.decode_response_simplepir_raw(secret, &answer);
            let decoded = thread_seconds();
            self.check(cell, &found)?;
            let bits = (query.len() + keys.len()) as f64 * params.modulus_log2 as f64;
            let share = 1.0 / f64::from(questions);
            cost.upload += share * bits / 8.0;
            cost.download += share * answer.len() as f64;
            cost.server_seconds += share * (answered - asked);
            cost.client_seconds += share * (asked - begin + decoded - answered);
        }
        Ok(cost)
    }

    /// Compares retrieved words with the content of a cell.
    fn check(&self, cell: u32, words: &[u64]) -> Result<(), PirError> {
        let found = to_bytes(words, self.size.cell_bytes as usize);
        if found == self.content(cell) { Ok(()) } else { Err(PirError::Wrong { cell }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_retrieved_and_costs_do_not_depend_on_it() {
        // The second size needs several ciphertexts for each cell.
        for (cells, cell_bytes) in [(37, 100), (5, 9_000)] {
            let mut costs = Vec::new();
            for seed in 0..2 {
                let session = PirSession::new(CellTableSize { cells, cell_bytes }, seed).unwrap();
                let cost = session.measure(4).unwrap();
                costs.push((cost.upload, cost.download));
            }
            assert_eq!(costs[0], costs[1], "different cells were asked");
            assert!(costs[0].0 > 100_000.0 && costs[0].1 >= f64::from(cell_bytes));
        }
    }

    #[test]
    fn wrong_content_is_noticed() {
        let session = PirSession::new(CellTableSize { cells: 3, cell_bytes: 20 }, 1).unwrap();
        let mut words: Vec<u64> =
            to_words(&session.content(2)).into_iter().map(u64::from).collect();
        assert_eq!(session.check(2, &words), Ok(()));
        assert_eq!(session.check(1, &words), Err(PirError::Wrong { cell: 1 }));
        words[4] ^= 1;
        assert_eq!(session.check(2, &words), Err(PirError::Wrong { cell: 2 }));
    }

    #[test]
    fn tables_out_of_range_are_refused() {
        for (cells, cell_bytes) in [(0, 10), (10, 0), (1_000_000, 1_000)] {
            assert!(PirSession::new(CellTableSize { cells, cell_bytes }, 1).is_err());
        }
    }
}
