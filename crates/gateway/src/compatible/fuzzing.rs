//! Entry point of [`crate::fuzzing`]: a query of Overpass.

/// Reads a query of Overpass.
pub fn overpass_query(bytes: &[u8]) -> bool {
    super::overpass::is_valid(bytes)
}
