//! P: ages. An observer of users' lines sees when each user sent a message and when it was released.
//! Contents are encrypted and padded, so it does not see who of a set had a question. But a query
//! leaves with one of the next batches, while a presence report stays for its patience: the age of a
//! message at its release tells queries from reports.
//!
//! With `L` the distribution of ages, learned from other sets, and `π` the share of queries among
//! released messages, a message of age `a` is a query with probability
//! `q = π L(a | asks) / (π L(a | asks) + (1 − π) L(a | present))`. A set has a query, so that the
//! posterior of member `i` is `q_i / (1 − Π (1 − q_j))`. Bins are whole seconds, rounded up.

use crate::attack::{Attack, Level};
use std::time::Duration;

/// The attack. It needs the ages of all members: the evaluation calls [`AgeModel`] itself, and a
/// disclosure alone has no posterior.
pub const AGES: Attack = Attack {
    name: "ages",
    letter: 'P',
    level: Level::Batch,
    needs: "the times at which each user's line carried a message and its result: the age of a \
         message tells queries from presence reports",
    run: |_| None,
};

/// A message of a member at its release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReleasedMessage {
    /// Time from sending to release.
    pub age: Duration,
    /// Whether it had a question, for learning and for the score; the posterior does not use it.
    pub asks: bool,
}

/// Number of bins; older messages share the last.
const BINS: usize = 64;

/// Ages of queries and of presence reports.
#[derive(Clone, Debug, PartialEq)]
pub struct AgeModel {
    asking: [u64; BINS],
    present: [u64; BINS],
}

impl Default for AgeModel {
    fn default() -> AgeModel {
        AgeModel { asking: [0; BINS], present: [0; BINS] }
    }
}

/// What the observer concludes about one set.
#[derive(Clone, Debug, PartialEq)]
pub struct AgePosterior {
    /// Probability that each member had the question.
    pub probabilities: Vec<f64>,
    /// The only member whose age is one that queries have, if there is only one.
    pub certain: Option<usize>,
}

impl AgeModel {
    /// Learns from a set.
    pub fn learn(&mut self, set: &[ReleasedMessage]) {
        for message in set {
            let counts = if message.asks { &mut self.asking } else { &mut self.present };
            counts[bin(message.age)] += 1;
        }
    }

    /// Returns the posterior of each member of a set of these ages.
    pub fn posterior(&self, ages: &[Duration]) -> AgePosterior {
        let odds: Vec<f64> = ages.iter().map(|&age| self.probability(age)).collect();
        let none: f64 = odds.iter().map(|q| 1.0 - q).product();
        let some = 1.0 - none;
        let is_possible = |&index: &usize| self.is_possible(ages[index]);
        let mut possible = (0..ages.len()).filter(is_possible);
        let certain = possible.next().filter(|_| possible.next().is_none());
        let probability = |q: f64| match some > 0.0 {
            true => q / some,
            // No age fits a query: all members are equal.
            false => 1.0 / ages.len().max(1) as f64,
        };
        AgePosterior { probabilities: odds.into_iter().map(probability).collect(), certain }
    }

    /// Probability that a message of that age is a query, as if it were in no set.
    fn probability(&self, age: Duration) -> f64 {
        // The shares cancel: π L(a | asks) is the share of messages that are queries of that age.
        let (asking, present) = (self.asking[bin(age)] as f64, self.present[bin(age)] as f64);
        if asking == 0.0 { 0.0 } else { asking / (asking + present) }
    }

    /// Whether queries of at least that age occur: with at most their `dt` they may.
    fn is_possible(&self, age: Duration) -> bool {
        self.asking[bin(age)..].iter().any(|&count| count > 0)
    }
}

fn bin(age: Duration) -> usize {
    (age.as_millis().div_ceil(1000) as usize).min(BINS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(seconds: u64, asks: bool) -> ReleasedMessage {
        ReleasedMessage { age: Duration::from_secs(seconds), asks }
    }

    fn ages(seconds: &[u64]) -> Vec<Duration> {
        seconds.iter().copied().map(Duration::from_secs).collect()
    }

    #[test]
    fn a_young_message_among_old_ones_is_the_query() {
        let mut model = AgeModel::default();
        for age in 0..30 {
            model.learn(&[message(age % 3 + 1, true), message(age + 1, false)]);
        }
        let found = model.posterior(&ages(&[2, 9, 20, 30]));
        assert_eq!(found.certain, Some(0));
        assert_eq!(found.probabilities, [1.0, 0.0, 0.0, 0.0]);
        let found = model.posterior(&ages(&[2, 3, 20]));
        assert_eq!(found.certain, None);
        assert!(found.probabilities[0] > 0.4 && found.probabilities[2] == 0.0, "{found:?}");
        let sum: f64 = found.probabilities.iter().sum();
        assert!(sum >= 1.0, "at least one member had a question");
    }

    #[test]
    fn ages_of_one_distribution_tell_nothing_about_members() {
        let mut model = AgeModel::default();
        for _ in 0..100 {
            let present = std::iter::repeat_n(message(1, false), 4);
            let set: Vec<_> = present.chain([message(1, true)]).collect();
            model.learn(&set);
        }
        let found = model.posterior(&ages(&[1; 5]));
        assert_eq!(found.certain, None);
        assert!(found.probabilities.iter().all(|p| (p - found.probabilities[0]).abs() < 1e-12));
        assert!(found.probabilities[0] < 0.31, "a fifth, and more if several ask: {found:?}");
        let unknown = model.posterior(&ages(&[60, 50]));
        assert_eq!(unknown.probabilities, [0.5, 0.5], "no age fits");
    }
}
