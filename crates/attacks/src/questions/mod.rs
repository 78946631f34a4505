//! M: questions. The adversary knows who is in a set (or in all sets of a region) and how often each
//! category is asked, sees which categories the region is asked, and infers what the target asked.
//!
//! With decoys the symbols that it sees are groups of categories ([`Companions`]): asking one
//! category of a group looks like asking any other.

#[cfg(test)]
mod naive;
mod symbols;

pub use symbols::cover_weights;

use crate::attack::{Attack, Level};
use meshcloak::companions::Companions;
use std::collections::BTreeSet;

/// The attack. It needs the questions of a whole region: the evaluation drives [`QuestionModel`]
/// itself, and a disclosure without questions has no posterior.
pub const QUESTIONS: Attack = Attack {
    name: "questions",
    letter: 'M',
    level: Level::Batch,
    needs: "the members of the sets of a region, the popularity of categories, and the categories that \
         the region is asked: the probability of each category for each member",
    run: |_| None,
};

/// Largest number of subsets that are enumerated to explain a padded region.
const MAX_ENUMERATED: usize = 20_000;

/// Number of a category.
pub type CategoryId = u32;

/// What the adversary knows about questions: how often each category is asked, and the decoys.
#[derive(Clone, Debug)]
pub struct QuestionModel {
    /// Probability of each category, by number.
    prior: Vec<f64>,
    companions: Companions<CategoryId>,
    /// Smallest number of categories that a region is asked; 0: decoys do not depend on it.
    diversity: usize,
}

impl QuestionModel {
    /// Creates the model of a gateway that asks each category with `decoys` others, and pads regions
    /// to `diversity` categories. `prior` is normalised.
    pub fn new(prior: &[f64], decoys: usize, diversity: usize) -> QuestionModel {
        let sum: f64 = prior.iter().sum();
        let prior: Vec<f64> = prior.iter().map(|weight| weight / sum).collect();
        let counts = prior.iter().map(|share| (share * 1e6) as u64);
        let companions = Companions::new((0..).zip(counts), decoys + 1);
        QuestionModel { prior, companions, diversity }
    }

    /// Probability of each category.
    pub fn prior(&self) -> &[f64] {
        &self.prior
    }

    /// Returns the categories that a region is asked if its members ask `asked`.
    pub fn requested(&self, asked: &BTreeSet<CategoryId>) -> BTreeSet<CategoryId> {
        let groups = asked.iter().filter_map(|category| self.companions.group(category));
        let all: BTreeSet<CategoryId> = groups.flatten().copied().collect();
        if all.len() >= self.diversity {
            return all;
        }
        let wider = asked.iter().filter_map(|one| self.companions.wider_group(one, self.diversity));
        wider.flatten().copied().collect()
    }

    /// Returns the probability that one of `members`, with one question each, asked each
    /// category, given the requested categories. The same for every member.
    pub fn posterior(&self, requested: &BTreeSet<CategoryId>, members: usize) -> Vec<f64> {
        let groups: BTreeSet<&[CategoryId]> =
            requested.iter().filter_map(|category| self.companions.group(category)).collect();
        let groups: Vec<&[CategoryId]> = groups.into_iter().collect();
        let shares: Vec<f64> = groups.iter().map(|group| self.share(group)).collect();
        let mut weights = vec![0.0; groups.len()];
        for asked in self.explanations(&groups, requested) {
            let chosen: Vec<f64> = asked.iter().map(|&index| shares[index]).collect();
            for (&index, weight) in asked.iter().zip(cover_weights(&chosen, members)) {
                weights[index] += weight;
            }
        }
        // Too many explanations to enumerate: the members may have asked any of the categories.
        if weights.iter().all(|&weight| weight <= 0.0) {
            weights.clone_from(&shares);
        }
        let sum: f64 = weights.iter().sum();
        let mut posterior = vec![0.0; self.prior.len()];
        for ((group, weight), share) in groups.iter().zip(&weights).zip(&shares) {
            for &category in *group {
                let part = self.prior[category as usize] / share;
                posterior[category as usize] = part * weight / sum;
            }
        }
        posterior
    }

