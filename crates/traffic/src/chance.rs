//! Chance: a generator for each person, and draws by share.
//!
//! Draws use whole numbers only, so that they fall the same on every machine.

use rand::RngExt as _;
use rand_pcg::Pcg64Mcg;

/// The generator of one person: depends on the seed and the person's number alone, so it does
/// not matter which thread asks it or when.
pub(crate) fn generator(seed: u64, person: u32) -> Pcg64Mcg {
    let own = mixed(seed.wrapping_add(mixed(u64::from(person))));
    Pcg64Mcg::new(u128::from(mixed(own)) << 64 | u128::from(own))
}

/// A bijection of 64-bit numbers that leaves no pattern.
fn mixed(number: u64) -> u64 {
    let a = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let b = (a ^ (a >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let c = (b ^ (b >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    c ^ (c >> 31)
}

const ONE: f64 = 4_294_967_296.0;

/// A share between 0 and 1 of all cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share(u64);

impl Share {
    /// The nearest share that can be drawn; expects 0 to 1.
    pub(crate) fn new(share: f64) -> Share {
        Share((share * ONE).round() as u64)
    }

    /// Whether it happens this time. A share of 0 draws nothing.
    pub(crate) fn happens(self, random: &mut Pcg64Mcg) -> bool {
        self.0 > 0 && u64::from(random.random::<u32>()) < self.0
    }
}

/// Values, each with its share of the cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice<T> {
    values: Vec<T>,
    upto: Vec<u64>,
}

impl<T: Copy> Choice<T> {
    /// Values with shares that sum to one; `None` if there is no value.
    pub(crate) fn new(values: Vec<T>, shares: &[f64]) -> Option<Choice<T>> {
        let mut sum = 0.0;
        let mut upto: Vec<u64> = shares
            .iter()
            .map(|share| {
                sum += share;
                (sum * ONE).round() as u64
            })
            .collect();
        *upto.last_mut()? = 1 << 32;
        (upto.len() == values.len()).then_some(Choice { values, upto })
    }

    /// All values.
    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }

    /// One of the values.
    pub(crate) fn draw(&self, random: &mut Pcg64Mcg) -> T {
        if let [only] = self.values[..] {
            return only;
        }
        let at = u64::from(random.random::<u32>());
        self.values[self.upto.partition_point(|&upto| upto <= at)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_people_draw_unlike_each_other() {
        let first: Vec<u32> = (0..1000).map(|person| generator(7, person).random()).collect();
        let mut distinct = first.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert!(distinct.len() > 998);
        let high = first.iter().filter(|&&number| number > u32::MAX / 2).count();
        assert!((440..560).contains(&high), "{high}");
    }

    #[test]
    fn a_share_of_one_always_happens_and_of_none_never() {
        let mut random = generator(1, 1);
        assert!((0..1000).all(|_| Share::new(1.0).happens(&mut random)));
        assert!((0..1000).all(|_| !Share::new(0.0).happens(&mut random)));
    }

    #[test]
    fn values_fall_by_their_shares() {
        let choice = Choice::new(vec!['a', 'b', 'c'], &[0.5, 0.3, 0.2]).unwrap();
        let mut random = generator(2, 0);
        let mut counts = [0_u32; 3];
        for _ in 0..10_000 {
            counts[choice.draw(&mut random) as usize - 'a' as usize] += 1;
        }
        assert!(counts[0].abs_diff(5000) < 200 && counts[1].abs_diff(3000) < 200, "{counts:?}");
        assert!(Choice::<u8>::new(vec![], &[]).is_none());
    }
}
