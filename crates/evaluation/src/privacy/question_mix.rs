//! Standing questions of simulated users: 50 categories by Zipf's law, and 5 sensitive ones that one
//! user in a hundred asks.

use attacks::questions::CategoryId;
use meshcloak::mix::mix64;
use meshcloak::query::{Query, UserId};
use meshcloak::region::Region;
use std::collections::BTreeSet;

/// Number of ordinary categories.
const ORDINARY: u32 = 50;
/// Number of sensitive categories.
const SENSITIVE: u32 = 5;
/// Share of users who ask a sensitive category.
const SENSITIVE_SHARE: f64 = 0.01;

/// The ordinary category that is asked least.
pub(super) const RARE: CategoryId = ORDINARY - 1;

/// Returns whether a category is sensitive.
pub(super) fn is_sensitive(category: CategoryId) -> bool {
    category >= ORDINARY
}

/// Returns the share of users who ask each category, by number.
pub(super) fn shares() -> Vec<f64> {
    let weights = (1..=ORDINARY).map(|rank| 1.0 / f64::from(rank));
    let sum: f64 = weights.clone().sum();
    let ordinary = weights.map(|weight| weight / sum * (1.0 - SENSITIVE_SHARE));
    let sensitive = (0..SENSITIVE).map(|_| SENSITIVE_SHARE / f64::from(SENSITIVE));
    ordinary.chain(sensitive).collect()
}

/// Users with their categories, which do not change.
#[derive(Clone, Debug)]
pub(super) struct QuestionMix {
    /// Sums of the shares up to each category.
    cumulative: Vec<f64>,
}

impl QuestionMix {
    pub(super) fn new() -> QuestionMix {
        let sum = |sum: &mut f64, share: f64| {
            *sum += share;
            Some(*sum)
        };
        QuestionMix { cumulative: shares().into_iter().scan(0.0, sum).collect() }
    }

    /// Returns the categories of the users of some queries.
    pub(super) fn categories(&self, queries: &[(Region<'_>, &Query)]) -> BTreeSet<CategoryId> {
        queries.iter().map(|(_, query)| self.category(query.user)).collect()
    }

    /// Returns the category of a user.
    pub(super) fn category(&self, user: UserId) -> CategoryId {
        let part = mix64(!user.0) as f64 / u64::MAX as f64;
        let category = self.cumulative.partition_point(|&sum| sum < part);
        category.min(self.cumulative.len() - 1) as CategoryId
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_are_asked_as_often_as_their_share() {
        let mix = QuestionMix::new();
        let mut counts = vec![0.0; shares().len()];
        for user in 0..200_000 {
            counts[mix.category(UserId(user)) as usize] += 1.0 / 200_000.0;
        }
        for (count, share) in counts.iter().zip(shares()) {
            assert!((count - share).abs() < 0.15 * share + 2e-4, "{count} {share}");
        }
        assert!((shares().iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }
}
