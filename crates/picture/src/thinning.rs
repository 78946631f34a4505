//! Greedy thinning of points: a point is accepted if no accepted point is too near.

use crate::map_view::{Pixel, PixelBox};

/// Accepted points on a grid whose cells are as wide as the smallest distance, so that a cell holds
/// at most one point and conflicts are in the 3 × 3 cells around.
pub(crate) struct Thinning {
    corner: Pixel,
    /// Side of a cell and smallest distance, in pixels.
    side: f64,
    columns: usize,
    rows: usize,
    accepted: Vec<Option<Pixel>>,
}

impl Thinning {
    /// Creates an empty grid over `area` for points at least `min_distance` pixels apart.
    pub fn new(area: PixelBox, min_distance: f64) -> Thinning {
        let side = min_distance.max(1.0);
        let columns = (area.width / side) as usize + 1;
        let rows = (area.height / side) as usize + 1;
        let corner = Pixel::new(area.left, area.top);
        Thinning { corner, side, columns, rows, accepted: vec![None; columns * rows] }
    }

    /// Accepts a point unless an accepted one is nearer than the smallest distance; returns whether
    /// it was accepted. Points outside the area belong to the nearest cell.
    pub fn try_accept(&mut self, pixel: Pixel) -> bool {
        let column = (((pixel.x - self.corner.x) / self.side) as usize).min(self.columns - 1);
        let row = (((pixel.y - self.corner.y) / self.side) as usize).min(self.rows - 1);
        let cell = row * self.columns + column;
        if self.accepted[cell].is_some() || self.has_near(pixel, column, row) {
            return false;
        }
        self.accepted[cell] = Some(pixel);
        true
    }

    fn has_near(&self, pixel: Pixel, column: usize, row: usize) -> bool {
        let columns = column.saturating_sub(1)..=(column + 1).min(self.columns - 1);
        (row.saturating_sub(1)..=(row + 1).min(self.rows - 1)).any(|row| {
            columns.clone().any(|column| {
                let other = self.accepted[row * self.columns + column];
                other.is_some_and(|other| other.distance_squared(pixel) < self.side * self.side)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepted_points_keep_their_distance_inside_and_outside_the_area() {
        let area = PixelBox { left: 0.0, top: 0.0, width: 100.0, height: 50.0 };
        let mut thinning = Thinning::new(area, 10.0);
        assert!(thinning.try_accept(Pixel::new(9.0, 9.0)));
        assert!(!thinning.try_accept(Pixel::new(11.0, 11.0)));
        assert!(thinning.try_accept(Pixel::new(21.0, 9.0)));
        assert!(thinning.try_accept(Pixel::new(-500.0, 900.0)));
        assert!(thinning.try_accept(Pixel::new(f64::NAN, 30.0)));
    }
}
