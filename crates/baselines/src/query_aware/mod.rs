//! Query-aware location anonymisation (Chow, Mokbel, Bao, Liu 2011): connected segments with at least
//! K users and L metres, chosen by a cost that balances the work of the service against the size of
//! its answer.
//!
//! The work is the number of open junctions, from which the service expands; the size is the number
//! of objects on the segments (points of interest, or hundreds of metres on a map without them). The
//! greedy algorithm adds the segment with the least cost for its gain; the randomised one draws among
//! the best, so that a replay does not find the asker.

mod cost;
#[cfg(test)]
pub(crate) mod tests;

use crate::distinct_users::DistinctUsers;
use crate::registry::{KRule, Parameter, SchemeEntry, ThreatModel};
use crate::scheme_random::SchemeRandom;
use crate::segment_region::{SegmentPlan, SegmentRegion};
use crate::segment_users::SegmentUsers;
use crate::stars::Stars;
use cost::{Goal, SegmentCosts};
use meshcloak::distance::Atlas;
use meshcloak::query::Query;
use meshcloak::scheme::{
    Description, Observer, Pace, Published, RegionDependence, Scheme, Stage, State, Stats,
};
use meshcloak::units::{Length, Time};

/// Settings of query-aware anonymisation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueryAwareSettings {
    /// L: minimum street length of a region in metres.
    pub length: f64,
    /// Weight of the service's work in the cost, 0 to 1; the rest weighs the size of the answer.
    pub balance: f64,
    /// Whether segments are drawn among the best.
    pub randomised: bool,
    /// Whether all unserved users inside a region share it.
    pub shared: bool,
    /// Random seed.
    pub seed: u64,
}

/// Row in the table of schemes.
pub(crate) const ENTRY: SchemeEntry = SchemeEntry {
    name: "query-aware",
    parameters: &[
        Parameter::number("length", "L, smallest street length in m", "300", (0.0, 1e6)),
        Parameter::number("balance", "weight of work against answer size", "0.5", (0.0, 1.0)),
        Parameter::word("greedy", "choice of segments", &["pure", "randomised"]),
        Parameter::word("shared", "whether users inside share a region", &["yes", "no"]),
        Parameter::seed(),
    ],
    threat_model: ThreatModel { k: KRule::Personal, ..ThreatModel::REPLAY },
    build: |atlas, arguments| {
        let settings = QueryAwareSettings {
            length: arguments.number("length"),
            balance: arguments.number("balance"),
            randomised: arguments.text("greedy") == "randomised",
            shared: arguments.text("shared") == "yes",
            seed: arguments.whole("seed"),
        };
        Ok(Box::new(QueryAware::new(atlas, settings)))
    },
};

/// The scheme and its buffers.
#[derive(Debug)]
pub struct QueryAware {
    settings: QueryAwareSettings,
    stars: Stars,
    lengths: Vec<u64>,
    costs: SegmentCosts,
    users: DistinctUsers,
    segment_users: SegmentUsers,
    region: SegmentRegion,
    published: Published,
}

impl QueryAware {
    /// Creates the scheme for a map.
    pub fn new(atlas: &Atlas, settings: QueryAwareSettings) -> QueryAware {
        let stars = Stars::new(atlas.map());
        let lengths = stars.lengths(atlas.map());
        QueryAware {
            settings,
            costs: SegmentCosts::new(atlas.map(), &stars, &lengths, settings.balance),
            lengths,
            stars,
            users: DistinctUsers::default(),
            segment_users: SegmentUsers::default(),
            region: SegmentRegion::default(),
            published: Published::default(),
        }
    }

    /// Grows the region of a query; `false` if its component of the map does not suffice.
    fn grow(&mut self, waiting: &[Query], now: Time, query: &Query) -> bool {
        let QueryAware { settings, stars, lengths, costs, segment_users, region, .. } = self;
        let plan = SegmentPlan { stars, lengths, users: segment_users, waiting };
        let segment = stars.segment_of(query.position.street);
        let goal =
            Goal { users: query.k, length: u64::from(Length::metres(settings.length).units()) };
        if segment_users.in_part(stars.part_of(segment) as usize) < query.k {
            return false;
        }
        let mut random = SchemeRandom::new(settings.seed, &[now.as_millis(), u64::from(segment)]);
        region.start(plan, segment, |_| true);
        while !goal.is_met(region) {
            let rank = if settings.randomised { geometric(&mut random) } else { 0 };
            let Some(next) = costs.choose(plan, region, goal, rank) else { return false };
            region.take(plan, next, |_| true);
        }
        true
    }
}

/// Draws 0 with probability 1/2, 1 with 1/4, and so on, at most 7.
fn geometric(random: &mut SchemeRandom) -> usize {
    (0..7).find(|_| random.below(2) == 0).unwrap_or(7)
}

impl Scheme for QueryAware {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn describe(&self) -> Description {
        Description {
            label: "Query-aware",
            summary: "Connected segments that are cheap to query.",
            setting: "map",
            cliques: "segments added by cost until k users",
            constraint: "L metres",
            pace: Pace::Batch,
            regions: RegionDependence::Fixed,
        }
    }

    fn cloak(&mut self, state: &State, now: Time, observer: &mut dyn Observer) -> &mut Published {
        let waiting = &state.waiting;
        observer.stage(Stage::Graph);
        let indices = self.users.select(waiting).to_vec();
        self.segment_users.fill(&self.stars, waiting, &indices);
        observer.stage(Stage::Cliques);
        self.published.clear();
        let mut set_of: Vec<Option<u32>> = vec![None; waiting.len()];
        for &index in &indices {
            if set_of[index as usize].is_some()
                || !self.grow(waiting, now, &waiting[index as usize])
            {
                continue;
            }
            let QueryAware { settings, stars, segment_users, region, published, .. } = self;
            let ids = region.members(segment_users).map(|index| waiting[index as usize].id);
            let streets = |mesh: &mut _| stars.append_streets(region.segments(), mesh);
            let set = published.add_mesh(ids, streets);
            set_of[index as usize] = Some(set);
            if settings.shared {
                for other in region.members(segment_users) {
                    let is_met = waiting[other as usize].k <= region.users();
                    set_of[other as usize] =
                        set_of[other as usize].or_else(|| is_met.then_some(set));
                }
            }
        }
        for (index, set) in set_of.into_iter().enumerate() {
            set.into_iter().for_each(|set| self.published.serve(index as u32, set));
        }
        let (nodes, cliques) = (indices.len(), self.published.set_count());
        self.published.stats = Stats { nodes, cliques, ..Stats::default() };
        &mut self.published
    }
}
