//! The frontend role: sends accepted queries to the owners of their cities, asks the service, and
//! tells the users how their queries ended.
//!
//! ```text
//! mailbox of a city ─▶ Link ─▶ owner of the city
//!                                 │ Part
//!   service ◀─ requests ◀─────────┤
//!      │                          ├─▶ ended queries ─▶ users
//!      └─ answers ─▶ refinement   │ sets
//!             other ◀──┤          ▼
//!         frontends ───┴──────▶ Rounds ─▶ users
//! ```

mod asking;
mod digests;
mod error_codes;
mod items;
mod link;
mod part;
mod rounds;
mod running;
mod sending;
mod tickets;
mod withdrawals;

pub use running::{Frontend, FrontendParts, RunningFrontend};
