//! The metrics of a run (SPEC §11), added up as it goes.

use super::outcomes::Success;
use super::per_batch::BatchRow;
use super::reason::Reason;
use super::stopwatch::Spent;
use meshcloak::scheme::Stats;
use std::time::Duration;

/// Sums over a run.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// How many were refused, for each of [`Reason::ALL`].
    pub refusals: [u64; Reason::ALL.len()],
    /// How many were let in.
    pub accepted: u64,
    /// How many were served.
    pub succeeded: u64,
    /// How many waited in vain.
    pub expired: u64,
    /// How many batches there were.
    pub batches: u64,
    /// In how many a search spent its budget, or edges did not fit into memory.
    pub truncated: u64,
    /// Sets that the guard held back.
    pub suppressed: u64,
    /// Length of the mesh of everyone served.
    pub mesh_length: Mean,
    /// The same, divided by the size of her set.
    pub mesh_length_per_member: Mean,
    /// Size of the set over k.
    pub relative_k: Mean,
    /// Delay over patience, of those who had any.
    pub relative_dt: Mean,
    /// Succeeded / (succeeded + waiting) of each batch that had either.
    pub printed_success_rate: Mean,
    /// Time inside `turn`.
    pub spent: Spent,
    /// The longest turn.
    pub worst: Duration,
    /// The batch with the most nodes, and among those with the most edges.
    pub largest: Stats,
}

/// A mean that is added up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mean {
    sum: f64,
    count: u64,
}

impl Mean {
    /// Takes a value into account.
    pub fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    /// The mean; `None` of nothing.
    pub fn value(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}

impl Tally {
    /// Somebody was refused.
    pub fn refuse(&mut self, reason: Reason) {
        self.refusals[reason as usize] += 1;
    }

    /// Somebody was served.
    pub fn succeed(&mut self, success: &Success<'_>) {
        let Success { query, at, ref set, metres, .. } = *success;
        let members = set.members.len() as f64;
        self.mesh_length.add(metres);
        self.mesh_length_per_member.add(metres / members);
        self.relative_k.add(members / f64::from(query.k));
        if query.temporal_tolerance > Duration::ZERO {
            let delay = (at - query.asked_at).as_millis() as f64;
            self.relative_dt.add(delay / query.temporal_tolerance.as_millis() as f64);
        }
    }

    /// A batch is over.
    pub fn batch(&mut self, row: &BatchRow) {
        let BatchRow { new, succeeded, expired, waiting, stats, spent, .. } = *row;
        self.batches += 1;
        self.accepted += new as u64;
        self.succeeded += succeeded as u64;
        self.expired += expired as u64;
        self.truncated += u64::from(stats.truncated);
        self.suppressed += stats.suppressed as u64;
        if succeeded + waiting > 0 {
            self.printed_success_rate.add(succeeded as f64 / (succeeded + waiting) as f64);
        }
        for (sum, spent) in self.spent.iter_mut().zip(spent) {
            *sum += spent;
        }
        self.worst = self.worst.max(spent.iter().sum());
        let size = |stats: Stats| (stats.nodes, stats.edges);
        if size(stats) > size(self.largest) {
            self.largest = stats;
        }
    }

    /// How many were refused.
    pub fn refused(&self) -> u64 {
        self.refusals.iter().sum()
    }

    /// Succeeded / (succeeded + expired).
    pub fn success_rate(&self) -> Option<f64> {
        let ended = self.succeeded + self.expired;
        (ended > 0).then(|| self.succeeded as f64 / ended as f64)
    }

    /// Microseconds of each accepted query.
    pub fn us_per_query(&self, spent: Duration) -> Option<f64> {
        (self.accepted > 0).then(|| spent.as_secs_f64() * 1e6 / self.accepted as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_count_in_their_own_place() {
        for (place, reason) in Reason::ALL.into_iter().enumerate() {
            let mut tally = Tally::default();
            tally.refuse(reason);
            assert_eq!((tally.refusals[place], tally.refused()), (1, 1), "{reason:?}");
        }
        assert_eq!(Tally::default().success_rate(), None);
    }
}
