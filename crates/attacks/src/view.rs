//! The adversary's input: the map, the target's disclosures, and the extra knowledge of its level.

use crate::pieces;
use crate::posterior::Posterior;
use meshcloak::distance::Atlas;
use meshcloak::map::{Position, StreetMap};
use meshcloak::query::{QueryId, UserId};
use meshcloak::region::Region;
pub use meshcloak::scheme::RegionDependence;
use meshcloak::units::{Length, Speed, Time};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Everything an attack may use.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The map with its distances.
    pub atlas: &'a Arc<Atlas>,
    /// How regions of the attacked scheme depend on positions.
    pub rule: RegionDependence,
    /// The attacked user.
    pub target: Target,
    /// All disclosures of the target in order of time. The adversary is assumed to link them.
    pub disclosures: &'a [LinkedDisclosure],
    /// Index of the attacked disclosure.
    pub attacked: usize,
    /// L2: position and time of the target's previous query, whether it was published or not.
    pub previous: Option<KnownPosition>,
    /// L2+: the set of the attacked disclosure.
    pub set: Option<&'a KnownSet>,
    /// L3: all waiting queries of the attacked batch.
    pub snapshot: Option<&'a Snapshot<'a>>,
    /// L3: for each disclosure up to the attacked one, its candidate users.
    pub candidate_sets: &'a [Vec<UserId>],
    /// Popularity of streets among other users.
    pub prior: Option<&'a Prior>,
}

impl View<'_> {
    /// Returns the attacked disclosure.
    pub fn disclosure(&self) -> &LinkedDisclosure {
        &self.disclosures[self.attacked]
    }
}

/// Properties of the target that every level knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Distance constraint.
    pub dc: Length,
    /// Top speed.
    pub speed: Option<Speed>,
}

/// A disclosure linked to the target.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkedDisclosure {
    /// Time of the query.
    pub asked_at: Time,
    /// Time of the disclosure.
    pub at: Time,
    /// The published region.
    pub region: Arc<Region<'static>>,
    /// Street pieces of the region, computed on first use.
    pieces: OnceLock<Posterior>,
}

impl LinkedDisclosure {
    /// Creates a disclosure at time `at` for a query of time `asked_at`.
    pub fn new(asked_at: Time, at: Time, region: Arc<Region<'static>>) -> LinkedDisclosure {
        LinkedDisclosure { asked_at, at, region, pieces: OnceLock::new() }
    }

    /// Returns the uniform distribution over the region's streets.
    pub fn uniform(&self, map: &StreetMap) -> &Posterior {
        self.pieces.get_or_init(|| pieces::uniform(map, &self.region))
    }
}

/// A position of the target that the adversary knows, and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownPosition {
    /// Time.
    pub at: Time,
    /// Position.
    pub position: Position,
}

/// A published set: its places without names, and everyone's past.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownSet {
    /// Positions of the members, in any order.
    pub places: Vec<Position>,
    /// The members; which of them is at which place is unknown.
    pub members: Vec<KnownMember>,
    /// Index of the target among the members.
    pub target: usize,
}

/// What is known of a member of a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KnownMember {
    /// Last accepted query before the present one.
    pub accepted: Option<KnownPosition>,
    /// Last published query before the present one.
    pub published: Option<KnownPosition>,
    /// Top speed.
    pub speed: Option<Speed>,
    /// Time of the present query.
    pub asked_at: Time,
}

/// Popularity of each street among other users.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prior {
    /// Relative probability density per metre, by street.
    pub per_metre: Vec<f64>,
}

/// A waiting query as an L3 adversary knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Query id; ids are in order of arrival.
    pub id: QueryId,
    /// User.
    pub user: UserId,
    /// Position.
    pub position: Position,
    /// Requested k.
    pub k: u32,
    /// Distance constraint.
    pub dc: Length,
    /// Time of the query.
    pub asked_at: Time,
    /// Temporal tolerance dt.
    pub tolerance: Duration,
    /// Top speed.
    pub speed: Option<Speed>,
    /// Whether there is a question; otherwise a presence report.
    pub asks: bool,
}

/// The public algorithm, which an adversary can run.
pub trait Rerun: Sync {
    /// Returns what the algorithm publishes for these waiting queries, given in order of arrival;
    /// `None` if it cannot be run.
    fn rerun(&self, candidates: &[Candidate]) -> Option<RerunResult>;
}

/// Result of a run of the algorithm.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RerunResult {
    /// Published regions.
    pub regions: Vec<Region<'static>>,
    /// For each query the index of its region, if it is served.
    pub region_of: Vec<Option<u32>>,
    /// For each region the members of its set, by index.
    pub sets: Vec<Vec<u32>>,
}

/// All waiting queries of a batch, and the algorithm to run on them.
pub struct Snapshot<'a> {
    /// The queries in order of arrival.
    pub candidates: &'a [Candidate],
    algorithm: &'a dyn Rerun,
    result: OnceLock<Option<IndexedResult>>,
}

/// A result with an index of its regions.
struct IndexedResult {
    result: RerunResult,
    /// Region indices sorted by region.
    order: Vec<u32>,
    /// For each region the queries that publish it, by index.
    publishers: Vec<Vec<u32>>,
}

impl<'a> Snapshot<'a> {
    /// Creates a snapshot.
    pub fn new(candidates: &'a [Candidate], algorithm: &'a dyn Rerun) -> Snapshot<'a> {
        Snapshot { candidates, algorithm, result: OnceLock::new() }
    }

    /// Returns the algorithm.
    pub fn algorithm(&self) -> &'a dyn Rerun {
        self.algorithm
    }

    fn indexed(&self) -> Option<&IndexedResult> {
        let index = |result: RerunResult| {
            let mut order: Vec<u32> = (0..result.regions.len() as u32).collect();
            let region = |number: &u32| &result.regions[*number as usize];
            order.sort_by(|a, b| region(a).total_cmp(region(b)));
            let mut publishers = vec![Vec::new(); result.regions.len()];
            for (query, region) in result.region_of.iter().enumerate() {
                if let Some(region) = region {
                    publishers[*region as usize].push(query as u32);
                }
            }
            IndexedResult { result, order, publishers }
        };
        self.result.get_or_init(|| self.algorithm.rerun(self.candidates).map(index)).as_ref()
    }

    /// Returns the indices of the queries for which the algorithm publishes exactly this region. Only
    /// the first call runs the algorithm.
    pub fn publishers_of(&self, region: &Region<'_>) -> Vec<u32> {
        let Some(IndexedResult { result, order, publishers }) = self.indexed() else {
            return Vec::new();
        };
        let region_at = |number: &u32| &result.regions[*number as usize];
        let start = order.partition_point(|number| region_at(number).total_cmp(region).is_lt());
        let same =
            order[start..].iter().take_while(|number| region_at(number).total_cmp(region).is_eq());
        let exact = same.filter(|number| region_at(number) == region);
        exact.flat_map(|number| publishers[*number as usize].iter().copied()).collect()
    }
}
