//! Twin of the posterior: enumerates the questions of all members.

use super::{CategoryId, QuestionModel};
use std::collections::BTreeSet;

/// Posterior of the first member, by all assignments of categories to members.
pub fn naive_posterior(
    model: &QuestionModel,
    requested: &BTreeSet<CategoryId>,
    members: usize,
) -> Vec<f64> {
    let count = model.prior().len();
    let mut weights = vec![0.0; count];
    for number in 0..count.pow(members as u32) {
        let asked: Vec<usize> =
            (0..members).map(|member| number / count.pow(member as u32) % count).collect();
        if model.requested(&asked.iter().map(|&one| one as CategoryId).collect()) == *requested {
            weights[asked[0]] += asked.iter().map(|&one| model.prior()[one]).product::<f64>();
        }
    }
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}
