//! Scores of attacks, accumulated over the attacked publications.

use super::target_sums::TargetSums;
use crate::metrics::Mean;
use attacks::ATTACKS;
use std::time::Duration;

/// Score of one attack.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AttackScore {
    /// Number of attacked publications.
    pub publications: u64,
    /// Remaining candidates / k, for attacks that count users.
    pub anonymity: Mean,
    /// Share with fewer than k candidates.
    pub below_k: Mean,
    /// Share with one candidate.
    pub alone: Mean,
    /// Remaining street length, in metres.
    pub metres: Mean,
    /// Expected position error of the adversary, in metres.
    pub error: Mean,
    /// Share in which the attack excluded the truth.
    pub wrong: Mean,
    /// Sums of each target, for intervals.
    pub targets: TargetSums,
    /// Further figures of the attack by name, in insertion order.
    pub figures: Vec<(&'static str, Mean)>,
    /// Time on one thread.
    pub elapsed: Duration,
}

/// Result of one attack on one publication, compared with the truth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Observation {
    pub k: u32,
    /// The target, if the observation is one of a user's publications.
    pub user: Option<u64>,
    /// Remaining candidates, if the attack counts users.
    pub remaining: Option<usize>,
    pub metres: Option<f64>,
    pub error: Option<f64>,
    pub wrong: bool,
}

pub(super) fn indicator(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

impl AttackScore {
    /// Adds an observation. An attack that excludes the truth identifies no user.
    pub(crate) fn add(&mut self, observation: &Observation) {
        let Observation { k, remaining, metres, error, wrong, .. } = *observation;
        self.targets.add(observation);
        self.publications += 1;
        self.wrong.add(indicator(wrong));
        if let Some(remaining) = remaining {
            self.anonymity.add(remaining as f64 / f64::from(k));
            self.below_k.add(indicator(!wrong && remaining < k as usize));
            self.alone.add(indicator(!wrong && remaining == 1));
        }
        if let Some(metres) = metres {
            self.metres.add(metres);
        }
        if let Some(error) = error {
            self.error.add(error);
        }
    }

    /// Adds a value to a further figure.
    pub(crate) fn add_figure(&mut self, name: &'static str, value: f64) {
        self.figure_mut(name).add(value);
    }

    fn figure_mut(&mut self, name: &'static str) -> &mut Mean {
        entry(&mut self.figures, name)
    }

    /// Returns a further figure by name.
    pub fn figure(&self, name: &str) -> Option<f64> {
        self.figures.iter().find(|figure| figure.0 == name)?.1.value()
    }

    pub(crate) fn join(&mut self, other: AttackScore) {
        self.publications += other.publications;
        for (mean, other) in [
            (&mut self.anonymity, other.anonymity),
            (&mut self.below_k, other.below_k),
            (&mut self.alone, other.alone),
            (&mut self.metres, other.metres),
            (&mut self.error, other.error),
            (&mut self.wrong, other.wrong),
        ] {
            mean.join(other);
        }
        self.targets.join(other.targets);
        for (name, value) in other.figures {
            self.figure_mut(name).join(value);
        }
        self.elapsed += other.elapsed;
    }
}

/// Returns the value of a name, appending a default value if the name is new.
fn entry<'a, T: Default>(list: &'a mut Vec<(&'static str, T)>, name: &'static str) -> &'a mut T {
    let index = list.iter().position(|known| known.0 == name).unwrap_or_else(|| {
        list.push((name, T::default()));
        list.len() - 1
    });
    &mut list[index].1
}

/// Name of the row for the disclosure itself, before any attack.
pub const SHOWN: &str = "as shown";

/// Scores by name of the attack.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AttackScores {
    scores: Vec<(&'static str, AttackScore)>,
}

impl AttackScores {
    /// Returns the score of an attack, adding an empty one if needed.
    pub fn of(&mut self, attack: &'static str) -> &mut AttackScore {
        entry(&mut self.scores, attack)
    }

    /// Returns the score of an attack; `None` if it did not run.
    pub fn get(&self, attack: &str) -> Option<&AttackScore> {
        self.scores.iter().find(|score| score.0 == attack).map(|score| &score.1)
    }

    /// Returns all scores in the order of the tables: the disclosure itself, then the attacks.
    pub fn in_order(&self) -> Vec<(&'static str, &AttackScore)> {
        let names = [SHOWN].into_iter().chain(ATTACKS.iter().map(|attack| attack.name));
        names.filter_map(|name| Some((name, self.get(name)?))).collect()
    }

    pub(crate) fn join(&mut self, others: AttackScores) {
        for (name, score) in others.scores {
            self.of(name).join(score);
        }
    }
}
