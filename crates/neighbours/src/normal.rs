//! Two users told apart by a normally distributed time.
//!
//! Both users enter a zone, δ apart, and both need a time with standard deviation s. Of a user who
//! leaves at time x the adversary computes `p = f(x) / (f(x) + f(x − δ))`. The expected entropy of p
//! depends on δ/s alone and falls from 1 bit at 0 (MobiMix, "pairwise entropy").

use crate::entropy::binary_entropy;

/// Logarithm of the normal density, without its constant factor.
pub(crate) fn log_density(value: f64, mean: f64, deviation: f64) -> f64 {
    let z = (value - mean) / deviation;
    -0.5 * z * z - deviation.ln()
}

/// Expected pairwise entropy of two users who enter `ratio` standard deviations apart.
///
/// The log-likelihood ratio is normal with mean ρ²/2 and standard deviation ρ; integrated by the
/// trapezoidal rule over ±8 standard deviations.
pub(crate) fn expected_pair_entropy(ratio: f64) -> f64 {
    const STEPS: i32 = 400;
    let (mut sum, mut weights) = (0.0, 0.0);
    for step in -STEPS..=STEPS {
        let z = 8.0 * f64::from(step) / f64::from(STEPS);
        let weight = (-0.5 * z * z).exp();
        let log_ratio = ratio * ratio / 2.0 + ratio * z;
        sum += weight * binary_entropy(1.0 / (1.0 + (-log_ratio).exp()));
        weights += weight;
    }
    sum / weights
}

/// Largest δ/s at which the expected pairwise entropy is at least `alpha`, for `alpha` in (0, 1).
pub(crate) fn largest_ratio(alpha: f64) -> f64 {
    let (mut low, mut high) = (0.0, 16.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if expected_pair_entropy(middle) >= alpha {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt as _;

    /// The same expectation from drawn times instead of the formula.
    fn drawn_pair_entropy(shift: f64, deviation: f64, seed: u64) -> f64 {
        let mut random = meshcloak::town::Town::generator(seed);
        let draws = 40_000;
        let sum: f64 = (0..draws)
            .map(|_| {
                // Sum of twelve uniform draws: mean 6, variance 1.
                let z: f64 = (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
                let time = 100.0 + deviation * z;
                let own = log_density(time, 100.0, deviation);
                let other = log_density(time, 100.0 + shift, deviation);
                binary_entropy(1.0 / (1.0 + (other - own).exp()))
            })
            .sum();
        sum / f64::from(draws)
    }

    #[test]
    fn the_formula_agrees_with_drawn_times() {
        for (seed, shift) in [0.0, 0.5, 1.0, 2.0, 4.0, 9.0].into_iter().enumerate() {
            let drawn = drawn_pair_entropy(shift, 2.0, seed as u64);
            let formula = expected_pair_entropy(shift / 2.0);
            assert!((drawn - formula).abs() < 0.01, "{shift}: {drawn} {formula}");
        }
    }

    #[test]
    fn the_entropy_falls_with_the_distance_and_the_bound_is_tight() {
        let values: Vec<f64> =
            (0..60).map(|step| expected_pair_entropy(f64::from(step) * 0.1)).collect();
        assert!(values.windows(2).all(|pair| pair[0] > pair[1]));
        for alpha in [0.5, 0.7, 0.9, 0.99] {
            let ratio = largest_ratio(alpha);
            assert!(expected_pair_entropy(ratio) >= alpha - 1e-9);
            assert!(expected_pair_entropy(ratio * 1.02) < alpha);
        }
    }
}
