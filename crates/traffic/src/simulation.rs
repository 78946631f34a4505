//! Simulation of all agents on a map, second by second.
//!
//! Agents are moved in parallel. Each has its own generator and street speeds are constant within a
//! second, so results do not depend on the number of threads.

use crate::agent::{Agent, AgentState};
use crate::avoided_streets::AvoidedStreets;
use crate::congestion::StreetLoad;
use crate::leg::Leg;
use crate::movement::MoveScratch;
use crate::popularity::Popularity;
use crate::profile::Profile;
use crate::recorded_journeys::AgentWaypoint;
use crate::route_key::RouteKey;
use crate::routes::Routes;
use crate::simulated_query::{SimulatedBatch, SimulatedQuery};
use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::query::QueryId;
use parking_lot::Mutex;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Settings of a simulation besides its profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimulationSettings {
    /// Number of agents.
    pub users: u32,
    /// Smallest and largest `k`, drawn uniformly for each query.
    pub k: (u32, u32),
    /// dt of all queries in milliseconds.
    pub temporal_tolerance: u32,
    /// Random seed.
    pub seed: u64,
}

impl Default for SimulationSettings {
    fn default() -> SimulationSettings {
        SimulationSettings { users: 10_000, k: (2, 5), temporal_tolerance: 3000, seed: 1 }
    }
}

/// Totals since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Number of queries.
    pub queries: u64,
    /// Micrometres travelled by all agents.
    pub travelled: u64,
    /// Number of changes to a faster route.
    pub changes_of_route: u64,
}

/// Position of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentPosition {
    /// Number of the agent, from 0.
    pub agent: u32,
    /// Current position.
    pub position: Position,
    /// Whether the agent is moving.
    pub is_moving: bool,
}

/// Shared state during a second.
pub(crate) struct World<'a> {
    pub map: &'a StreetMap,
    pub profile: &'a Profile,
    pub settings: SimulationSettings,
    pub popularity: Popularity,
    /// By agent class.
    pub avoided: Vec<AvoidedStreets>,
    pub streets: StreetLoad,
    pub tables: Vec<Routes>,
    /// End of the simulation in milliseconds.
    pub end: u64,
    /// Whether waypoints are recorded.
    pub records_waypoints: bool,
    changes_of_route: AtomicU64,
}

/// Agents on a map.
pub struct Simulation<'a> {
    pub(crate) world: World<'a>,
    agents: Vec<Agent>,
    /// Waypoints since they were last taken; each agent's ascend in time.
    pub(crate) waypoints: Vec<AgentWaypoint>,
    scratch: Mutex<Vec<MoveScratch>>,
    next_second: u32,
    totals: Totals,
}

/// Agents per parallel task.
const CHUNK: usize = 2048;

impl<'a> Simulation<'a> {
    /// Draws the agents of profile and settings; no time has passed.
    pub fn new(
        map: &'a StreetMap,
        profile: &'a Profile,
        settings: SimulationSettings,
    ) -> Simulation<'a> {
        let streets = StreetLoad::new(map, profile);
        let mut agents: Vec<Agent> = (0..settings.users)
            .into_par_iter()
            .map(|number| Agent::new(profile, settings.seed, number))
            .collect();
        let classes = profile.class_table.iter();
        let avoided: Vec<AvoidedStreets> =
            classes.map(|class| class.avoided.restricted_to(map)).collect();
        let keys = RouteKey::all(profile, &avoided);
        agents.par_iter_mut().for_each(|agent| {
            let key = RouteKey::new(profile, agent.speed, avoided[usize::from(agent.class)]);
            agent.routes = keys.binary_search(&key).unwrap_or(0) as u16;
        });
        let tables = keys
            .par_iter()
            .map(|key| Routes::avoiding(map, key.speed, &streets.speeds, key.avoided))
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
            records_waypoints: false,
            changes_of_route: AtomicU64::new(0),
        };
        let scratch = Mutex::new(Vec::new());
        let waypoints = Vec::new();
        let totals = Totals::default();
        Simulation { world, agents, waypoints, scratch, next_second: 0, totals }
    }

    /// Runs to the end and returns the queries of each second, with ids from 1.
    pub fn record(mut self) -> Vec<Vec<meshcloak::query::Query>> {
        let mut ids = (1..).map(QueryId);
        let seconds = std::iter::from_fn(|| self.step());
        let convert = |batch: SimulatedBatch| {
            let queries = batch.queries.iter().zip(&mut ids);
            queries.map(|(query, id)| query.as_query(id)).collect()
        };
        seconds.map(convert).collect()
    }

    /// Simulates the next second, from 0; `None` when all agents have departed or time is up.
    pub fn step(&mut self) -> Option<SimulatedBatch> {
        let second = self.next_second;
        let end = u64::from(second) * 1000;
        let is_over = end >= self.world.end.saturating_add(1000);
        if is_over || self.agents.iter().all(|agent| agent.state == AgentState::Departed) {
            return None;
        }
        self.world.streets.update();
        self.refresh_routes(second);
        let (world, scratch) = (&self.world, &self.scratch);
        let mut chunks: Vec<ChunkResult> = self
            .agents
            .par_chunks_mut(CHUNK)
            .map(|agents| step_chunk(world, agents, end, scratch))
            .collect();
        self.next_second += 1;
        self.totals.travelled += chunks.iter().map(|chunk| chunk.moved).sum::<u64>();
        self.waypoints.extend(chunks.iter_mut().flat_map(|chunk| chunk.waypoints.drain(..)));
        let queries: Vec<Vec<SimulatedQuery>> =
            chunks.iter_mut().map(|chunk| std::mem::take(&mut chunk.queries)).collect();
        let mut batch = SimulatedBatch::merge(second, &queries);
        batch.present = chunks.iter().map(|chunk| chunk.present).sum();
        batch.standing = chunks.iter().map(|chunk| chunk.standing).sum();
        self.totals.queries += batch.queries.len() as u64;
        self.totals.changes_of_route = self.world.changes_of_route.load(Ordering::Relaxed);
        Some(batch)
    }

    /// Updates routes to current street speeds at the rerouting interval.
    fn refresh_routes(&mut self, second: u32) {
        let Some(reroute) = self.world.profile.reroute else { return };
        if second > 0 && second.is_multiple_of(reroute.every) {
            let (map, speeds) = (self.world.map, &self.world.streets.speeds);
            self.world.tables.par_iter_mut().for_each(|routes| routes.refresh(map, speeds));
        }
    }

    /// Agents on the map at the end of the last second.
    pub fn agents(&self) -> impl Iterator<Item = AgentPosition> {
        self.agents.iter().filter(|agent| agent.is_present()).map(|agent| AgentPosition {
            agent: agent.number,
            position: agent.position(&self.world),
            is_moving: agent.state == AgentState::Moving,
        })
    }

    /// Number of times a street was entered so far, in both directions.
    pub fn uses(&self, street: StreetId) -> u64 {
        Leg::both(street).map(|leg| u64::from(self.world.streets.entered(leg))).iter().sum()
    }

    /// Totals since the start.
    pub fn totals(&self) -> Totals {
        self.totals
    }
}

