//! Which columns of a table say where something is: metres, degrees, or both.

use super::table::{Column, Table};
use crate::error::ImportError;

/// The columns of a place.
#[derive(Clone, Copy, Debug)]
pub(super) enum Axes {
    /// `x,y`.
    Metres([Column; 2]),
    /// `lon,lat`.
    Degrees([Column; 2]),
    /// Both; `x,y` is the geometry.
    Both { metres: [Column; 2], degrees: [Column; 2] },
}

impl Axes {
    /// The columns of a table that say where something is.
    pub(super) fn of(table: &Table) -> Result<Axes, ImportError> {
        match (table.pair("x", "y")?, table.pair("lon", "lat")?) {
            (Some(metres), Some(degrees)) => Ok(Axes::Both { metres, degrees }),
            (Some(metres), None) => Ok(Axes::Metres(metres)),
            (None, Some(degrees)) => Ok(Axes::Degrees(degrees)),
            (None, None) => Err(table.missing("`x`,`y` or `lon`,`lat`")),
        }
    }
}
