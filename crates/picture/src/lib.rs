//! Pictures of street maps.
