//! CSV maps.
