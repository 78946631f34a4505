//! Simulation of agents that move on a street map and submit queries.
//!
//! A [`Profile`] describes the agents; a [`Simulation`] moves them second by second and returns
//! their queries in order of time. The same seed gives the same queries for any number of threads.
//!
//! ```
//! use meshcloak::town::town;
//! use traffic::{Profile, SimulationSettings, Simulation};
//!
//! let town = town("A 0,0  B 900,0  C 900,700 | A-B B-C C-A");
//! let profile = Profile::named("p1").expect("a built-in profile");
//! let settings = SimulationSettings { users: 20, ..SimulationSettings::default() };
//! let mut simulation = Simulation::new(&town.map, &profile, settings);
//! let mut queries = 0;
//! while let Some(batch) = simulation.step() {
//!     queries += batch.queries.len();
//! }
//! assert_eq!(queries, 20 * 11);
//! ```

mod avoided_streets;
mod journey;
mod leg;
mod profile;
mod random;

mod contraction;
mod hierarchy;
mod popularity;
mod route_key;
mod routes;

mod agent;
mod ask_share;
mod congestion;
mod movement;
mod recorded_journeys;
mod simulated_query;
mod simulation;
mod traffic_model;

pub mod matching;
pub mod traces;

pub mod naive;

pub use ask_share::AskShare;
pub use avoided_streets::{AVOIDANCE_FACTOR, AvoidedStreets};
pub use journey::{Crossing, Journey, Passage, Waypoint, WaypointEvent};
pub use leg::{Direction, Leg};
pub use profile::{Profile, ProfileError, ProfileFileError};
pub use routes::{Planner, RouteEnds, RouteStart, Routes, StreetSpeeds};
pub use simulated_query::{SimulatedBatch, SimulatedQuery};
pub use simulation::{AgentPosition, Simulation, SimulationSettings, Totals};
pub use traffic_model::{LegSpeed, TrafficModel, TravelTime};
