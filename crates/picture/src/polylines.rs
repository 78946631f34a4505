//! Many polylines in two flat arrays.

use crate::map_view::Pixel;

/// Polylines, or closed outlines of areas, in pixels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polylines {
    points: Vec<Pixel>,
    /// Index of the first point of each line.
    starts: Vec<u32>,
}

impl Polylines {
    /// Creates an empty collection.
    pub fn new() -> Polylines {
        Polylines::default()
    }

    /// Creates a collection of one line.
    pub fn of(points: impl IntoIterator<Item = Pixel>) -> Polylines {
        let mut lines = Polylines::new();
        lines.add(points);
        lines
    }

    /// Adds a line through all `points`.
    pub fn add(&mut self, points: impl IntoIterator<Item = Pixel>) {
        self.add_spaced(points, 0.0);
    }

    /// Adds a line through `points` without those nearer than `spacing` pixels to the previous kept
    /// point; both ends are kept.
    pub fn add_spaced(&mut self, points: impl IntoIterator<Item = Pixel>, spacing: f64) {
        let start = self.points.len();
        let mut skipped = None;
        for point in points {
            let first = self.points.len() == start;
            let near = |last: &Pixel| last.distance_squared(point) < spacing * spacing;
            if !first && self.points.last().is_some_and(near) {
                skipped = Some(point);
            } else {
                self.points.push(point);
                skipped = None;
            }
        }
        self.points.extend(skipped);
        if self.points.len() > start {
            self.starts.push(start as u32);
        }
    }

    /// Whether there is no line.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Number of lines.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Iterates over the lines in insertion order; none is empty.
    pub fn iter(&self) -> impl Iterator<Item = &[Pixel]> {
        self.starts.iter().enumerate().map(|(index, &start)| {
            let end = self.starts.get(index + 1).map_or(self.points.len(), |&end| end as usize);
            &self.points[start as usize..end]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixels(xs: &[f64]) -> Vec<Pixel> {
        xs.iter().map(|&x| Pixel::new(x, 0.0)).collect()
    }

    #[test]
    fn near_points_are_skipped_and_ends_are_kept() {
        let mut lines = Polylines::new();
        lines.add_spaced(pixels(&[0.0, 0.2, 0.4, 3.0, 3.1, 9.0, 9.1, 9.2]), 1.0);
        lines.add_spaced(pixels(&[5.0, 5.0]), 1.0);
        lines.add([]);
        let found: Vec<&[Pixel]> = lines.iter().collect();
        assert_eq!(found, [&pixels(&[0.0, 3.0, 9.0, 9.2])[..], &pixels(&[5.0, 5.0])[..]]);
        assert_eq!(lines.len(), 2);
    }
}
