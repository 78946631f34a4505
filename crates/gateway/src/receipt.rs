//! The receipt of an answer: the guarantee and what was reached, in steps too coarse to count
//! neighbours with.

use crate::api::Receipt;
use meshcloak::guarantee::Guarantee;
use meshcloak::units::Time;
use std::time::Duration;

/// Returns the name of a guarantee, as in settings and JSON.
pub fn guarantee_name(guarantee: Guarantee) -> &'static str {
    match guarantee {
        Guarantee::Paper => "paper",
        Guarantee::Reciprocal => "reciprocal",
        Guarantee::History => "history",
    }
}

/// Returns what a guarantee keeps secret (docs/SPEC.md §6); `None` if it keeps nothing.
pub fn secret(guarantee: Guarantee) -> Option<&'static str> {
    match guarantee {
        Guarantee::Paper => None,
        Guarantee::Reciprocal | Guarantee::History => Some("who asked what"),
    }
}

/// Set sizes that a receipt may name, besides the requested k.
const STEPS: [u32; 6] = [2, 3, 5, 10, 20, 50];

/// Returns a lower bound of the set size: the largest step not above it, or `k` if larger.
pub fn coarse_size(set_size: usize, k: u32) -> u32 {
    let size = u32::try_from(set_size).unwrap_or(u32::MAX);
    let step = STEPS.into_iter().rev().find(|&step| step <= size).unwrap_or(0);
    step.max(k.min(size))
}

/// Rounds the number of streets in a region up to 1, 2 or 5 times a power of ten: the exact number
/// would tell an account how its invented users changed a region.
pub fn coarse_streets(streets: usize) -> usize {
    let mut power = 1_usize;
    loop {
        for step in [1, 2, 5] {
            let rounded = power.saturating_mul(step);
            if rounded >= streets {
                return rounded;
            }
        }
        power = power.saturating_mul(10);
    }
}

/// Facts about one query of a published set.
#[derive(Clone, Copy, Debug)]
pub struct ServedQuery {
    /// Guarantee of the gateway.
    pub guarantee: Guarantee,
    /// Requested size of the anonymity set.
    pub k: u32,
    /// Size of the published set.
    pub set_size: usize,
    /// Members of the published set that have a question.
    pub asking: usize,
    /// Number of streets in the region.
    pub streets: usize,
    /// Time of the query.
    pub asked_at: Time,
    /// Time of the batch that published the set.
    pub served_at: Time,
    /// Whether an earlier position of the user was known.
    pub has_past: bool,
}

impl ServedQuery {
    /// Time from the query to its batch.
    #[expect(clippy::arithmetic_side_effects, reason = "times saturate")]
    pub fn delay(&self) -> Duration {
        self.served_at - self.asked_at
    }

    /// Builds the receipt. `exact` says whether the service's result was complete.
    pub fn receipt(&self, exact: bool) -> Receipt {
        let is_new = self.guarantee == Guarantee::History && !self.has_past;
        Receipt {
            guarantee: guarantee_name(self.guarantee),
            secret: secret(self.guarantee),
            k: self.k,
            k_reached: coarse_size(self.set_size, self.k),
            k_asking: coarse_size(self.asking, 1),
            streets: coarse_streets(self.streets),
            delay: self.delay().as_secs_f64(),
            exact,
            left_out: None,
            history: is_new.then_some("new"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streets_are_rounded_up_in_steps_of_one_two_five() {
        let examples = [(0, 1), (1, 1), (3, 5), (6, 10), (11, 20), (200, 200), (201, 500)];
        for (streets, rounded) in examples {
            assert_eq!(coarse_streets(streets), rounded);
        }
        assert!(coarse_streets(usize::MAX) == usize::MAX);
    }

    fn served(guarantee: Guarantee, has_past: bool) -> ServedQuery {
        ServedQuery {
            guarantee,
            k: 2,
            set_size: 2,
            asking: 2,
            streets: 1,
            asked_at: Time::default(),
            served_at: Time::default(),
            has_past,
        }
    }

    /// Field of the receipt of a query.
    fn field(query: ServedQuery, name: &str) -> Option<serde_json::Value> {
        serde_json::to_value(query.receipt(true)).unwrap().get(name).cloned()
    }

    #[test]
    fn a_receipt_says_what_is_secret_unless_nothing_is() {
        let secret = |guarantee| field(served(guarantee, true), "secret");
        assert_eq!(secret(Guarantee::Reciprocal), Some("who asked what".into()));
        assert_eq!(secret(Guarantee::History), Some("who asked what".into()));
        assert_eq!(secret(Guarantee::Paper), None, "a region can be traced to a user");
    }

    #[test]
    fn a_receipt_of_history_marks_the_first_query_of_a_user() {
        let history = |guarantee, has_past| field(served(guarantee, has_past), "history");
        assert_eq!(history(Guarantee::History, false), Some("new".into()));
        assert_eq!(history(Guarantee::History, true), None);
        assert_eq!(history(Guarantee::Reciprocal, false), None, "it keeps no past");
    }

    #[test]
    fn the_coarse_size_lies_between_k_and_the_set_size() {
        for size in 2..200 {
            for k in 2..=size as u32 {
                let coarse = coarse_size(size, k);
                assert!(k <= coarse && coarse <= size as u32, "{size} {k} {coarse}");
                assert!(coarse == k || STEPS.contains(&coarse));
            }
        }
        assert_eq!((coarse_size(1, 1), coarse_size(4, 1)), (1, 3), "of members that ask");
        assert_eq!((coarse_size(4, 2), coarse_size(9, 7), coarse_size(1000, 5)), (3, 7, 50));
    }
}
