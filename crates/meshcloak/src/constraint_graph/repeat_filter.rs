//! A filter for users with more than one waiting query.
//!
//! Two queries of one user are never adjacent. Few users wait twice, so the user of a query is
//! compared with those of its neighbours only where this filter says that it may repeat.

use crate::query::UserId;

/// A Bloom filter with one hash function that counts to two: no false negatives, and at most about
/// one false positive in 16 users.
#[derive(Clone, Debug, Default)]
pub(super) struct RepeatFilter {
    /// One bit per hash value that occurred.
    seen: Vec<u64>,
    /// One bit per hash value that occurred more than once.
    repeated: Vec<u64>,
}

impl RepeatFilter {
    /// Empties the filter and sizes it for `queries` insertions: 16 bits each.
    pub(super) fn clear(&mut self, queries: usize) {
        let words = (queries / 4).next_power_of_two();
        for bits in [&mut self.seen, &mut self.repeated] {
            bits.clear();
            bits.resize(words, 0);
        }
    }

    #[inline]
    pub(super) fn insert(&mut self, user: UserId) {
        let (word, bit) = self.hash(user);
        self.repeated[word] |= self.seen[word] & bit;
        self.seen[word] |= bit;
    }

    /// Returns whether a user may have been inserted more than once.
    #[inline]
    pub(super) fn may_repeat(&self, user: UserId) -> bool {
        let (word, bit) = self.hash(user);
        self.repeated[word] & bit != 0
    }

    /// Returns the word and the bit of a user.
    #[inline]
    fn hash(&self, UserId(user): UserId) -> (usize, u64) {
        let mixed = user.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed >> 32) as usize & (self.seen.len() - 1), 1 << (mixed >> 58))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_repeated_user_is_reported_and_few_others() {
        let mut filter = RepeatFilter::default();
        for users in [1, 10, 1_000, 20_000] {
            filter.clear(users);
            let is_repeated = |user: usize| user % 10 == 3;
            for user in 0..users {
                filter.insert(UserId(user as u64));
                if is_repeated(user) {
                    filter.insert(UserId(user as u64));
                }
            }
            let reported = |user: &usize| filter.may_repeat(UserId(*user as u64));
            assert!((0..users).filter(|user| is_repeated(*user)).all(|user| reported(&user)));
            let wrong = (0..users).filter(|user| !is_repeated(*user)).filter(reported).count();
            assert!(wrong <= users / 4, "{wrong} of {users}");
        }
    }
}
