//! A real PostGIS: what people get through the gateway against what SQL says from where they are,
//! and what happens when the database is not as it should be.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod answers;
mod database;
mod encrypted;
mod faults;
#[path = "../shared/record.rs"]
mod record;
mod streets;
mod town;
mod wire;
