//! A real PostGIS: answers of the gateway against SQL from the exact position, and faults of the
//! database.

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
