//! The trait of all attacks, their knowledge levels, and the list of attacks.

use crate::posterior::Posterior;
use crate::reachability::Reachability;
use crate::view::View;
use crate::{bayes, boundary, centre, homogeneity, intersection, inversion, region_inversion};
use crate::{combined, sybils, timing};

/// Knowledge of the adversary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// L1, the service: map, algorithm, disclosures, and the target's dc.
    Service,
    /// L2: also the target's exact position at its previous query (the paper's adversary, §III-F).
    Previous,
    /// L3: also every position, k and dc of the batch (the adversary of reciprocity).
    Batch,
}

impl Level {
    /// Returns the name used in tables: `L1`.
    pub fn name(self) -> &'static str {
        match self {
            Level::Service => "L1",
            Level::Previous => "L2",
            Level::Batch => "L3",
        }
    }
}

/// An attack on the disclosures of one target.
pub trait Attack: Send + Sync {
    /// Name in tables and arguments: `inversion`.
    fn name(&self) -> &'static str;

    /// Letter in tables; variants of one attack share it.
    fn letter(&self) -> char;

    /// Knowledge that the attack requires.
    fn level(&self) -> Level;

    /// What the attack needs and does, in one sentence.
    fn needs(&self) -> &'static str;

    /// Returns the posterior for the attacked disclosure, or `None` if the attack does not apply.
    fn attack(&self, view: &View<'_>) -> Option<Posterior>;
}

/// Returns every attack, in the order of the tables.
pub fn all() -> Vec<Box<dyn Attack>> {
    vec![
        Box::new(Reachability::BETWEEN_REGIONS),
        Box::new(Reachability::FROM_A_KNOWN_POINT),
        Box::new(Reachability::IN_HINDSIGHT),
        Box::new(boundary::Boundary),
        Box::new(centre::Centre),
        Box::new(inversion::Inversion),
        Box::new(region_inversion::RegionInversion),
        Box::new(intersection::Intersection),
        Box::new(sybils::Sybils::default()),
        Box::new(homogeneity::Homogeneity),
        Box::new(timing::Timing),
        Box::new(bayes::Bayes),
        Box::new(combined::Combined),
    ]
}

/// Returns the attack of that name.
pub fn by_name(name: &str) -> Option<Box<dyn Attack>> {
    all().into_iter().find(|attack| attack.name() == name)
}
