//! MeshCloak hides each person among at least *k* people who are mutually reachable on the street
//! map. This crate is the paper: pure, without files, sockets, clock or randomness.
//!
//! ```
//! use meshcloak::map::{Extent, MapBuilder, RawStreet};
//! use meshcloak::units::Point;
//!
//! let mut builder = MapBuilder::new();
//! let a = builder.terminal("A", Point::new(0.0, 0.0))?;
//! let b = builder.terminal("B", Point::new(300.0, 0.0))?;
//! builder.street(RawStreet {
//!     label: "A-B", from: a, to: b, written_metres: None, one_way: false,
//!     bends: &[], name: "Bridge Street", class: "residential",
//! })?;
//! let map = builder.build(Extent::LargestPart)?.map;
//! let snapped = map.snap(Point::new(120.0, 9.0), Some(50.0)).expect("nine metres off");
//! assert_eq!(snapped.position.offset.as_metres(), 120.0);
//! # Ok::<(), meshcloak::map::MapError>(())
//! ```
//!
//! The modules in reading order; each uses only those above it, which a test checks.

pub mod private;

pub mod mix;

pub mod stamps;

pub mod units;

pub mod map;

pub mod distance;

pub mod query;

pub mod constraint_graph;

pub mod cliques;

pub mod mesh;

pub mod cells;

pub mod region;

pub mod history;

pub mod service_odds;

mod sort_network;

pub mod scheme;

pub mod guarantee;

pub mod guard;

pub mod grouping;

mod region_builder;

pub mod group_cloak;

pub mod mesh_cloak;

pub mod printed;

pub mod engine;

pub mod town;

pub mod naive;
