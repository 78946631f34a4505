//! Services on the other side of HTTP: everyone's answer is the one she would have got by asking
//! from where she is, the same region is told in the same bytes, and a service that lies, stops
//! or never ends costs one clear error.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

#[allow(dead_code, reason = "shared with the tests of PostGIS")]
#[path = "../postgis/database.rs"]
mod database;
mod faults;
mod leaks;
mod listener;
mod ogc;
mod ogc_small;
mod overpass;
mod overpass_server;
#[path = "../shared/pages.rs"]
mod pages;
mod people;
mod ql;
#[path = "../shared/record.rs"]
mod record;
#[path = "../shared/secrets.rs"]
mod secrets;
#[allow(dead_code, reason = "shared with the tests of PostGIS")]
#[path = "../postgis/town.rs"]
mod town;
mod webhook;
mod world;
