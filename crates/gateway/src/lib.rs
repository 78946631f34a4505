//! The anonymizer as a service: network and clock around the engine.

pub mod tiles;
