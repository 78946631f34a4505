//! The show: a gateway with a simulated crowd, and what an attacker sees of it.
//!
//! Everything here is under `/demo`, and only here does anything tell where people are: they are
//! simulated. A real gateway is not built from this crate.

pub mod arena;
pub mod frame;
pub mod tape;
