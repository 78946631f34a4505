//! Engines of a cluster on real NATS servers, with a frontend that the tests control.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod answers;
mod carry;
mod division;
mod frontend;
mod memory;
mod moves;
mod outage;
mod presence;
mod process;
mod reference;
mod restart;
mod town;
mod travel;
mod trial;
