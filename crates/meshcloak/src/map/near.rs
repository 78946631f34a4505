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
        sort_distinct(&mut segments, starts[starts.len() - 1]);
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

/// Sorts numbers below `bound` and removes repeated ones. Many numbers are marked in a table, which
/// is linear: a rectangle may cover the whole map.
fn sort_distinct(numbers: &mut Vec<u32>, bound: u32) {
    if numbers.len() < bound as usize / 8 {
        numbers.sort_unstable();
        numbers.dedup();
        return;
    }
    let mut is_present = vec![false; bound as usize];
    numbers.iter().for_each(|&number| is_present[number as usize] = true);
    numbers.clear();
    numbers.extend((0..bound).filter(|&number| is_present[number as usize]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::town::Town;
    use rand::RngExt as _;

    #[test]
    fn marking_gives_the_same_as_sorting() {
        for seed in 0..300 {
            let mut random = Town::generator(seed);
            let bound = random.random_range(1..2_000);
            let count = random.random_range(0..bound);
            let mut numbers: Vec<u32> = (0..count).map(|_| random.random_range(0..bound)).collect();
            let mut expected = numbers.clone();
            expected.sort_unstable();
            expected.dedup();
            sort_distinct(&mut numbers, bound);
            assert_eq!(numbers, expected, "seed {seed}");
        }
    }
}
