//! Probability that independent draws show exactly a given set of symbols.
//!
//! The number of ways is the coefficient of an exponential generating function:
//!
//! ```text
//! P(m draws show exactly S) = m! [z^m] Π (e^(p z) − 1)     over the symbols of S with probability p
//! ```
//!
//! All terms are positive, so that nothing cancels, and the product costs `|S| m²` steps instead of
//! the `2^|S|` of inclusion and exclusion.

/// Draws that are counted: with more, nearly every symbol is shown anyway, and factorials overflow.
const MAX_DRAWS: usize = 200;

/// For each of some symbols with these probabilities: weight of "the first of `draws` is this symbol,
/// and all draws together show exactly these symbols". Weights of different sets of symbols have the
/// same scale.
pub fn cover_weights(shares: &[f64], draws: usize) -> Vec<f64> {
    let (others, scale) = (draws_after_first(draws), scale(draws));
    let series: Vec<Vec<f64>> =
        shares.iter().map(|share| without_zero(exponential(share * scale, others))).collect();
    // Products of all series before and after each symbol.
    let one = exponential(0.0, others);
    let mut before = vec![one.clone()];
    for factor in &series {
        before.push(product(before.last().unwrap_or(&one), factor));
    }
    let mut after = one;
    let mut weights = vec![0.0; shares.len()];
    for (index, share) in shares.iter().enumerate().rev() {
        let rest = product(&before[index], &after);
        // The first draw has shown the symbol; the others may or may not.
        let own = exponential(share * scale, others);
        let shown: f64 = rest.iter().zip(own.iter().rev()).map(|(a, b)| a * b).sum();
        weights[index] = share * shown;
        after = product(&after, &series[index]);
    }
    weights
}

/// Number of counted draws after the first.
pub(super) fn draws_after_first(draws: usize) -> usize {
    draws.min(MAX_DRAWS).saturating_sub(1)
}

/// Factor of `z` in all series; keeps coefficients in range.
pub(super) fn scale(draws: usize) -> f64 {
    draws_after_first(draws).max(1) as f64
}

/// Coefficients of `e^(x z)` up to a degree.
pub(super) fn exponential(x: f64, degree: usize) -> Vec<f64> {
    let mut coefficients = vec![1.0; degree + 1];
    for power in 1..=degree {
        coefficients[power] = coefficients[power - 1] * x / power as f64;
    }
    coefficients
}

fn without_zero(mut series: Vec<f64>) -> Vec<f64> {
    series[0] = 0.0;
    series
}

/// Product of two series, up to the degree of the first.
pub(super) fn product(a: &[f64], b: &[f64]) -> Vec<f64> {
    let coefficient =
        |degree: usize| (0..=degree).map(|power| a[power] * b[degree - power]).sum::<f64>();
    (0..a.len()).map(coefficient).collect()
}
