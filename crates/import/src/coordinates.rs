//! Coordinates as files hold them: metres of the map or degrees.

use meshcloak::units::{LonLat, Point};

/// A position that is not snapped to a street.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coordinates {
    /// Metres in the plane of the map.
    Metres(Point),
    /// WGS 84 degrees.
    Degrees(LonLat),
}
