//! The crowd on its map, second by second.
//!
//! People are moved in parallel, each by their own generator and by street speeds that stand
//! still for a second, so the number of threads changes nothing. Nothing is kept of the past.

use crate::avoided::Avoided;
use crate::congestion::Streets;
use crate::leg::{Direction, Leg};
use crate::movement::Tools;
use crate::person::{Person, State};
use crate::popularity::Popularity;
use crate::profile::Profile;
use crate::routes::Routes;
use crate::tape::{Batch, Query};
use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::query::QueryId;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// What a simulation is asked for, besides its profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How many people.
    pub users: u32,
    /// Smallest and largest `k`, drawn uniformly for each query.
    pub k: (u32, u32),
    /// How long everyone waits, in milliseconds.
    pub temporal_tolerance: u32,
    /// What chance begins with.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { users: 10_000, k: (2, 5), temporal_tolerance: 3000, seed: 1 }
    }
}

/// What has happened so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Queries asked.
    pub queries: u64,
    /// Micrometres travelled by everyone.
    pub travelled: u64,
    /// How often someone changed to a faster route.
    pub changes_of_route: u64,
}

/// Everything a person sees while living through a second.
pub(crate) struct World<'a> {
    pub map: &'a StreetMap,
    pub profile: &'a Profile,
    pub settings: Settings,
    pub popularity: Popularity,
    /// By class.
    pub avoided: Vec<Avoided>,
    pub streets: Streets,
    pub tables: Vec<Routes>,
    /// Milliseconds at which everything ends.
    pub end: u64,
    changes_of_route: AtomicU64,
}

/// People living on a map.
pub struct Simulation<'a> {
    world: World<'a>,
    people: Vec<Person>,
    tools: Mutex<Vec<Tools>>,
    next_second: u32,
    totals: Totals,
}

/// People are moved in chunks of this many.
const CHUNK: usize = 2048;

impl<'a> Simulation<'a> {
    /// The crowd that profile and settings describe, before its first second.
    pub fn new(map: &'a StreetMap, profile: &'a Profile, settings: Settings) -> Simulation<'a> {
        let streets = Streets::new(map, profile);
        let mut people: Vec<Person> = (0..settings.users)
            .into_par_iter()
            .map(|number| Person::new(profile, settings.seed, number))
            .collect();
        let classes = profile.class_table.iter();
        let avoided: Vec<Avoided> = classes.map(|class| class.avoided.on(map)).collect();
        let habits = all_habits(profile, &avoided);
        people.par_iter_mut().for_each(|person| {
            let own = habits_of(profile, person.speed, avoided[usize::from(person.class)]);
            person.routes = habits.binary_search(&own).unwrap_or(0) as u16;
        });
        let tables = habits
            .par_iter()
            .map(|&(own, avoided)| Routes::avoiding(map, own, &streets.paces, avoided))
            .collect();
        let world = World {
            map,
            profile,
            settings,
            popularity: Popularity::new(map, profile.places),
            avoided,
            streets,
            tables,
            end: profile.duration.unwrap_or(u64::MAX),
            changes_of_route: AtomicU64::new(0),
        };
        let tools = Mutex::new(Vec::new());
        Simulation { world, people, tools, next_second: 0, totals: Totals::default() }
    }

    /// Everything that is asked, second by second, as the engine takes it; ids count from 1.
    pub fn tape(mut self) -> Vec<Vec<meshcloak::query::Query>> {
        let mut ids = (1..).map(QueryId);
        let seconds = std::iter::from_fn(|| self.step());
        let asked = |batch: Batch| {
            let queries = batch.queries.iter().zip(&mut ids);
            queries.map(|(query, id)| query.as_query(id)).collect()
        };
        seconds.map(asked).collect()
    }

    /// Lets a second pass, from 0 on; `None` when everyone is gone or time is up.
    pub fn step(&mut self) -> Option<Batch> {
        let second = self.next_second;
        let end = u64::from(second) * 1000;
        let over = end >= self.world.end.saturating_add(1000);
        if over || self.people.iter().all(|person| person.state == State::Gone) {
            return None;
        }
        self.world.streets.update();
        self.refresh_routes(second);
        let (world, tools) = (&self.world, &self.tools);
        let mut lived: Vec<Lived> = self
            .people
            .par_chunks_mut(CHUNK)
            .map(|people| live(world, people, end, tools))
            .collect();
        self.next_second += 1;
        self.totals.travelled += lived.iter().map(|chunk| chunk.moved).sum::<u64>();
        let asked: Vec<Vec<Query>> =
            lived.iter_mut().map(|chunk| std::mem::take(&mut chunk.asked)).collect();
        let mut batch = Batch::of(second, &asked);
        batch.present = lived.iter().map(|chunk| chunk.present).sum();
        batch.standing = lived.iter().map(|chunk| chunk.standing).sum();
        self.totals.queries += batch.queries.len() as u64;
        self.totals.changes_of_route = self.world.changes_of_route.load(Ordering::Relaxed);
        Some(batch)
    }

    /// Routes take note of crowded streets as often as people look.
    fn refresh_routes(&mut self, second: u32) {
        let Some(reroute) = self.world.profile.reroute else { return };
        if second > 0 && second.is_multiple_of(reroute.every) {
            let (map, paces) = (self.world.map, &self.world.streets.paces);
            self.world.tables.par_iter_mut().for_each(|routes| routes.refresh(map, paces));
        }
    }

    /// Everyone who is there at the end of the last second: number, place, whether it moves.
    pub fn people(&self) -> impl Iterator<Item = (u32, Position, bool)> {
        self.people.iter().filter(|person| person.is_there()).map(|person| {
            (person.number, person.position(&self.world), person.state == State::Moving)
        })
    }

    /// How often a street was entered so far, either way.
    pub fn uses(&self, street: StreetId) -> u64 {
        let both = [Direction::Forward, Direction::Backward].map(|way| Leg::new(street, way));
        both.iter().map(|&leg| u64::from(self.world.streets.entered(leg))).sum()
    }

    /// What has happened so far.
    pub fn totals(&self) -> Totals {
        self.totals
    }
}