    fn share(&self, group: &[CategoryId]) -> f64 {
        group.iter().map(|&category| self.prior[category as usize]).sum()
    }

    /// Returns the sets of groups that may have been asked, each as ascending indices.
    fn explanations(
        &self,
        groups: &[&[CategoryId]],
        requested: &BTreeSet<CategoryId>,
    ) -> Vec<Vec<usize>> {
        let all: Vec<usize> = (0..groups.len()).collect();
        if self.diversity < 2 {
            return vec![all];
        }
        let explains = |subset: &Vec<usize>| {
            let asked = subset.iter().filter_map(|&index| groups[index].first().copied());
            self.requested(&asked.collect()) == *requested
        };
        // A region was padded only if fewer groups than `diversity` were asked.
        let mut explanations = subsets(groups.len(), self.diversity - 1);
        if groups.len() >= self.diversity {
            explanations.push(all);
        }
        explanations.retain(explains);
        explanations
    }
}

/// Returns the non-empty subsets of `0..count` with at most `max` elements, as long as there are at
/// most [`MAX_ENUMERATED`].
fn subsets(count: usize, max: usize) -> Vec<Vec<usize>> {
    let (mut all, mut largest) = (Vec::new(), vec![Vec::new()]);
    for _ in 0..max.min(count) {
        let longer = |subset: &Vec<usize>| {
            let first = subset.last().map_or(0, |last| last + 1);
            let subset = subset.clone();
            (first..count).map(move |next| [&subset[..], &[next]].concat())
        };
        largest = largest.iter().flat_map(longer).take(MAX_ENUMERATED).collect();
        all.extend(largest.iter().cloned());
        if all.len() > MAX_ENUMERATED {
            break;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::naive::naive_posterior;
    use super::*;
    use meshcloak::town::Town;
    use rand::RngExt as _;

    #[test]
    fn the_posterior_equals_the_enumeration_of_all_questions() {
        for seed in 0..150 {
            let mut random = Town::generator(seed);
            let categories = random.random_range(2..7);
            let prior: Vec<f64> = (0..categories).map(|_| random.random_range(0.01..1.0)).collect();
            let (decoys, diversity) = (random.random_range(0..3), random.random_range(0..5));
            let model = QuestionModel::new(&prior, decoys, diversity);
            let members = random.random_range(1..6);
            let asked = (0..members).map(|_| random.random_range(0..categories)).collect();
            let requested = model.requested(&asked);
            let posterior = model.posterior(&requested, members);
            let naive = naive_posterior(&model, &requested, members);
            for (one, other) in posterior.iter().zip(&naive) {
                assert!((one - other).abs() < 1e-9, "seed {seed}: {posterior:?} {naive:?}");
            }
        }
    }

    #[test]
    fn a_rare_category_is_evident_without_decoys_and_hidden_in_its_group_with_them() {
        let prior: Vec<f64> = (1..=50).map(|rank| 1.0 / f64::from(rank)).collect();
        let rare = 49;
        let posterior = |decoys: usize| {
            let model = QuestionModel::new(&prior, decoys, 0);
            model.posterior(&model.requested(&[rare].into()), 5)[rare as usize]
        };
        assert!((posterior(0) - 1.0).abs() < 1e-9, "all five asked it");
        assert!(posterior(3) < 0.15, "{}", posterior(3));
    }

    #[test]
    fn a_large_region_has_finite_weights() {
        let model = QuestionModel::new(&[1.0; 50], 0, 0);
        let posterior = model.posterior(&(0..40).collect(), 2_000);
        assert!((posterior.iter().sum::<f64>() - 1.0).abs() < 1e-6);
    }
}
