//! Leases and logs on real NATS servers.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod connection;
mod failures;
mod fixture;
mod follow;
mod lease;
mod log;
