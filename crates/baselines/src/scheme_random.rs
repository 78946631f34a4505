//! Random draws for randomised schemes. Each query or star has its own generator, so results do not
//! depend on the order of processing. Draws avoid logarithm and sine, whose last bits differ
//! between machines.

use meshcloak::mix::mix64;
use meshcloak::units::Point;
use rand::RngExt as _;
use rand_pcg::Pcg64Mcg;

/// Generator that depends on a seed and a key only.
#[derive(Clone, Debug)]
pub(crate) struct SchemeRandom(Pcg64Mcg);

impl SchemeRandom {
    /// Creates the generator of a key, such as a query id, or a time and a star.
    pub(crate) fn new(seed: u64, key: &[u64]) -> SchemeRandom {
        let own = key.iter().fold(mix64(seed), |own, part| mix64(own.wrapping_add(*part)));
        SchemeRandom(Pcg64Mcg::new(u128::from(mix64(own)) << 64 | u128::from(own)))
    }

    /// Draws a number below `bound` uniformly; 0 if `bound` is 0.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        ((u64::from(self.0.random::<u32>()) * u64::from(bound)) >> 32) as u32
    }

    /// Draws an index with probability proportional to its weight; `None` if all are 0.
    pub(crate) fn weighted(&mut self, weights: &[u64]) -> Option<usize> {
        let sum: u64 = weights.iter().sum();
        let drawn = (u128::from(self.0.random::<u64>()) * u128::from(sum)) >> 64;
        let mut left = drawn as u64;
        weights.iter().position(|&weight| {
            let is_here = left < weight;
            left = left.saturating_sub(weight);
            is_here
        })
    }

    /// Draws a multiple of 2⁻⁵³ in [0, 1) uniformly.
    fn unit(&mut self) -> f64 {
        (self.0.random::<u64>() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Draws a number with density e⁻ˣ by von Neumann's comparison method: a draw x is accepted if
    /// the descending run that starts with it has odd length, which has probability e⁻ˣ; each
    /// rejection adds 1.
    pub(crate) fn exponential(&mut self) -> f64 {
        let mut whole = 0.0;
        loop {
            let first = self.unit();
            let (mut last, mut length) = (first, 1);
            loop {
                let next = self.unit();
                if next >= last {
                    break;
                }
                (last, length) = (next, length + 1);
            }
            if length % 2 == 1 {
                return whole + first;
            }
            whole += 1.0;
        }
    }

    /// Draws a unit vector uniformly, by rejection from the unit disc.
    pub(crate) fn direction(&mut self) -> Point {
        loop {
            let (x, y) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let squared = x * x + y * y;
            // Close to the centre the direction is too coarse.
            if (1e-6..=1.0).contains(&squared) {
                let length = squared.sqrt();
                return Point::new(x / length, y / length);
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Kolmogorov–Smirnov statistic of draws against a distribution function.
    pub(crate) fn max_deviation(mut draws: Vec<f64>, distribution: impl Fn(f64) -> f64) -> f64 {
        draws.sort_by(f64::total_cmp);
        let count = draws.len() as f64;
        let deviations = draws.iter().enumerate().map(|(rank, &draw)| {
            let expected = distribution(draw);
            let below = (expected - rank as f64 / count).abs();
            below.max((expected - (rank as f64 + 1.0) / count).abs())
        });
        deviations.fold(0.0, f64::max)
    }

    #[test]
    fn the_first_draw_of_each_query_is_exponential() {
        let draws = (0..40_000).map(|query| SchemeRandom::new(7, &[query]).exponential()).collect();
        // Kolmogorov–Smirnov: the critical value at 1 % is 1.63 / √n.
        let deviation = max_deviation(draws, |x| 1.0 - (-x).exp());
        assert!(deviation < 1.63 / 200.0, "{deviation}");
    }

    #[test]
    fn directions_are_unit_vectors_with_uniform_angles() {
        let turns = (0..40_000).map(|query| {
            let Point { x, y } = SchemeRandom::new(3, &[query, 5]).direction();
            assert!((x * x + y * y - 1.0).abs() < 1e-12);
            y.atan2(x) / std::f64::consts::TAU + 0.5
        });
        let deviation = max_deviation(turns.collect(), |turn| turn);
        assert!(deviation < 1.63 / 200.0, "{deviation}");
    }

    #[test]
    fn draws_are_the_same_bits_on_every_machine() {
        let mut random = SchemeRandom::new(1, &[42]);
        let Point { x, y } = random.direction();
        let draws = [x, y, random.exponential(), random.exponential()].map(f64::to_bits);
        let bits = [
            0x3fd8_5e06_1001_34e8,
            0xbfed_9700_11e4_e5db,
            0x3fca_9bfa_cd7f_9118,
            0x400a_284d_093e_7ec5,
        ];
        assert_eq!(draws, bits);
    }

    #[test]
    fn weighted_draws_follow_their_weights() {
        let mut random = SchemeRandom::new(1, &[]);
        let mut counts = [0_u32; 4];
        for _ in 0..10_000 {
            counts[random.weighted(&[1, 0, 3, 6]).unwrap()] += 1;
        }
        let expected = [1_000, 0, 3_000, 6_000];
        let is_near = |(count, expected): (&u32, u32)| count.abs_diff(expected) < 150;
        assert!(counts.iter().zip(expected).all(is_near) && counts[1] == 0, "{counts:?}");
        assert_eq!((random.weighted(&[]), random.weighted(&[0, 0])), (None, None));
    }

    #[test]
    fn numbers_below_a_bound_are_uniform() {
        let mut random = SchemeRandom::new(1, &[]);
        let mut counts = [0_u32; 5];
        for _ in 0..10_000 {
            counts[random.below(5) as usize] += 1;
        }
        assert!(counts.iter().all(|count| count.abs_diff(2_000) < 150), "{counts:?}");
        assert_eq!(random.below(0), 0);
    }
}
