//! XSTAR (Wang & Liu 2009) with the profile (k, l): at least k users on at least l segments.
//!
//! A region starts with a star at an end of the user's segment and adds adjacent stars until both
//! limits are met. Stars are drawn at random, so that an adversary cannot replay the algorithm; the
//! probability of a star is inversely proportional to the segments it adds, its cost to the service.
//!
//! The first star is drawn per query, the others per first star and batch: queries with the same
//! first star share the growth and publish the same set if they stop at the same size.

mod region_growth;
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
use meshcloak::units::Time;
use region_growth::RegionGrowth;

/// Settings of XSTAR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct XStarSettings {
    /// l: minimum number of segments of a region.
    pub segments: u32,
    /// Random seed.
    pub seed: u64,
}

/// Three segments, the size of the smallest star, so that k decides as in the other schemes.
impl Default for XStarSettings {
    fn default() -> XStarSettings {
        XStarSettings { segments: 3, seed: 1 }
    }
}

/// Row in the table of schemes.
pub(crate) const ENTRY: SchemeEntry = SchemeEntry {
    name: "xstar",
    parameters: &[
        Parameter::whole("segments", "l, smallest number of segments", "3", (1, 1_000_000)),
        Parameter::seed(),
    ],
    threat_model: ThreatModel::REPLAY,
    build: |atlas, arguments| {
        let segments = arguments.whole("segments") as u32;
        let settings = XStarSettings { segments, seed: arguments.whole("seed") };
        Ok(Box::new(XStar::new(atlas, settings)))
    },
};

/// The scheme and its buffers.
#[derive(Debug)]
pub struct XStar {
    settings: XStarSettings,
    stars: Stars,
    users: DistinctUsers,
    segment_users: SegmentUsers,
    growth: RegionGrowth,
    /// Start of each servable query, sorted.
    starts: Vec<Start>,
    /// By waiting index: set.
    set_of: Vec<u32>,
    published: Published,
}

/// First star of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Start {
    star: u32,
    k: u32,
    waiting_index: u32,
}

const NONE: u32 = u32::MAX;

impl XStar {
    /// Creates the scheme for a map.
    pub fn new(atlas: &Atlas, settings: XStarSettings) -> XStar {
        let stars = Stars::new(atlas.map());
        XStar {
            settings,
            growth: RegionGrowth::default(),
            stars,
            users: DistinctUsers::default(),
            segment_users: SegmentUsers::default(),
            starts: Vec::new(),
            set_of: Vec::new(),
            published: Published::default(),
        }
    }
}

impl Scheme for XStar {
    fn name(&self) -> &'static str {
        "xstar"
    }

    fn describe(&self) -> Description {
        Description {
            label: "XSTAR",
            summary: "Stars of street segments, merged.",
            setting: "map",
            cliques: "stars merged at random until k users",
            constraint: "l segments",
            pace: Pace::Batch,
            regions: RegionDependence::Fixed,
        }
    }

    fn cloak(&mut self, state: &State, now: Time, observer: &mut dyn Observer) -> &mut Published {
        let waiting = &state.waiting;
        observer.stage(Stage::Graph);
        self.segment_users.fill(&self.stars, waiting, self.users.select(waiting));
        self.choose_starts(waiting);
        observer.stage(Stage::Cliques);
        self.published.clear();
        self.set_of.clear();
        self.set_of.resize(waiting.len(), NONE);
        let starts = std::mem::take(&mut self.starts);
        for same_star in starts.chunk_by(|a, b| a.star == b.star) {
            self.grow(waiting, now, same_star);
        }
        let nodes = self.segment_users.all().len();
        self.starts = starts;
        let XStar { set_of, published, .. } = self;
        for (index, &set) in set_of.iter().enumerate().filter(|&(_, &set)| set != NONE) {
            published.serve(index as u32, set);
        }
        published.stats = Stats { nodes, cliques: published.set_count(), ..Stats::default() };
        published
    }
}

impl XStar {
    /// Draws the first star of each servable query. A query is servable if the component of its
    /// segment, the largest possible region, meets both limits.
    fn choose_starts(&mut self, waiting: &[Query]) {
        let XStar { settings, stars, segment_users, growth, starts, .. } = self;
        starts.clear();
        for &index in segment_users.all() {
            let query = &waiting[index as usize];
            let segment = stars.segment_of(query.position.street);
            let part = stars.part_of(segment) as usize;
            if segment_users.in_part(part) < query.k || stars.part_sizes()[part] < settings.segments
            {
                continue;
            }
            let mut random = SchemeRandom::new(settings.seed, &[query.id.0]);
            let star = growth.first(stars, stars.ends(segment), &mut random);
            starts.extend(star.map(|star| Start { star, k: query.k, waiting_index: index }));
        }
        starts.sort_unstable();
    }

    /// Grows a region from a star and publishes it for each query that starts there, in order of k,
    /// as soon as it is large enough.
    fn grow(&mut self, waiting: &[Query], now: Time, starts: &[Start]) {
        let XStar { settings, stars, segment_users, growth, set_of, published, .. } = self;
        let Some(&Start { star, .. }) = starts.first() else { return };
        let mut random = SchemeRandom::new(settings.seed, &[now.as_millis(), star.into()]);
        growth.start(stars, segment_users, star);
        let mut set = NONE;
        for &Start { k, waiting_index, .. } in starts {
            while growth.user_count() < k || growth.region().len() < settings.segments as usize {
                if !growth.step(stars, segment_users, &mut random) {
                    return;
                }
                set = NONE;
            }
            if set == NONE {
                let inside = growth.region().iter().flat_map(|&segment| segment_users.on(segment));
                let members = inside.map(|&index| waiting[index as usize].id);
                let mesh = |mesh: &mut _| stars.append_streets(growth.region(), mesh);
                set = published.add_mesh(members, mesh);
            }
            set_of[waiting_index as usize] = set;
        }
    }
}
