//! What an attacker has before it begins: the map, what was disclosed about its target, and what
//! its level knows besides.

use crate::pieces;
use crate::posterior::Posterior;
use meshcloak::distance::Atlas;
use meshcloak::map::{Position, StreetMap};
use meshcloak::query::{QueryId, UserId};
use meshcloak::region::Region;
use meshcloak::units::{Length, Speed, Time};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// What an attacker sees.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The map, prepared.
    pub atlas: &'a Arc<Atlas>,
    /// How the algorithm makes regions.
    pub rule: Rule,
    /// Whom it is after.
    pub target: Target,
    /// Every disclosure that concerns the target, in order of time: she can be followed.
    pub disclosures: &'a [Shown],
    /// Which of them is attacked.
    pub attacked: usize,
    /// L2: where she was when she asked before, published or not.
    pub previous: Option<Sighting>,
    /// L3: everyone who waited when the attacked disclosure was made.
    pub crowd: Option<&'a Crowd<'a>>,
    /// L3: for each disclosure up to the attacked one, whom it can have been made for.
    pub named: &'a [Vec<UserId>],
    /// How popular streets are with others.
    pub prior: Option<&'a Prior>,
}

impl View<'_> {
    /// The disclosure that is attacked.
    pub fn shown(&self) -> &Shown {
        &self.disclosures[self.attacked]
    }
}

/// What is known of the target, whatever the level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Her distance constraint.
    pub dc: Length,
    /// Her top speed.
    pub speed: Option<Speed>,
}

/// A disclosure that concerns the target.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// When she asked.
    pub asked_at: Time,
    /// When it was disclosed.
    pub at: Time,
    /// What the service was asked about.
    pub region: Arc<Region<'static>>,
    /// Its pieces, once somebody has asked for them.
    pieces: OnceLock<Posterior>,
}

impl Shown {
    /// What was disclosed at a time about a question asked at another.
    pub fn new(asked_at: Time, at: Time, region: Arc<Region<'static>>) -> Shown {
        Shown { asked_at, at, region, pieces: OnceLock::new() }
    }

    /// Everything inside the region, every metre as likely as another.
    pub fn everywhere(&self, map: &StreetMap) -> &Posterior {
        self.pieces.get_or_init(|| pieces::everywhere(map, &self.region))
    }
}

/// Where and when the target was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// When.
    pub at: Time,
    /// Where.
    pub position: Position,
}

pub use meshcloak::scheme::RegionDependence as Rule;

/// How often others were on each street.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prior {
    /// By street; how likely somebody is to be on a metre of it, up to a factor.
    pub per_metre: Vec<f64>,
}

/// Somebody of the batch, as who knows every position, k and dc sees her.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Somebody {
    /// Which query: their order is that of arrival.
    pub id: QueryId,
    /// Who.
    pub user: UserId,
    /// Where.
    pub position: Position,
    /// Among how many she wants to be.
    pub k: u32,
    /// Her distance constraint.
    pub dc: Length,
    /// When she asked.
    pub asked_at: Time,
    /// How long she waits.
    pub patience: Duration,
    /// Her top speed.
    pub speed: Option<Speed>,
}

/// The public algorithm, which anybody can run.
pub trait Rerun: Sync {
    /// What it publishes when these people wait, in order of arrival; `None` if it cannot be run.
    fn rerun(&self, people: &[Somebody]) -> Option<Answer>;
}

/// What the algorithm publishes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The regions.
    pub regions: Vec<Region<'static>>,
    /// For each of the people the region that is published for her, if any is.
    pub region_of: Vec<Option<u32>>,
    /// For each region who is in its set, by place.
    pub sets: Vec<Vec<u32>>,
}

/// Everyone who waited, and the algorithm.
pub struct Crowd<'a> {
    /// In order of arrival.
    pub people: &'a [Somebody],
    algorithm: &'a dyn Rerun,
    answer: OnceLock<Option<Indexed>>,
}

/// An answer whose regions can be looked up.
struct Indexed {
    answer: Answer,
    /// Regions in their own order.
    order: Vec<u32>,
    /// By region, who publishes it, by place.
    publish: Vec<Vec<u32>>,
}

impl<'a> Crowd<'a> {
    /// These people.
    pub fn new(people: &'a [Somebody], algorithm: &'a dyn Rerun) -> Crowd<'a> {
        Crowd { people, algorithm, answer: OnceLock::new() }
    }

    /// The algorithm.
    pub fn algorithm(&self) -> &'a dyn Rerun {
        self.algorithm
    }

    fn indexed(&self) -> Option<&Indexed> {
        let index = |answer: Answer| {
            let mut order: Vec<u32> = (0..answer.regions.len() as u32).collect();
            let region = |number: &u32| &answer.regions[*number as usize];
            order.sort_by(|a, b| region(a).total_cmp(region(b)));
            let mut publish = vec![Vec::new(); answer.regions.len()];
            for (place, hers) in answer.region_of.iter().enumerate() {
                if let Some(hers) = hers {
                    publish[*hers as usize].push(place as u32);
                }
            }
            Indexed { answer, order, publish }
        };
        self.answer.get_or_init(|| self.algorithm.rerun(self.people).map(index)).as_ref()
    }

    /// Whom the algorithm, run again, gives exactly this region, by place; once it has been run for
    /// a crowd, it is known for all regions.
    pub fn who_publishes(&self, region: &Region<'_>) -> Vec<u32> {
        let Some(Indexed { answer, order, publish }) = self.indexed() else { return Vec::new() };
        let of = |number: &u32| &answer.regions[*number as usize];
        let start = order.partition_point(|number| of(number).total_cmp(region).is_lt());
        let same = order[start..].iter().take_while(|number| of(number).total_cmp(region).is_eq());
        let exact = same.filter(|number| of(number) == region);
        exact.flat_map(|number| publish[*number as usize].iter().copied()).collect()
    }
}
