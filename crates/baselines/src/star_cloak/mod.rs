//! StarCloak (Yigitoglu, Gursoy, Liu 2019): successor of XSTAR with bounds on utility. A region of
//! stars holds at least k users and l segments and stays within a distance of the asker's star.
//!
//! Stars are drawn at random: with a probability that grows with the users they add and falls with
//! the segments they add, which are the service's cost. Then stars that are not needed are removed in
//! random order, so that neither growth nor result can be replayed.
//!
//! The first star is drawn per query, the rest per first star and batch: queries with the same first
//! star and k publish the same set.

mod star_region;
#[cfg(test)]
mod tests;

use crate::distinct_users::DistinctUsers;
use crate::registry::{Parameter, SchemeEntry, ThreatModel};
use crate::scheme_random::SchemeRandom;
use crate::segment_users::SegmentUsers;
use crate::stars::Stars;
use meshcloak::distance::Atlas;
use meshcloak::query::Query;
use meshcloak::scheme::{
    Description, Observer, Pace, Published, RegionDependence, Scheme, Stage, State, Stats,
};
use meshcloak::units::{Point, Time};
use star_region::{StarGoal, StarRegion};

/// Settings of StarCloak.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StarCloakSettings {
    /// l: minimum number of segments of a region.
    pub segments: u32,
    /// Largest distance in metres of a star from the first one.
    pub reach: f64,
    /// Random seed.
    pub seed: u64,
}

/// Row in the table of schemes.
pub(crate) const ENTRY: SchemeEntry = SchemeEntry {
    name: "star-cloak",
    parameters: &[
        Parameter::whole("segments", "l, smallest number of segments", "3", (1, 1_000_000)),
        Parameter::number("reach", "largest distance from the first star in m", "2000", (1.0, 1e6)),
        Parameter::seed(),
    ],
    threat_model: ThreatModel::REPLAY,
    build: |atlas, arguments| {
        let settings = StarCloakSettings {
            segments: arguments.whole("segments") as u32,
            reach: arguments.number("reach"),
            seed: arguments.whole("seed"),
        };
        Ok(Box::new(StarCloak::new(atlas, settings)))
    },
};

/// The scheme and its buffers.
#[derive(Debug)]
pub struct StarCloak {
    settings: StarCloakSettings,
    stars: Stars,
    /// By star: a point of it.
    centres: Vec<Point>,
    users: DistinctUsers,
    segment_users: SegmentUsers,
    region: StarRegion,
    published: Published,
}

/// First star of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Start {
    star: u32,
    k: u32,
    waiting_index: u32,
}

impl StarCloak {
    /// Creates the scheme for a map.
    pub fn new(atlas: &Atlas, settings: StarCloakSettings) -> StarCloak {
        let stars = Stars::new(atlas.map());
        StarCloak {
            settings,
            centres: stars.centres(atlas.map()),
            stars,
            users: DistinctUsers::default(),
            segment_users: SegmentUsers::default(),
            region: StarRegion::default(),
            published: Published::default(),
        }
    }

    /// Draws the first star of each query among the stars at the ends of its segment.
    fn starts(&self, waiting: &[Query]) -> Vec<Start> {
        let start = |&index: &u32| {
            let query = &waiting[index as usize];
            let segment = self.stars.segment_of(query.position.street);
            let ends: Vec<u32> = self.stars.ends(segment).collect();
            let mut random = SchemeRandom::new(self.settings.seed, &[query.id.0]);
            let star = ends[random.below(ends.len() as u32) as usize];
            Start { star, k: query.k, waiting_index: index }
        };
        let mut starts: Vec<Start> = self.segment_users.all().iter().map(start).collect();
        starts.sort_unstable();
        starts
    }

    /// Grows and prunes the region of queries with one first star and k; returns their set.
    fn publish(&mut self, waiting: &[Query], now: Time, start: Start) -> Option<u32> {
        let StarCloak { settings, stars, centres, segment_users, region, published, .. } = self;
        let key = [now.as_millis(), start.star.into(), start.k.into()];
        let mut random = SchemeRandom::new(settings.seed, &key);
        let centre = centres[start.star as usize];
        let is_near = |star: u32| centres[star as usize].distance(centre) <= settings.reach;
        let goal = StarGoal { users: start.k, segments: settings.segments };
        region.start(stars, segment_users, is_near, start.star);
        while !region.meets(goal) {
            if !region.grow(stars, segment_users, is_near, &mut random) {
                return None;
            }
        }
        region.prune(stars, segment_users, goal, &mut random);
        let segments = region.segments();
        let inside = segments.iter().flat_map(|&segment| segment_users.on(segment));
        let ids = inside.map(|&index| waiting[index as usize].id);
        Some(published.add_mesh(ids, |mesh| stars.append_streets(segments, mesh)))
    }
}

impl Scheme for StarCloak {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn describe(&self) -> Description {
        Description {
            label: "StarCloak",
            summary: "Stars of segments, chosen by utility and pruned.",
            setting: "map",
            cliques: "stars drawn by utility until k users",
            constraint: "l segments, distance from the first star",
            pace: Pace::Batch,
            regions: RegionDependence::Fixed,
        }
    }

    fn cloak(&mut self, state: &State, now: Time, observer: &mut dyn Observer) -> &mut Published {
        let waiting = &state.waiting;
        observer.stage(Stage::Graph);
        self.segment_users.fill(&self.stars, waiting, self.users.select(waiting));
        observer.stage(Stage::Cliques);
        self.published.clear();
        let mut served: Vec<(u32, u32)> = Vec::new();
        for same in self.starts(waiting).chunk_by(|a, b| (a.star, a.k) == (b.star, b.k)) {
            let set = self.publish(waiting, now, same[0]);
            served.extend(
                set.into_iter()
                    .flat_map(|set| same.iter().map(move |start| (start.waiting_index, set))),
            );
        }
        served.sort_unstable();
        served.into_iter().for_each(|(index, set)| self.published.serve(index, set));
        let (nodes, cliques) = (self.segment_users.all().len(), self.published.set_count());
        self.published.stats = Stats { nodes, cliques, ..Stats::default() };
        &mut self.published
    }
}
