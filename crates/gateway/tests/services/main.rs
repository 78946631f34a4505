//! Services on the other side of HTTP: everyone's answer is the one she would have got by asking
//! from where she is, the same region is told in the same bytes, and a service that lies, stops
//! or never ends costs one clear error.

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
