//! The gateway on several machines: frontends that talk to clients and services, and engines that
//! own cities. Frontends and engines exchange messages over NATS; the crate `cluster` holds the
//! lease of each shard and the log of each city.
//!
//! ```text
//! clients ─▶ frontend ─▶ Submit ─▶ engine (owner of the shard) ─▶ log ─▶ Part ─▶ frontends
//!                                                                                 │
//! clients ◀─ answers of all frontends ◀──── refinement ◀─────── service ◀─────────┘
//! ```

pub mod engine;
pub mod frontend;
pub mod message;
pub mod page;
pub mod peers;
pub mod plan;
pub mod process;
