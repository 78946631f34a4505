//! Coordinate columns of a table: metres, degrees, or both.

use super::table::{Column, Table};
use crate::error::ImportError;

/// Coordinate columns.
#[derive(Clone, Copy, Debug)]
pub(super) enum Axes {
    /// `x,y`.
    Metres([Column; 2]),
    /// `lon,lat`.
    Degrees([Column; 2]),
    /// Both; `x,y` defines the geometry.
    Both { metres: [Column; 2], degrees: [Column; 2] },
}

impl Axes {
    /// Returns the coordinate columns of a table.
    pub(super) fn of(table: &Table) -> Result<Axes, ImportError> {
        match (table.pair("x", "y")?, table.pair("lon", "lat")?) {
            (Some(metres), Some(degrees)) => Ok(Axes::Both { metres, degrees }),
            (Some(metres), None) => Ok(Axes::Metres(metres)),
            (None, Some(degrees)) => Ok(Axes::Degrees(degrees)),
            (None, None) => Err(table.missing("`x`,`y` or `lon`,`lat`")),
        }
    }
}
