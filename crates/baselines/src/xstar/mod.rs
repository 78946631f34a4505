//! XSTAR (Wang & Liu 2009) with the profile (k, l): at least k people on at least l segments.
//!
//! A region begins with a star at an end of the user's segment and takes in neighbouring stars,
//! one by one, until both are met. Which one is left to chance, so that nobody can run the
//! algorithm again and see who it was; a star is the less likely the more it costs the service,
//! that is, the more segments it adds.

mod growth;
mod stars;
#[cfg(test)]
mod tests;

use crate::chance::Chance;
use crate::crowd::Crowd;
use growth::{Growth, Wish};
use meshcloak::distance::Atlas;
use meshcloak::map::StreetId;
use meshcloak::query::Query;
use meshcloak::scheme::{Description, Pace, Published, Scheme, Stage, State, Stats, Watch};
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
    published: Published,
}

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
        }
    }

    fn cloak(&mut self, state: &State, _: Time, watch: &mut dyn Watch) -> &Published {
        let XStar { settings, stars, crowd, people, growth, published } = self;
        let waiting = &state.waiting;
        watch.stage(Stage::Graph);
        let places = crowd.gather(waiting);
        people.fill(stars, waiting, places);
        watch.stage(Stage::Cliques);
        published.clear();
        for &place in places {
            let query = &waiting[place as usize];
            let start = stars.segment_of(query.position.street);
            let wish = Wish { people: query.k, segments: settings.segments };
            let mut chance = Chance::of(settings.seed, query.id);
            if let Some(region) = growth.grow(stars, people, (start, wish), &mut chance) {
                let inside = region.iter().flat_map(|&segment| people.on(segment));
                let members = inside.map(|&place| waiting[place as usize].id);
                let set = published.add_mesh(members, |mesh| put_streets(stars, region, mesh));
                published.serve(place, set);
            }
        }
        let (nodes, cliques) = (places.len(), published.set_count());
        published.stats = Stats { nodes, cliques, ..Stats::default() };
        published
    }
}

/// Appends the streets of segments, ascending.
fn put_streets(stars: &Stars, segments: &[u32], mesh: &mut Vec<StreetId>) {
    let start = mesh.len();
    segments.iter().for_each(|&segment| mesh.extend_from_slice(stars.streets(segment)));
    mesh[start..].sort_unstable();
}