impl World<'_> {
    pub(crate) fn count_change_of_route(&self) {
        self.changes_of_route.fetch_add(1, Ordering::Relaxed);
    }
}

/// What happened to a chunk of people within a second.
#[derive(Default)]
struct Lived {
    asked: Vec<Query>,
    moved: u64,
    present: u32,
    standing: u32,
}

fn live(world: &World, people: &mut [Person], end: u64, pool: &Mutex<Vec<Tools>>) -> Lived {
    let lock = || pool.lock().unwrap_or_else(PoisonError::into_inner);
    let taken = lock().pop();
    let mut tools = taken.unwrap_or_else(|| Tools::new(world.tables[0].planner()));
    let mut lived = Lived::default();
    for person in people {
        lived.moved += person.live(world, end, &mut tools, &mut lived.asked);
        lived.present += u32::from(person.is_there());
        lived.standing += u32::from(person.state == State::Standing);
    }
    lock().push(tools);
    lived
}

/// What routes depend on: an own speed, if streets ever slow it (otherwise the fastest way is the
/// shortest), and streets that are avoided.
type Habits = (Option<u32>, Avoided);

fn habits_of(profile: &Profile, speed: u32, avoided: Avoided) -> Habits {
    let slowest = profile.limits.map_or(u32::MAX, |limits| limits.into_iter().min().unwrap_or(0));
    (Some(speed).filter(|&speed| speed > slowest), avoided)
}

/// All that occur, in order.
fn all_habits(profile: &Profile, avoided: &[Avoided]) -> Vec<Habits> {
    let classes = profile.class_table.iter().zip(avoided);
    let mut habits: Vec<Habits> = classes
        .flat_map(|(class, &avoided)| {
            class.speeds.values().iter().map(move |&speed| habits_of(profile, speed, avoided))
        })
        .collect();
    habits.sort_unstable();
    habits.dedup();
    habits
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::Town;

    /// Lets people live for a while and checks each of them every second.
    fn check_everyone(map: &StreetMap, settings: Settings, steps: usize) {
        for name in Profile::NAMES {
            let profile = Profile::named(name).unwrap();
            let mut simulation = Simulation::new(map, &profile, settings);
            let told = format!("seed {} {name}", settings.seed);
            for _ in 0..steps {
                if simulation.step().is_none() {
                    break;
                }
                for person in simulation.people.iter().filter(|person| person.is_there()) {
                    let position = person.position(&simulation.world);
                    assert!(position.offset <= map.street(position.street).length, "{told}");
                    let moves = person.state == State::Moving;
                    assert!(!moves || person.leg.is_allowed(map), "{told}");
                }
            }
        }
    }

    #[test]
    fn everyone_is_on_a_street_and_nobody_goes_against_a_one_way_street() {
        for seed in 0..150 {
            let settings = Settings { users: 12, seed, ..Settings::default() };
            check_everyone(&Town::random(seed).map, settings, 300);
        }
    }

    #[test]
    fn that_holds_in_built_in_cities_too() {
        for (seed, streets) in [(1, 500), (2, 2000)] {
            let source = import::MapSource::City(import::CityPlan::new(seed, streets).unwrap());
            let city = import::read_map(&source, &import::Options::default(), &()).unwrap();
            let settings = Settings { users: 300, seed, ..Settings::default() };
            check_everyone(&city.map, settings, 900);
        }
    }

    #[test]
    fn a_person_is_small() {
        assert!(size_of::<Person>() <= 112, "{}", size_of::<Person>());
    }
}
