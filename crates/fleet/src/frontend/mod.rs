//! The frontend role: sends accepted queries to the owners of their cities, asks the service, and
//! tells the users how their queries ended.
//!
//! ```text
//! mailbox of a city ─▶ Link ─▶ owner of the city
//!                                 │ Part
//!   service ◀─ requests ◀─────────┤
//!      │                          ├─▶ ended queries ─▶ users
//!      └─ answers ─▶ Rounds ◀─────┘ sets, answers of other frontends
//!                      └─▶ refinement ─▶ users
//! ```

mod answers;
mod digests;
mod link;
mod part;
mod rounds;
mod running;
mod tickets;

pub use running::{Frontend, FrontendParts, RunningFrontend};
