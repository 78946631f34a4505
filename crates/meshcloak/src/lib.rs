//! MeshCloak: location privacy on street maps.
//!
//! A user's query is published only as a member of an anonymity set of at least *k* users that are
//! mutually reachable along streets, under one region that is the same for all members. This crate
//! is the algorithm: pure, without files, sockets, clock or randomness.
//!
//! ```
//! use meshcloak::{Atlas, Engine, Extent, Length, MapBuilder, Point, Query, RawStreet, Settings};
//! use meshcloak::{Time, UserId};
//! use std::{sync::Arc, time::Duration};
//!
//! let mut builder = MapBuilder::new();
//! let a = builder.terminal("A", Point::new(0.0, 0.0))?;
//! let b = builder.terminal("B", Point::new(300.0, 0.0))?;
//! builder.street(RawStreet::new("A-B", a, b))?;
//! let map = builder.build(Extent::LargestPart)?.map;
//! let atlas = Arc::new(Atlas::new(map, Length::metres(2_000.0)));
//! let mut engine = Engine::new(Arc::clone(&atlas), Settings::default());
//! for (user, x) in [(1, 80.0), (2, 150.0), (3, 210.0)] {
//!     let snapped = atlas.map().snap(Point::new(x, 9.0), Some(50.0)).expect("near a street");
//!     let query = Query::builder(UserId(user), snapped.position).k(3).dc(Length::metres(200.0));
//!     engine.submit(query.dt(Duration::from_secs(2)).build(atlas.dc_max())?)?;
//! }
//! let turn = engine.tick(Time::from_millis(1_000));
//! let disclosures = turn.disclosures(); // all that the service learns
//! assert_eq!(disclosures.len(), 1, "one request for three users");
//! assert_eq!(turn.recipients(&disclosures[0]).count(), 3, "each receives the answer");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Settings::default`] is the guarantee `reciprocal`; the guard checks every set before it is
//! published. Maps in longitude and latitude have a [`Frame`]. A scheme of your own implements
//! [`Scheme`] with the types of [`scheme`]; `examples/own_scheme.rs` is a complete one.
//!
//! The modules in reading order; each uses only those above it, which a test checks.

pub mod private;

#[doc(hidden)]
pub mod mix;

#[doc(hidden)]
pub mod stamps;

pub mod companions;

pub mod units;

pub mod map;

pub mod distance;

pub mod cells;

pub mod query;

pub mod presence;

pub mod accounts;

pub mod constraint_graph;

#[doc(hidden)]
pub mod cliques;

pub mod mesh;

pub mod region;

mod replacement;

pub mod history;

pub mod standing;

#[doc(hidden)]
pub mod service_odds;

mod sort_network;

mod violation;

pub mod stats;

pub mod published;

pub mod guarantee;

pub mod guard;

pub mod scheme;

#[doc(hidden)]
pub mod grouping;

mod region_builder;

mod group_table;

mod group_search;

mod group_demands;

mod group_cloak;

pub mod settings;

pub mod mesh_cloak;

#[doc(hidden)]
pub mod printed;

pub mod engine;

#[doc(hidden)]
pub mod town;

#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod naive;

pub use crate::accounts::AccountId;
pub use crate::distance::Atlas;
pub use crate::engine::{Batch, Engine, SubmitError, Turn};
pub use crate::guarantee::{Admission, AdmissionError, Admitted, Guarantee, HistoryClock};
pub use crate::map::{Extent, Frame, MapBuilder, MapError, Position, RawStreet};
pub use crate::map::{StreetId, StreetMap};
pub use crate::mesh_cloak::{Hold, MeshCloak, RegionRule};
pub use crate::presence::PresenceRule;
pub use crate::private::Private;
pub use crate::query::{Query, QueryBuilder, QueryError, QueryId, UserId};
pub use crate::region::Region;
pub use crate::scheme::{Description, Disclosure, Observer, Published, Scheme, State};
pub use crate::settings::Settings;
pub use crate::units::{Length, LonLat, Point, Speed, Time};
