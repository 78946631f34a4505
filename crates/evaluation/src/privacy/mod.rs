//! What a scheme's promises are worth: runs it over a crowd, lets attacks look at what it
//! discloses, and scores what they believe by the truth, which only this module holds.
//!
//! People are sampled as victims, with all of their questions, so that attacks can follow them.
//! Attacks that need the whole batch look on while the scheme runs; the others come afterwards, in
//! parallel, in an order that does not depend on the threads.

pub mod files;
pub mod score;
pub mod suspect;
pub mod victim;

mod judge;
mod tap;
mod truth;

#[cfg(test)]
mod tests;

pub use files::{Given, GivenError};
pub use score::{Score, Scores};
pub use suspect::Suspect;
pub use truth::Truth;
pub use victim::{Portrait, PortraitRow};

use crate::costs::Costs;
use crate::metrics::Tally;
use crate::run::{Conditions, run};
use crate::tape::Tape;
use attacks::Prior;
use judge::Judge;
use meshcloak::distance::Atlas;
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::query::UserId;
use std::sync::Arc;
use tap::Tap;

/// What is to be attacked, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Names of attacks, in the order of tables.
    pub attacks: Vec<&'static str>,
    /// How many people are victims; attacks look at every question of theirs that was served.
    pub victims: usize,
    /// Around how many questions accounts of the attacker's own are planted; each needs a run of
    /// the algorithm over its batch.
    pub planted: usize,
}

impl Default for Plan {
    fn default() -> Plan {
        let attacks = attacks::all().iter().map(|attack| attack.name()).collect();
        Plan { attacks, victims: 1_000, planted: 40 }
    }
}

/// What attacks on one scheme came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assay {
    /// The scheme and its settings.
    pub scheme: String,
    /// What it did for everyone.
    pub tally: Tally,
    /// What each attack came to.
    pub scores: Scores,
    /// Candidate to draw.
    pub portrait: Option<Portrait>,
}

/// Runs a scheme over a tape and attacks it.
pub fn assay(
    suspect: &Suspect,
    atlas: &Arc<Atlas>,
    tape: &Tape,
    conditions: Conditions,
    plan: &Plan,
) -> Assay {
    let victims = Victims::of(tape, plan.victims);
    let truth = Truth::of_tape(tape, conditions.tolerance);
    let prior = prior(atlas, tape, &victims);
    let mut tap = Tap::new(suspect, atlas, (&victims, plan));
    let ran = run(&mut tap, atlas.map(), tape, conditions, &mut Costs::Free);
    let (taken, mut scores) = tap.done();
    let judge = Judge { atlas, truth: &truth, rule: suspect.rule(atlas), prior: &prior };
    let portrait = judge.judge(&taken, plan, &mut scores);
    Assay { scheme: suspect.name().to_owned(), tally: ran.tally, scores, portrait }
}

/// Whose questions are attacked.
#[derive(Clone, Debug, Default)]
pub struct Victims {
    /// By user; ascending.
    users: Vec<u64>,
}

impl Victims {
    /// So many people of a tape, scattered over all numbers by a fixed rule.
    pub fn of(tape: &Tape, count: usize) -> Victims {
        let mut users: Vec<u64> = tape.queries.iter().map(|query| u64::from(query.user)).collect();
        users.sort_unstable();
        users.dedup();
        Victims::among(users, count)
    }

    /// So many of these, by the same rule.
    pub fn among(mut users: Vec<u64>, count: usize) -> Victims {
        users.sort_by_key(|&user| (scattered(user), user));
        users.truncate(count);
        users.sort_unstable();
        Victims { users }
    }

    /// Whether somebody is one.
    pub fn holds(&self, user: UserId) -> bool {
        self.users.binary_search(&user.0).is_ok()
    }
}

/// A number that looks like chance and follows from another.
pub(crate) fn scattered(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// How popular streets are with those who are not victims; if everyone is one, with all.
fn prior(atlas: &Atlas, tape: &Tape, victims: &Victims) -> Prior {
    let everyone = victims.users.len() >= tape.users;
    let is_other =
        |query: &&traffic::SimulatedQuery| everyone || !victims.holds(UserId(query.user.into()));
    let others = tape.queries.iter().filter(is_other);
    popularity(atlas.map(), others.map(|query| query.position.street))
}

/// How likely a metre of each street is, by how often somebody was on it.
fn popularity(map: &StreetMap, seen: impl Iterator<Item = StreetId>) -> Prior {
    // Nobody was seen on some streets, and yet somebody may be there.
    let mut count = vec![0.5; map.street_count()];
    seen.for_each(|street| count[street.index()] += 1.0);
    let metre = |(street, count): (StreetId, f64)| count / map.metres(street).max(1.0);
    Prior { per_metre: map.streets().zip(count).map(metre).collect() }
}
