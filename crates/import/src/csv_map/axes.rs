//! Coordinate columns of a table: metres, degrees, or both.

use super::table::{Column, Table};
use crate::error::ImportError;

/// Coordinate columns; at least one pair. With both, `x,y` defines the geometry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axes {
    /// `x,y`.
    pub metres: Option<[Column; 2]>,
    /// `lon,lat`.
    pub degrees: Option<[Column; 2]>,
}

impl Axes {
    /// Returns the coordinate columns of a table.
    pub(super) fn of(table: &Table) -> Result<Axes, ImportError> {
        let axes = Axes { metres: table.pair("x", "y")?, degrees: table.pair("lon", "lat")? };
        let some = axes.metres.or(axes.degrees).map(|_| axes);
        some.ok_or_else(|| table.missing("`x`,`y` or `lon`,`lat`"))
    }
}
