//! Services that are slow, down, or lying: one clear error for whoever asked, never a panic, never
//! a hang, never more requests than were agreed.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod client;
mod fixture;
mod hostile_database;
mod invalid_answers;
