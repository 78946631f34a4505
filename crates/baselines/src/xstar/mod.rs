//! XSTAR (Wang & Liu 2009) with the profile (k, l): at least k people on at least l segments.
//!
//! A region begins with a star at an end of the user's segment and takes in neighbouring stars,
//! one by one, until both are met. Which one is left to chance, so that nobody can run the
//! algorithm again and see who it was; a star is the less likely the more it costs the service,
//! that is, the more segments it adds.
//!
//! The first star is drawn for each query, the others for each first star and batch: who begins
//! at the same star shares its growth, and publishes the same set if it stops at the same size.

mod growth;
mod stars;
#[cfg(test)]
mod tests;

use crate::chance::Chance;
use crate::crowd::Crowd;
use growth::Growth;
use meshcloak::distance::Atlas;
use meshcloak::map::StreetId;
use meshcloak::query::Query;
use meshcloak::scheme::{
    Description, Observer, Pace, Published, RegionDependence, Scheme, Stage, State, Stats,
};
use meshcloak::units::Time;
use stars::Stars;

/// What can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// l: on how many segments she wants to be hidden.
    pub segments: u32,
    /// What the choices for each query are drawn from.
    pub seed: u64,
}

/// Three segments, as many as the smallest star has: k decides, as with the other schemes.
impl Default for Settings {
    fn default() -> Settings {
        Settings { segments: 3, seed: 1 }
    }
}

/// The scheme, with the room it needs from batch to batch.
#[derive(Debug)]
pub struct XStar {
    settings: Settings,
    stars: Stars,
    crowd: Crowd,
    people: People,
    growth: Growth,
    /// First star, k and place in the waiting list of everyone.
    starts: Vec<(u32, u32, u32)>,
    /// By place: her set.
    set_of: Vec<u32>,
    published: Published,
}

const NONE: u32 = u32::MAX;

/// The people of a batch by segment.
#[derive(Clone, Debug, Default)]
struct People {
    /// Where the run of each segment begins in `places`; one more than there are segments.
    starts: Vec<u32>,
    places: Vec<u32>,
    /// How many people are on each part of the map.
    parts: Vec<u32>,
}

impl People {
    fn fill(&mut self, stars: &Stars, waiting: &[Query], places: &[u32]) {
        let segment = |place: u32| stars.segment_of(waiting[place as usize].position.street);
        self.starts.clear();
        self.starts.resize(stars.segment_count() + 2, 0);
        self.parts.clear();
        self.parts.resize(stars.part_sizes().len(), 0);
        for &place in places {
            self.starts[segment(place) as usize + 2] += 1;
            self.parts[stars.part_of(segment(place)) as usize] += 1;
        }
        for index in 2..self.starts.len() {
            self.starts[index] += self.starts[index - 1];
        }
        self.places.clear();
        self.places.resize(places.len(), 0);
        for &place in places {
            let slot = &mut self.starts[segment(place) as usize + 1];
            self.places[*slot as usize] = place;
            *slot += 1;
        }
    }

    /// Those on a segment, as places in the waiting list.
    fn on(&self, segment: u32) -> &[u32] {
        let start = self.starts[segment as usize] as usize;
        &self.places[start..self.starts[segment as usize + 1] as usize]
    }
}

impl XStar {
    /// The scheme on a map.
    pub fn new(atlas: &Atlas, settings: Settings) -> XStar {
        let stars = Stars::of(atlas.map());
        XStar {
            settings,
            growth: Growth::of(&stars),
            stars,
            crowd: Crowd::default(),
            people: People::default(),
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
            setting: "map",
            cliques: "stars merged by chance until k people",
            constraint: "l segments",
            pace: Pace::Batch,
            regions: RegionDependence::Fixed,
        }
    }

    fn cloak(&mut self, state: &State, now: Time, watch: &mut dyn Observer) -> &mut Published {
        let waiting = &state.waiting;
        watch.stage(Stage::Graph);
        self.people.fill(&self.stars, waiting, self.crowd.gather(waiting));
        self.choose_starts(waiting);
        watch.stage(Stage::Cliques);
        self.published.clear();
        self.set_of.clear();
        self.set_of.resize(waiting.len(), NONE);
        let starts = std::mem::take(&mut self.starts);
        for from_one_star in starts.chunk_by(|a, b| a.0 == b.0) {
            self.grow(waiting, now, from_one_star);
        }
        let nodes = self.people.places.len();
        self.starts = starts;
        let XStar { set_of, published, .. } = self;
        for (place, &set) in set_of.iter().enumerate().filter(|&(_, &set)| set != NONE) {
            published.serve(place as u32, set);
        }
        published.stats = Stats { nodes, cliques: published.set_count(), ..Stats::default() };
        published
    }
}

impl XStar {
    /// Draws a first star for everyone who can be served: of the part of the map that hangs
    /// together with her segment, there is no larger region. Sorted by star and k.
    fn choose_starts(&mut self, waiting: &[Query]) {
        let XStar { settings, stars, people, growth, starts, .. } = self;
        starts.clear();
        for &place in &people.places {
            let query = &waiting[place as usize];
            let segment = stars.segment_of(query.position.street);
            let part = stars.part_of(segment) as usize;
            if people.parts[part] < query.k || stars.part_sizes()[part] < settings.segments {
                continue;
            }
            let mut chance = Chance::of(settings.seed, &[query.id.0]);
            let star = growth.first(stars, stars.ends(segment), &mut chance);
            starts.extend(star.map(|star| (star, query.k, place)));
        }
        starts.sort_unstable();
    }

    /// Lets a region grow from a star and publishes it for each of those who begin there, in
    /// order of k, as soon as it is large enough.
    fn grow(&mut self, waiting: &[Query], now: Time, starts: &[(u32, u32, u32)]) {
        let XStar { settings, stars, people, growth, set_of, published, .. } = self;
        let Some(&(star, ..)) = starts.first() else { return };
        let mut chance = Chance::of(settings.seed, &[now.as_millis(), star.into()]);
        growth.start(stars, people, star);
        let mut set = NONE;
        for &(_, k, place) in starts {
            while growth.people() < k || growth.region().len() < settings.segments as usize {
                if !growth.step(stars, people, &mut chance) {
                    return;
                }
                set = NONE;
            }
            if set == NONE {
                let inside = growth.region().iter().flat_map(|&segment| people.on(segment));
                let members = inside.map(|&place| waiting[place as usize].id);
                let mesh = |mesh: &mut _| put_streets(stars, growth.region(), mesh);
                set = published.add_mesh(members, mesh);
            }
            set_of[place as usize] = set;
        }
    }
}

/// Appends the streets of segments, ascending.
fn put_streets(stars: &Stars, segments: &[u32], mesh: &mut Vec<StreetId>) {
    let start = mesh.len();
    segments.iter().for_each(|&segment| mesh.extend_from_slice(stars.streets(segment)));
    mesh[start..].sort_unstable();
}
