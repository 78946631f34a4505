//! HTTP services: every user gets the exact answer, the same region is sent in the same bytes, and a
//! service that is down, invalid or endless causes one error.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

#[allow(dead_code, reason = "shared with the tests of PostGIS")]
#[path = "../postgis/database.rs"]
mod database;
mod end_to_end;
mod faults;
mod leaks;
#[path = "../shared/log_capture.rs"]
mod log_capture;
mod ogc;
mod ogc_without_cql2;
mod overpass;
mod overpass_server;
mod pois;
mod ql;
#[path = "../shared/recorder.rs"]
mod recorder;
mod recording_server;
#[path = "../shared/secrets.rs"]
mod secrets;
#[allow(dead_code, reason = "shared with the tests of PostGIS")]
#[path = "../postgis/town.rs"]
mod town;
mod webhook;
