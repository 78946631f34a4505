//! The built-in city.
