//! What an attack came to, added up over the questions it looked at.

use crate::metrics::Mean;
use std::time::Duration;

/// What one attack came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// How many publications it looked at.
    pub publications: u64,
    /// How many people are left, over k; only of attacks that count people.
    pub anonymity: Mean,
    /// The share with fewer than k left.
    pub below_k: Mean,
    /// The share with one left.
    pub alone: Mean,
    /// Metres of street that are left.
    pub metres: Mean,
    /// Metres by which the attacker is off.
    pub error: Mean,
    /// The share in which it rules out the truth.
    pub wrong: Mean,
    /// Further figures of this attack, by name, in order.
    pub more: Vec<(&'static str, Mean)>,
    /// How long it took, on one thread.
    pub took: Duration,
}

/// One look of an attack at one publication.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Look {
    pub k: u32,
    /// How many people are left, if it counts them.
    pub left: Option<usize>,
    pub metres: Option<f64>,
    pub error: Option<f64>,
    pub wrong: bool,
}

fn share(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

impl Score {
    /// Takes a look into account. An attack that rules out the truth has found nobody.
    pub(crate) fn add(&mut self, look: &Look) {
        self.publications += 1;
        self.wrong.add(share(look.wrong));
        if let Some(left) = look.left {
            self.anonymity.add(left as f64 / f64::from(look.k));
            self.below_k.add(share(!look.wrong && left < look.k as usize));
            self.alone.add(share(!look.wrong && left == 1));
        }
        if let Some(metres) = look.metres {
            self.metres.add(metres);
        }
        if let Some(error) = look.error {
            self.error.add(error);
        }
    }

    /// A further figure.
    pub(crate) fn note(&mut self, name: &'static str, value: f64) {
        match self.more.iter_mut().find(|more| more.0 == name) {
            Some(more) => more.1.add(value),
            None => {
                self.more.push((name, Mean::default()));
                self.note(name, value);
            }
        }
    }

    /// A further figure by name.
    pub fn figure(&self, name: &str) -> Option<f64> {
        self.more.iter().find(|more| more.0 == name)?.1.value()
    }

    pub(crate) fn join(&mut self, other: Score) {
        self.publications += other.publications;
        for (mine, theirs) in [
            (&mut self.anonymity, other.anonymity),
            (&mut self.below_k, other.below_k),
            (&mut self.alone, other.alone),
            (&mut self.metres, other.metres),
            (&mut self.error, other.error),
            (&mut self.wrong, other.wrong),
        ] {
            mine.join(theirs);
        }
        for (name, value) in other.more {
            match self.more.iter_mut().find(|more| more.0 == name) {
                Some(more) => more.1.join(value),
                None => self.more.push((name, value)),
            }
        }
        self.took += other.took;
    }
}

/// The name under which stands what the disclosure itself says, before any attack.
pub const SHOWN: &str = "as shown";

/// What each attack came to, in the order of tables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores {
    scores: Vec<(&'static str, Score)>,
}

impl Scores {
    /// What an attack came to so far.
    pub fn of(&mut self, attack: &'static str) -> &mut Score {
        let place = self.scores.iter().position(|score| score.0 == attack);
        let place = place.unwrap_or_else(|| {
            self.scores.push((attack, Score::default()));
            self.scores.len() - 1
        });
        &mut self.scores[place].1
    }

    /// What an attack came to.
    pub fn get(&self, attack: &str) -> Option<&Score> {
        self.scores.iter().find(|score| score.0 == attack).map(|score| &score.1)
    }

    /// All of them, those that looked at nothing included: what was shown, then attacks in order.
    pub fn in_order(&self) -> Vec<(&'static str, &Score)> {
        let all = attacks::all();
        let names = [SHOWN].into_iter().chain(all.iter().map(|attack| attack.name()));
        names.filter_map(|name| Some((name, self.get(name)?))).collect()
    }

    pub(crate) fn join(&mut self, others: Scores) {
        for (name, score) in others.scores {
            self.of(name).join(score);
        }
    }
}
