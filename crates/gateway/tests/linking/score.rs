//! Area under the ROC curve, and the gain of one classifier over another with its spread.

use crate::pairs::Pairs;
use meshcloak::town::Town;
use rand::RngExt as _;

/// Difference of two AUCs: mean and the central 95 % of resampled users.
#[derive(Clone, Copy, Debug)]
pub struct Gain {
    pub mean: f64,
    pub low: f64,
    pub high: f64,
}

/// Probability that a pair of one user scores above a pair of two; ties count half.
pub fn auc(labels: &[bool], scores: &[f64]) -> f64 {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
    let (mut rank, mut sum) = (0.0, 0.0);
    for ties in order.chunk_by(|&a, &b| scores[a] == scores[b]) {
        let middle = rank + (ties.len() as f64 + 1.0) / 2.0;
        sum += middle * ties.iter().filter(|&&index| labels[index]).count() as f64;
        rank += ties.len() as f64;
    }
    let positive = labels.iter().filter(|&&label| label).count() as f64;
    let negative = labels.len() as f64 - positive;
    (sum - positive * (positive + 1.0) / 2.0) / (positive * negative)
}

/// Number of resamplings.
const SAMPLES: usize = 200;

/// Returns how much `scores` exceeds `baseline`, by resampling the users of the test pairs.
pub fn gain(test: &Pairs, baseline: &[f64], scores: &[f64]) -> Gain {
    let labels = test.labels();
    let mut random = Town::generator(7);
    let by_user = test.by_user();
    let mut differences: Vec<f64> = (0..SAMPLES)
        .map(|_| {
            let chosen: Vec<usize> = (0..by_user.len())
                .flat_map(|_| by_user[random.random_range(0..by_user.len())].iter().copied())
                .collect();
            let labels: Vec<bool> = chosen.iter().map(|&index| labels[index]).collect();
            let of = |scores: &[f64]| -> f64 {
                auc(&labels, &chosen.iter().map(|&index| scores[index]).collect::<Vec<f64>>())
            };
            of(scores) - of(baseline)
        })
        .collect();
    differences.sort_by(f64::total_cmp);
    let mean = auc(labels, scores) - auc(labels, baseline);
    Gain { mean, low: differences[SAMPLES / 40], high: differences[SAMPLES - 1 - SAMPLES / 40] }
}

#[test]
fn the_area_counts_ordered_pairs() {
    let labels = [true, false, true, false];
    assert_eq!(auc(&labels, &[3.0, 1.0, 4.0, 2.0]), 1.0);
    assert_eq!(auc(&labels, &[1.0, 3.0, 2.0, 4.0]), 0.0);
    assert_eq!(auc(&labels, &[1.0; 4]), 0.5);
    assert_eq!(auc(&labels, &[2.0, 1.0, 2.0, 3.0]), 0.5);
}
