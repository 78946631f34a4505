//! People who move on streets and ask: randomness → queries in order of time.
//!
//! A [`Profile`] says how people are; a [`Simulation`] lets them live on a map, second by second,
//! and hands over what they ask. Same seed, same queries, whatever the number of threads.
//!
//! ```
//! use meshcloak::town::town;
//! use traffic::{Profile, Settings, Simulation};
//!
//! let town = town("A 0,0  B 900,0  C 900,700 | A-B B-C C-A");
//! let profile = Profile::named("p1").expect("a built-in profile");
//! let settings = Settings { users: 20, ..Settings::default() };
//! let mut simulation = Simulation::new(&town.map, &profile, settings);
//! let mut asked = 0;
//! while let Some(batch) = simulation.step() {
//!     asked += batch.queries.len();
//! }
//! assert_eq!(asked, 20 * 11);
//! ```

mod avoided;
mod chance;
mod leg;
mod profile;

mod contraction;
mod hierarchy;
mod popularity;
mod routes;

mod congestion;
mod movement;
mod person;
mod simulation;
mod tape;

pub mod matching;
pub mod traces;

pub mod naive;

pub use avoided::{Avoided, DETOUR};
pub use leg::{Direction, Leg};
pub use profile::{Profile, ProfileError};
pub use routes::{Departure, Paces, Planner, Routes};
pub use simulation::{Settings, Simulation, Totals};
pub use tape::{Batch, Query};
