//! M: questions. The adversary knows who is in a set (or in all sets of a region) and how often each
//! category is asked, sees which categories the region is asked, and infers what the target asked.
//!
//! With decoys the symbols that it sees are groups of categories ([`Companions`]): asking one
//! category of a group looks like asking any other.

#[cfg(test)]
mod naive;
mod padded;
mod symbols;

pub use padded::{PaddedGroup, padded_weights};
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
        let weights = self.weights(&groups, &shares, requested, members);
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

    /// Returns for each group the weight of "the first of `members` asked it, and the region is asked
    /// `requested`".
    fn weights(
        &self,
        groups: &[&[CategoryId]],
        shares: &[f64],
        requested: &BTreeSet<CategoryId>,
        members: usize,
    ) -> Vec<f64> {
        // Without padding all groups were asked.
        let mut weights = match requested.len() >= self.diversity {
            true => cover_weights(shares, members),
            false => vec![0.0; groups.len()],
        };
        if let Some(blocks) = self.blocks(groups, requested) {
            let group = |(at, &block): (usize, &usize)| PaddedGroup {
                share: shares[at],
                size: groups[at].len(),
                block,
            };
            let padded: Vec<PaddedGroup> = blocks.iter().enumerate().map(group).collect();
            let padded = padded_weights(&padded, members, self.diversity);
            weights.iter_mut().zip(padded).for_each(|(weight, padded)| *weight += padded);
        }
        weights
    }

    /// Returns the number of the block of each group, if the region consists of whole blocks, as a
    /// padded one does.
    fn blocks(
        &self,
        groups: &[&[CategoryId]],
        requested: &BTreeSet<CategoryId>,
    ) -> Option<Vec<usize>> {
        let mut blocks: Vec<Vec<&CategoryId>> = Vec::new();
        let mut numbers = Vec::new();
        for group in groups {
            let block = self.companions.wider_group(group.first()?, self.diversity)?;
            let known = blocks.iter().position(|other| *other == block);
            numbers.push(known.unwrap_or(blocks.len()));
            if known.is_none() {
                blocks.push(block);
            }
        }
        let is_whole = blocks.iter().flatten().all(|category| requested.contains(category));
        (self.diversity > 0 && is_whole).then_some(numbers)
    }
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
            let categories = random.random_range(2..8);
            let prior: Vec<f64> = (0..categories).map(|_| random.random_range(0.01..1.0)).collect();
            let (decoys, diversity) = (random.random_range(0..3), random.random_range(0..8));
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
