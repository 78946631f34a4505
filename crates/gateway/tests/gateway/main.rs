//! The gateway as seen by clients, operators and the service. In process and with a manual clock,
//! except where sockets are tested.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod after_start;
mod broken;
mod cities;
mod clients;
mod compatible;
mod encrypted;
mod faults;
mod fixture;
mod guarded;
mod http2;
mod law;
mod leaks;
#[path = "../shared/log_capture.rs"]
mod log_capture;
mod me;
mod openapi;
mod origins;
mod positions;
mod printing;
mod reload;
mod replaced;
mod requests;
mod revocation;
#[allow(dead_code, reason = "shared with the tests of services")]
#[path = "../shared/secrets.rs"]
mod secrets;
mod shares;
mod sockets;
mod streams;
mod swap;
mod unread;
mod users;
