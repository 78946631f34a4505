//! Who may be waiting more than once: hardly anyone, so that hardly anyone's user need be compared
//! with those of her neighbours.

use crate::query::UserId;

/// Users, each under a number that others may share.
#[derive(Clone, Debug, Default)]
pub(super) struct Users {
    /// A bit for each number that was met.
    met: Vec<u64>,
    /// A bit for each that was met again.
    again: Vec<u64>,
}

impl Users {
    /// Nobody yet, with room for so many.
    pub(super) fn clear(&mut self, people: usize) {
        // Sixteen numbers for each: so about one in sixteen shares hers by chance.
        let words = (people / 4).next_power_of_two();
        for bits in [&mut self.met, &mut self.again] {
            bits.clear();
            bits.resize(words, 0);
        }
    }

    /// Somebody is met.
    #[inline]
    pub(super) fn meet(&mut self, user: UserId) {
        let (word, bit) = self.number(user);
        self.again[word] |= self.met[word] & bit;
        self.met[word] |= bit;
    }

    /// Whether somebody may have been met more than once.
    #[inline]
    pub(super) fn may_be_again(&self, user: UserId) -> bool {
        let (word, bit) = self.number(user);
        self.again[word] & bit != 0
    }

    #[inline]
    fn number(&self, UserId(user): UserId) -> (usize, u64) {
        let mixed = user.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed >> 32) as usize & (self.met.len() - 1), 1 << (mixed >> 58))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_met_twice_may_be_again_and_few_others() {
        let mut users = Users::default();
        for people in [1, 10, 1_000, 20_000] {
            users.clear(people);
            let twice = |user: usize| user % 10 == 3;
            for user in 0..people {
                users.meet(UserId(user as u64));
                if twice(user) {
                    users.meet(UserId(user as u64));
                }
            }
            let again = |user: &usize| users.may_be_again(UserId(*user as u64));
            assert!((0..people).filter(|user| twice(*user)).all(|user| again(&user)));
            let wrongly = (0..people).filter(|user| !twice(*user)).filter(again).count();
            assert!(wrongly <= people / 4, "{wrongly} of {people}");
        }
    }
}
