//! One waiting query per user (docs/SPEC.md §6): finds the queries that a newer one of the same user
//! replaces.
//!
//! ```text
//! pass 1   seen      16 bits per query   a user whose bit is set already becomes a suspect
//! pass 2   suspects  16 bits per query   only users whose bit is set are looked up in `latest`
//! ```
//!
//! A bit stands for a hash of the user, so suspects include collisions; `latest` decides. A hash map
//! of all waiting users would need an insertion and a removal per query, about ten times the
//! instructions. Reference: `naive::replaced`.

use crate::query::{Query, UserId};
use rustc_hash::FxHashMap;

/// Scratch buffers of the search.
#[derive(Clone, Default)]
pub(crate) struct Replacement {
    seen: UserFilter,
    suspects: UserFilter,
    /// Index of the latest query of each suspect, or [`NONE`].
    latest: FxHashMap<UserId, u32>,
}

const NONE: u32 = u32::MAX;

impl Replacement {
    /// Returns the ascending indices, in `waiting` followed by `arrivals`, of the queries that a
    /// later one of the same user follows. Both lists are in order of arrival.
    pub(crate) fn find(&mut self, waiting: &[Query], arrivals: &[Query]) -> Vec<u32> {
        let Replacement { seen, suspects, latest } = self;
        let count = waiting.len() + arrivals.len();
        latest.clear();
        seen.reset(count);
        waiting.iter().chain(arrivals).for_each(|query| {
            if seen.insert(query.user) {
                latest.insert(query.user, NONE);
            }
        });
        if latest.is_empty() {
            return Vec::new();
        }
        suspects.reset(count);
        for &user in latest.keys() {
            suspects.insert(user);
        }
        let mut replaced = Vec::new();
        let mut index = 0;
        waiting.iter().chain(arrivals).for_each(|query| {
            if suspects.contains(query.user)
                && let Some(latest) = latest.get_mut(&query.user)
            {
                let older = std::mem::replace(latest, index);
                replaced.extend((older != NONE).then_some(older));
            }
            index += 1;
        });
        replaced.sort_unstable();
        replaced
    }
}

impl std::fmt::Debug for Replacement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Replacement(…)")
    }
}

/// Set of hashes of users.
#[derive(Clone, Default)]
struct UserFilter {
    words: Vec<u64>,
    /// Number of low bits of a hash that are dropped.
    shift: u32,
}

/// Bits per query: one in 16 users is a suspect by collision at most.
const BITS_PER_QUERY: usize = 16;

impl UserFilter {
    /// Removes everything, and sizes the filter for `count` users.
    fn reset(&mut self, count: usize) {
        let bits = (count * BITS_PER_QUERY).next_power_of_two().max(64);
        self.words.clear();
        self.words.resize(bits / 64, 0);
        self.shift = 64 - bits.ilog2();
    }

    /// Adds a user and returns whether its bit was set.
    #[inline]
    fn insert(&mut self, user: UserId) -> bool {
        let (word, bit) = self.locate(user);
        let word = &mut self.words[word];
        let was_set = *word & bit != 0;
        *word |= bit;
        was_set
    }

    #[inline]
    fn contains(&self, user: UserId) -> bool {
        let (word, bit) = self.locate(user);
        self.words[word] & bit != 0
    }

    /// Returns the word and the bit of a user, by multiplicative hashing.
    #[inline]
    fn locate(&self, user: UserId) -> (usize, u64) {
        let hash = user.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift;
        ((hash / 64) as usize, 1 << (hash % 64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;
    use crate::query::QueryId;
    use crate::town::{Town, town};
    use rand::RngExt as _;

    #[test]
    fn replaced_queries_equal_those_of_the_definition() {
        let town = town("A 0,0  B 400,0 | A-B");
        let mut replacement = Replacement::default();
        let mut found_count = 0;
        for seed in 0..300 {
            let mut random = Town::generator(seed);
            let count = random.random_range(0..80);
            let users = [2, 40, 400, u64::MAX][seed as usize % 4];
            let mut queries = town.random_queries(&mut random, count);
            for (number, query) in queries.iter_mut().enumerate() {
                query.id = QueryId(number as u64);
                query.user = UserId(random.random_range(0..users));
            }
            let (waiting, arrivals) = queries.split_at(random.random_range(0..=count));
            let found = replacement.find(waiting, arrivals);
            let found: Vec<QueryId> = found.into_iter().map(|i| QueryId(i.into())).collect();
            found_count += found.len();
            assert_eq!(found, naive::replaced(&queries), "seed {seed}");
        }
        assert!(found_count > 2_000, "only {found_count} were replaced");
    }

    #[test]
    fn users_with_the_same_hash_do_not_replace_each_other() {
        let town = town("A 0,0  B 400,0 | A-B");
        let mut queries = town.random_queries(&mut Town::generator(1), 4);
        // The hash of 2^62 · n keeps the two highest bits only.
        for (number, query) in (0..).zip(&mut queries) {
            query.user = UserId(number << 62);
        }
        let mut replacement = Replacement::default();
        assert_eq!(replacement.find(&queries, &[]), Vec::<u32>::new());
        queries[3].user = queries[1].user;
        assert_eq!(replacement.find(&queries[..2], &queries[2..]), [1]);
    }
}
