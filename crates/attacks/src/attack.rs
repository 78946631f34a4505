//! What all attacks have in common, and the table of them.

use crate::posterior::Posterior;
use crate::reachability::Reachability;
use crate::view::View;
use crate::{bayes, boundary, centre, homogeneity, intersection, inversion, region_inversion};
use crate::{sybils, timing, together};

/// How much an attacker knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// L1, the service: map, algorithm, disclosures, and the dc of its target.
    Service,
    /// L2: also where exactly the target was when she asked before (the paper's own attacker).
    Previous,
    /// L3: also every position, k and dc in the batch (Hilbert Cloak's attacker).
    Batch,
}

impl Level {
    /// As in tables: `L1`.
    pub fn name(self) -> &'static str {
        match self {
            Level::Service => "L1",
            Level::Previous => "L2",
            Level::Batch => "L3",
        }
    }
}

/// A way to learn about a target.
pub trait Attack: Send + Sync {
    /// As in tables and arguments: `inversion`.
    fn name(&self) -> &'static str;

    /// The letter under which attacks are listed.
    fn letter(&self) -> char;

    /// How much it must know.
    fn level(&self) -> Level;

    /// What it needs and does, in one sentence.
    fn needs(&self) -> &'static str;

    /// What it believes about the attacked disclosure; `None` if it has nothing to go by.
    fn attack(&self, view: &View<'_>) -> Option<Posterior>;
}

/// Every attack, in the order of the tables.
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
        Box::new(together::Together),
    ]
}

/// The attack of that name.
pub fn by_name(name: &str) -> Option<Box<dyn Attack>> {
    all().into_iter().find(|attack| attack.name() == name)
}
