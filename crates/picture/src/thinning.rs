//! Keeps marks from crowding: of two that would lie too near each other, the first one stays.

use crate::view::{Pixel, PixelBox};

/// The marks admitted so far, one at most per square cell as wide as the least distance.
pub(crate) struct Thinning {
    corner: Pixel,
    side: f64,
    columns: usize,
    rows: usize,
    taken: Vec<Option<Pixel>>,
}

impl Thinning {
    /// No marks yet, in `area`, where they must keep `least` pixels apart.
    pub fn new(area: PixelBox, least: f64) -> Thinning {
        let side = least.max(1.0);
        let columns = (area.width / side) as usize + 1;
        let rows = (area.height / side) as usize + 1;
        let corner = Pixel::new(area.left, area.top);
        Thinning { corner, side, columns, rows, taken: vec![None; columns * rows] }
    }

    /// Whether there is room for a mark at `pixel`; if so it is taken.
    pub fn admits(&mut self, pixel: Pixel) -> bool {
        let column = (((pixel.x - self.corner.x) / self.side) as usize).min(self.columns - 1);
        let row = (((pixel.y - self.corner.y) / self.side) as usize).min(self.rows - 1);
        let cell = row * self.columns + column;
        if self.taken[cell].is_some() || self.crowded(pixel, column, row) {
            return false;
        }
        self.taken[cell] = Some(pixel);
        true
    }

    fn crowded(&self, pixel: Pixel, column: usize, row: usize) -> bool {
        let columns = column.saturating_sub(1)..=(column + 1).min(self.columns - 1);
        (row.saturating_sub(1)..=(row + 1).min(self.rows - 1)).any(|row| {
            columns.clone().any(|column| {
                let other = self.taken[row * self.columns + column];
                other.is_some_and(|other| other.distance_squared(pixel) < self.side * self.side)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_keep_their_distance_wherever_they_lie() {
        let area = PixelBox { left: 0.0, top: 0.0, width: 100.0, height: 50.0 };
        let mut thinning = Thinning::new(area, 10.0);
        assert!(thinning.admits(Pixel::new(9.0, 9.0)));
        assert!(!thinning.admits(Pixel::new(11.0, 11.0)));
        assert!(thinning.admits(Pixel::new(21.0, 9.0)));
        assert!(thinning.admits(Pixel::new(-500.0, 900.0)));
        assert!(thinning.admits(Pixel::new(f64::NAN, 30.0)));
    }
}
