//! The anonymizer as a service: network and clock around the engine.
//!
//! A query comes in at the door (`intake`), is accepted at the `desk`, waits in the `mailbox` for
//! the next batch of the `engine`, and is answered by `answers`. What people ask (`question`)
//! becomes what the service is asked (`inquiry`); a `service` answers with a superset, and
//! `refine` finds in it the exact answer of each person.

pub mod config;

pub mod clock;
pub mod error;
pub mod outcome;
pub mod receipt;

pub mod api;

pub mod keys;
pub mod outbox;
pub mod tickets;

pub mod accounts;

pub mod question;

pub mod inquiry;

pub mod walk;

pub mod service;

pub mod refine;

pub mod degrees;
pub mod mailbox;
pub mod metrics;

mod sentence;

pub mod zones;

pub mod users;

pub mod live;
pub mod trackers;

pub mod gateway;

pub mod desk;
pub mod intake;

pub mod answers;
pub mod engine;
pub mod ticker;

pub mod routes;
pub mod server;
pub mod stream;

pub mod page;
pub mod tiles;

pub mod listen;
pub mod logs;
mod patient;
pub mod prepare;
pub mod serve;
pub mod tls;