impl World<'_> {
    pub(crate) fn count_route_change(&self) {
        self.changes_of_route.fetch_add(1, Ordering::Relaxed);
    }
}

/// Result of a second for a chunk of agents.
#[derive(Default)]
struct ChunkResult {
    queries: Vec<SimulatedQuery>,
    waypoints: Vec<AgentWaypoint>,
    moved: u64,
    present: u32,
    standing: u32,
}

fn step_chunk(
    world: &World,
    agents: &mut [Agent],
    end: u64,
    pool: &Mutex<Vec<MoveScratch>>,
) -> ChunkResult {
    let pooled = pool.lock().pop();
    let mut scratch = pooled.unwrap_or_else(|| MoveScratch::new(world.tables[0].planner()));
    scratch.waypoints = world.records_waypoints.then(Vec::new);
    let mut result = ChunkResult::default();
    for agent in agents {
        result.moved += agent.step(world, end, &mut scratch, &mut result.queries);
        result.present += u32::from(agent.is_present());
        result.standing += u32::from(agent.state == AgentState::Standing);
    }
    result.waypoints = scratch.waypoints.take().unwrap_or_default();
    pool.lock().push(scratch);
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::Town;

    /// Simulates some seconds and checks each agent in each of them.
    fn check_agents(map: &StreetMap, settings: SimulationSettings, steps: usize) {
        for name in Profile::NAMES {
            let profile = Profile::named(name).unwrap();
            let mut simulation = Simulation::new(map, &profile, settings);
            let context = format!("seed {} {name}", settings.seed);
            for _ in 0..steps {
                if simulation.step().is_none() {
                    break;
                }
                for agent in simulation.agents.iter().filter(|agent| agent.is_present()) {
                    let position = agent.position(&simulation.world);
                    assert!(position.offset <= map.street(position.street).length, "{context}");
                    let is_moving = agent.state == AgentState::Moving;
                    assert!(!is_moving || agent.leg.is_allowed(map), "{context}");
                }
            }
        }
    }

    #[test]
    fn agents_are_on_streets_and_respect_one_way_streets() {
        for seed in 0..150 {
            let settings = SimulationSettings { users: 12, seed, ..SimulationSettings::default() };
            check_agents(&Town::random(seed).map, settings, 300);
        }
    }

    #[test]
    fn agents_are_on_streets_in_built_in_cities() {
        for (seed, streets) in [(1, 500), (2, 2000)] {
            let source = import::MapSource::City(import::CityPlan::new(seed, streets).unwrap());
            let city = import::read_map(&source, &import::Options::default(), &()).unwrap();
            let settings = SimulationSettings { users: 300, seed, ..SimulationSettings::default() };
            check_agents(&city.map, settings, 900);
        }
    }

    #[test]
    fn an_agent_is_small() {
        assert!(size_of::<Agent>() <= 112, "{}", size_of::<Agent>());
    }
}
