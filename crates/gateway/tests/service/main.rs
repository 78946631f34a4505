//! Services that are slow, down or return invalid answers: one error per inquiry, no panic, no hang,
//! and no more requests than configured.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod client;
mod fake_database;
mod fixture;
mod hostile_database;
mod invalid_answers;
mod queue;
mod received;
mod suspended;
