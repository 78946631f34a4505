//! The anonymizer as a service: HTTP API, clock and service clients around the engine.
//!
//! ```text
//! client ─▶ routes, stream, live, trackers
//!             │ api::QueryRequest
//!             ▼
//!           intake      validation               ─▶ Refusal
//!             │ CheckedQuery
//!             ▼
//!           submit      ticket, queue limits     ─▶ Refusal
//!             │ Arrival
//!             ▼
//!           mailbox ─▶ batch (thread of ticker)  meshcloak::engine::turn
//!                        │ Round: Disclosure ─▶ Inquiry
//!                        ▼
//!           answers ─▶ service ─▶ refine ─▶ tickets ─▶ client
//! ```
//!
//! A question has three shapes: [`api::QuestionBody`] on the wire, [`question::Question`] inside,
//! and [`inquiry::Inquiry`] towards the service.
//!
//! No input may cause a panic: indexing, slices and arithmetic that can overflow are denied. Each
//! exception states why it cannot fail.

#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)
)]

pub mod config;

pub mod clock;
pub mod error;
pub mod outcome;
pub mod receipt;

pub mod api;
pub mod inquiry;
mod json_error;
mod query_json;
pub mod question;

mod private_file;

pub mod accounts;
pub mod keys;
pub mod outbox;
mod queue_share;
pub mod tickets;
pub mod user_ids;
mod user_quota;

pub mod refine;
pub mod service;
pub mod walk;

mod answer_json;
pub mod held_arrivals;
pub mod lon_lat_cache;
pub mod mailbox;
pub mod metrics;
mod waiting;

pub mod cities;
pub mod city;
pub mod city_map;
mod spherical_cap;

pub mod served_users;
pub mod users;
pub mod zones;

pub mod gateway;

mod change_of_city;
pub mod intake;
mod standing_wait;
pub mod submit;

pub mod answers;
pub mod batch;
mod batch_schedule;
pub mod city_engine;
mod decoys;
mod delivery;
mod distinct_inquiries;
pub mod open_round;
mod open_sets;
pub mod refined_answer;
pub mod requests;
pub mod service_load;
pub mod ticker;

mod access;
mod charged_body;
pub mod compatible;
mod cross_origin;
pub mod live;
pub mod me;
pub mod routes;
pub mod server;
pub mod status;
pub mod stream;
pub mod trackers;

pub mod page;
pub mod tiles;

mod address_slots;
pub mod check;
pub mod doctor;
pub mod engines;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzzing;
pub mod listen;
pub mod logs;
pub mod prepare;
pub mod serve;
pub mod tls;
pub mod unread_bytes;
mod write_timeout;
