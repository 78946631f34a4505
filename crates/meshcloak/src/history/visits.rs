//! Number of visits of each user to each place, with the entropy of the visitors of a place.
//!
//! Let `c` be the visits of one user to a place and `n` those of all users. The entropy of the
//! visitors is `log2 n − Σ c·log2 c / n`, so the sum is updated with each visit. Logarithms are in
//! fixed point: sums do not depend on the order of visits, nor on the machine.

use crate::query::UserId;
use rustc_hash::FxHashMap;

/// Fractional bits of logarithms and entropies.
pub const BITS: u32 = 20;

/// Largest number of pairs of place and user; further pairs are not recorded.
const MAX_PAIRS: usize = 1 << 23;

/// Visits by place and user. Places are numbers of the scheme.
#[derive(Clone, Default)]
pub struct Visits {
    counts: FxHashMap<(u64, UserId), u32>,
    places: FxHashMap<u64, PlaceVisits>,
}

#[derive(Clone, Copy, Default)]
struct PlaceVisits {
    total: u32,
    /// Σ c·log2 c over the visitors, in fixed point.
    sum: u64,
}

impl Visits {
    /// Adds a visit of a user to a place.
    pub(crate) fn add(&mut self, place: u64, user: UserId) {
        let is_full = self.counts.len() >= MAX_PAIRS;
        let count = match self.counts.get_mut(&(place, user)) {
            Some(count) => count,
            None if is_full => return,
            None => self.counts.entry((place, user)).or_default(),
        };
        let place = self.places.entry(place).or_default();
        if *count == u32::MAX || place.total == u32::MAX {
            return;
        }
        let product = |count: u32| u64::from(count) * log2(count);
        place.sum += product(*count + 1) - product(*count);
        place.total += 1;
        *count += 1;
    }

    /// Returns the entropy of the visitors of a place in bits, in fixed point with [`BITS`]
    /// fractional bits; 0 if there are none.
    pub fn entropy(&self, place: u64) -> u64 {
        let Some(&PlaceVisits { total, sum }) = self.places.get(&place) else { return 0 };
        // The logarithms are rounded down, hence the saturation.
        (u64::from(total) * log2(total)).saturating_sub(sum) / u64::from(total).max(1)
    }
}

/// Returns the logarithm to base 2 in fixed point with [`BITS`] fractional bits, rounded down; 0 for
/// 0.
pub fn log2(number: u32) -> u64 {
    let Some(whole) = number.checked_ilog2() else { return 0 };
    // The mantissa is in [1, 2) with 31 fractional bits; squaring it doubles the logarithm.
    let mut mantissa = u64::from(number) << (31 - whole);
    let mut bits = u64::from(whole);
    for _ in 0..BITS {
        mantissa = (mantissa * mantissa) >> 31;
        let carry = mantissa >> 32;
        mantissa >>= carry;
        bits = bits << 1 | carry;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn as_float(bits: u64) -> f64 {
        bits as f64 / f64::from(1 << BITS)
    }

    #[test]
    fn logarithms_agree_with_floating_point() {
        for number in (1..10_000).chain([1 << 20, u32::MAX, u32::MAX / 3]) {
            let difference = f64::from(number).log2() - as_float(log2(number));
            assert!((-1e-9..4e-6).contains(&difference), "{number}: {difference}");
        }
        assert_eq!((log2(0), log2(1), log2(8)), (0, 0, 3 << BITS));
    }

    #[test]
    fn the_entropy_is_that_of_the_shares_of_visitors() {
        let mut visits = Visits::default();
        let counts = [(1, 5), (2, 1), (3, 1), (4, 9)];
        for (user, count) in counts {
            (0..count).for_each(|_| visits.add(7, UserId(user)));
        }
        let share = |count: u32| f64::from(count) / 16.0;
        let expected: f64 = counts.iter().map(|&(_, c)| -share(c) * share(c).log2()).sum();
        assert!((as_float(visits.entropy(7)) - expected).abs() < 1e-5);
        assert_eq!(visits.entropy(8), 0);
        visits.add(9, UserId(1));
        assert_eq!(visits.entropy(9), 0, "one visitor");
        visits.add(9, UserId(2));
        assert_eq!(visits.entropy(9), 1 << BITS, "two visitors, one bit");
    }
}
