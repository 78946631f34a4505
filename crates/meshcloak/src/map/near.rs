//! Streets near a rectangle: a conservative search in the grid.

use super::{StreetId, StreetMap};
use crate::units::Rectangle;

impl StreetMap {
    /// Returns the streets in grid cells that the rectangle touches, ascending: all streets with a
    /// part in the rectangle, and some others nearby.
    pub fn streets_near(&self, rectangle: Rectangle) -> Vec<StreetId> {
        let grid = &self.tables.grid;
        let (west, south) = grid.cell_of(rectangle.min);
        let (east, north) = grid.cell_of(rectangle.max);
        let starts = &self.tables.shape_starts;
        let mut segments = Vec::new();
        for row in south.saturating_sub(1)..=(north + 1).min(grid.rows - 1) {
            for column in west.saturating_sub(1)..=(east + 1).min(grid.columns - 1) {
                segments.extend_from_slice(grid.segments_in(column, row));
            }
        }
        segments.sort_unstable();
        segments.dedup();
        let mut streets: Vec<StreetId> = Vec::new();
        let mut street = 0;
        for segment in segments {
            if starts[street + 1] <= segment {
                street += starts[street..].partition_point(|&start| start <= segment) - 1;
            }
            if streets.last().is_none_or(|last| last.index() != street) {
                streets.push(StreetId(street as u32));
            }
        }
        streets
    }
}
