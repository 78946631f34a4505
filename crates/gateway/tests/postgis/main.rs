//! A real PostGIS: what people get through the gateway against what SQL says from where they are,
//! and what happens when the database is not as it should be.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod answers;
mod database;
mod faults;
#[path = "../shared/recorder.rs"]
mod recorder;
mod sent_bytes;
mod street_distances;
mod tls;
mod town;
