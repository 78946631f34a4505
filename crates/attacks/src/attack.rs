//! Description of an attack, knowledge levels, and the list of attacks.

use crate::posterior::Posterior;
use crate::view::View;
use crate::{ages, bayes, boundary, centre, combined, homogeneity, intersection, inversion};
use crate::{matching, questions, reachability, region_inversion, sybils, timing, tracker};

/// Knowledge of the adversary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// L1, the service: map, algorithm, disclosures, and the target's dc.
    Service,
    /// L2: also the target's exact position at its previous query (the paper's adversary, §III-F).
    Previous,
    /// L2+: also every member's previous position, and the places of the set without names (the
    /// adversary of `history`).
    Pasts,
    /// L3: also every position, k and dc of the batch (the adversary of reciprocity).
    Batch,
}

impl Level {
    /// Returns the name used in tables: `L1`.
    pub fn name(self) -> &'static str {
        match self {
            Level::Service => "L1",
            Level::Previous => "L2",
            Level::Pasts => "L2+",
            Level::Batch => "L3",
        }
    }
}

/// An attack on the disclosures of one target.
#[derive(Clone, Copy, Debug)]
pub struct Attack {
    /// Name in tables and arguments: `inversion`.
    pub name: &'static str,
    /// Letter in tables; variants of one attack share it.
    pub letter: char,
    /// Knowledge that the attack requires.
    pub level: Level,
    /// What the attack needs and does, in one sentence.
    pub needs: &'static str,
    pub(crate) run: fn(&View<'_>) -> Option<Posterior>,
}

impl Attack {
    /// Returns the posterior for the attacked disclosure, or `None` if the attack does not apply.
    pub fn attack(&self, view: &View<'_>) -> Option<Posterior> {
        (self.run)(view)
    }
}

/// All attacks, in the order of the tables.
pub static ATTACKS: [Attack; 19] = [
    reachability::BETWEEN_REGIONS,
    reachability::FROM_A_KNOWN_POINT,
    reachability::IN_HINDSIGHT,
    matching::MATCHING,
    matching::MATCHING_TICK,
    matching::CADENCE,
    boundary::BOUNDARY,
    centre::CENTRE,
    inversion::INVERSION,
    region_inversion::REGION_INVERSION,
    intersection::INTERSECTION,
    sybils::SYBILS,
    homogeneity::HOMOGENEITY,
    timing::TIMING,
    bayes::BAYES,
    tracker::TRACKER,
    combined::COMBINED,
    questions::QUESTIONS,
    ages::AGES,
];

/// Returns the attack of that name.
pub fn by_name(name: &str) -> Option<&'static Attack> {
    ATTACKS.iter().find(|attack| attack.name == name)
}
