//! Entropy of discrete distributions, in bits.

/// Entropy of a probability and its complement: 1 for 0.5, 0 for certainty.
pub(crate) fn binary_entropy(probability: f64) -> f64 {
    [probability, 1.0 - probability].into_iter().map(term).sum()
}

/// Entropy of weights that need not sum to 1; 0 if all are zero.
pub(crate) fn entropy(weights: impl Iterator<Item = f64> + Clone) -> f64 {
    let total: f64 = weights.clone().sum();
    if total > 0.0 { weights.map(|weight| term(weight / total)).sum() } else { 0.0 }
}

fn term(probability: f64) -> f64 {
    if probability > 0.0 { -probability * probability.log2() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_the_logarithm_of_equal_candidates() {
        assert!((binary_entropy(0.5) - 1.0).abs() < 1e-12);
        assert_eq!(binary_entropy(1.0), 0.0);
        assert!((entropy([3.0; 8].into_iter()) - 3.0).abs() < 1e-12);
        assert_eq!(entropy([0.0, 7.0].into_iter()), 0.0);
        assert_eq!(entropy([0.0; 3].into_iter()), 0.0);
    }
}
