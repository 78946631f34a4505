//! Chance for the schemes that need it: a generator for each query or place, so that neither the
//! order of work nor what was asked before matters; and draws by arithmetic that is the same on every
//! machine, without logarithm or sine.

use meshcloak::units::Point;
use rand::RngExt as _;
use rand_pcg::Pcg64Mcg;

/// The generator of one thing: a query, a place at a time.
#[derive(Clone, Debug)]
pub(crate) struct Chance(Pcg64Mcg);

impl Chance {
    /// Depends on the seed and the numbers of the thing alone.
    pub(crate) fn of(seed: u64, numbers: &[u64]) -> Chance {
        let own = numbers.iter().fold(mixed(seed), |own, n| mixed(own.wrapping_add(*n)));
        Chance(Pcg64Mcg::new(u128::from(mixed(own)) << 64 | u128::from(own)))
    }

    /// A number below `bound`, each as likely; 0 if there is none.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        ((u64::from(self.0.random::<u32>()) * u64::from(bound)) >> 32) as u32
    }

    /// A number from 0 to 1, a multiple of 2⁻⁵³.
    fn unit(&mut self) -> f64 {
        (self.0.random::<u64>() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number with density e⁻ˣ, by von Neumann's comparisons: a draw x counts if the run of
    /// draws that descend from it has odd length, which happens with chance e⁻ˣ; each try in vain
    /// adds 1.
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

    /// A direction, each as likely: where a point of the unit disc lies from its centre.
    pub(crate) fn direction(&mut self) -> Point {
        loop {
            let (x, y) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let squared = x * x + y * y;
            // Very close to the centre a direction is too coarse.
            if (1e-6..=1.0).contains(&squared) {
                let length = squared.sqrt();
                return Point::new(x / length, y / length);
            }
        }
    }
}

/// A bijection of 64-bit numbers that leaves no pattern.
fn mixed(number: u64) -> u64 {
    let a = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let b = (a ^ (a >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let c = (b ^ (b >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    c ^ (c >> 31)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The largest gap between the shares of draws up to some value and what they should be.
    pub(crate) fn gap(mut draws: Vec<f64>, share: impl Fn(f64) -> f64) -> f64 {
        draws.sort_by(f64::total_cmp);
        let count = draws.len() as f64;
        let gaps = draws.iter().enumerate().map(|(rank, &draw)| {
            let should = share(draw);
            (should - rank as f64 / count).abs().max((should - (rank as f64 + 1.0) / count).abs())
        });
        gaps.fold(0.0, f64::max)
    }

    #[test]
    fn the_first_draw_of_each_query_is_exponential() {
        let draws = (0..40_000).map(|query| Chance::of(7, &[query]).exponential()).collect();
        // Kolmogorov and Smirnov: 1.63 / √n is passed by chance once in a hundred times.
        let gap = gap(draws, |x| 1.0 - (-x).exp());
        assert!(gap < 1.63 / 200.0, "{gap}");
    }

    #[test]
    fn directions_have_length_one_and_every_angle_is_as_likely() {
        let turns = (0..40_000).map(|query| {
            let Point { x, y } = Chance::of(3, &[query, 5]).direction();
            assert!((x * x + y * y - 1.0).abs() < 1e-12);
            y.atan2(x) / std::f64::consts::TAU + 0.5
        });
        let gap = gap(turns.collect(), |turn| turn);
        assert!(gap < 1.63 / 200.0, "{gap}");
    }

    #[test]
    fn draws_are_the_same_bits_on_every_machine() {
        let mut chance = Chance::of(1, &[42]);
        let Point { x, y } = chance.direction();
        let draws = [x, y, chance.exponential(), chance.exponential()].map(f64::to_bits);
        let bits = [
            0x3fd8_5e06_1001_34e8,
            0xbfed_9700_11e4_e5db,
            0x3fca_9bfa_cd7f_9118,
            0x400a_284d_093e_7ec5,
        ];
        assert_eq!(draws, bits);
    }

    #[test]
    fn numbers_below_a_bound_are_as_likely_as_each_other() {
        let mut chance = Chance::of(1, &[]);
        let mut counts = [0_u32; 5];
        for _ in 0..10_000 {
            counts[chance.below(5) as usize] += 1;
        }
        assert!(counts.iter().all(|count| count.abs_diff(2_000) < 150), "{counts:?}");
        assert_eq!(chance.below(0), 0);
    }
}
