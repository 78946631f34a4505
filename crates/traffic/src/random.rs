//! One random generator per agent, and draws from discrete distributions.
//!
//! Draws use integers only, so they are identical on all machines.

use meshcloak::mix::mix64;
use rand::RngExt as _;
use rand_pcg::Pcg64Mcg;

/// Creates the generator of an agent. It depends on seed and agent number only, so results do not
/// depend on threads.
pub(crate) fn generator(seed: u64, agent: u32) -> Pcg64Mcg {
    let own = mix64(seed.wrapping_add(mix64(u64::from(agent))));
    Pcg64Mcg::new(u128::from(mix64(own)) << 64 | u128::from(own))
}

/// Probability 1 in fixed point.
const ONE: f64 = 4_294_967_296.0;

/// Probability in units of 2⁻³².
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Probability(u64);

impl Probability {
    /// Rounds a probability from 0 to 1.
    pub(crate) fn new(probability: f64) -> Probability {
        Probability((probability * ONE).round() as u64)
    }

    /// Draws an event of this probability. Probability 0 consumes no random number.
    pub(crate) fn draw(self, random: &mut Pcg64Mcg) -> bool {
        self.0 > 0 && u64::from(random.random::<u32>()) < self.0
    }
}

/// Discrete distribution of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Distribution<T> {
    values: Vec<T>,
    /// Cumulative probabilities in units of 2⁻³².
    cumulative: Vec<u64>,
}

impl<T: Copy> Distribution<T> {
    /// Creates a distribution; shares sum to 1. `None` if there is no value or the lengths differ.
    pub(crate) fn new(values: Vec<T>, shares: &[f64]) -> Option<Distribution<T>> {
        let mut sum = 0.0;
        let mut cumulative: Vec<u64> = shares
            .iter()
            .map(|share| {
                sum += share;
                (sum * ONE).round() as u64
            })
            .collect();
        *cumulative.last_mut()? = 1 << 32;
        (cumulative.len() == values.len()).then_some(Distribution { values, cumulative })
    }

    /// All values.
    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }

    /// Draws a value.
    pub(crate) fn draw(&self, random: &mut Pcg64Mcg) -> T {
        if let [only] = self.values[..] {
            return only;
        }
        let at = u64::from(random.random::<u32>());
        self.values[self.cumulative.partition_point(|&cumulative| cumulative <= at)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_agents_draw_independently() {
        let first: Vec<u32> = (0..1000).map(|agent| generator(7, agent).random()).collect();
        let mut distinct = first.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert!(distinct.len() > 998);
        let high = first.iter().filter(|&&number| number > u32::MAX / 2).count();
        assert!((440..560).contains(&high), "{high}");
    }

    #[test]
    fn probability_one_always_occurs_and_zero_never() {
        let mut random = generator(1, 1);
        assert!((0..1000).all(|_| Probability::new(1.0).draw(&mut random)));
        assert!((0..1000).all(|_| !Probability::new(0.0).draw(&mut random)));
    }

    #[test]
    fn values_are_drawn_by_their_shares() {
        let choice = Distribution::new(vec!['a', 'b', 'c'], &[0.5, 0.3, 0.2]).unwrap();
        let mut random = generator(2, 0);
        let mut counts = [0_u32; 3];
        for _ in 0..10_000 {
            counts[choice.draw(&mut random) as usize - 'a' as usize] += 1;
        }
        assert!(counts[0].abs_diff(5000) < 200 && counts[1].abs_diff(3000) < 200, "{counts:?}");
        assert!(Distribution::<u8>::new(vec![], &[]).is_none());
    }
}
