//! Many polylines in two flat arrays: what a layer of streets is made of.

use crate::view::Pixel;

/// Polylines (or outlines of areas) in pixels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lines {
    points: Vec<Pixel>,
    /// Where each line begins in `points`.
    starts: Vec<u32>,
}

impl Lines {
    /// No lines yet.
    pub fn new() -> Lines {
        Lines::default()
    }

    /// Adds a line through all of `points`.
    pub fn add(&mut self, points: impl IntoIterator<Item = Pixel>) {
        self.add_spaced(points, 0.0);
    }

    /// Adds a line through `points`, leaving out those nearer than `spacing` to the one before;
    /// both ends stay.
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

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// The lines in the order they were added; none is empty.
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
    fn crowded_points_are_left_out_and_ends_are_kept() {
        let mut lines = Lines::new();
        lines.add_spaced(pixels(&[0.0, 0.2, 0.4, 3.0, 3.1, 9.0, 9.1, 9.2]), 1.0);
        lines.add_spaced(pixels(&[5.0, 5.0]), 1.0);
        lines.add([]);
        let found: Vec<&[Pixel]> = lines.iter().collect();
        assert_eq!(found, [&pixels(&[0.0, 3.0, 9.0, 9.2])[..], &pixels(&[5.0, 5.0])[..]]);
        assert_eq!(lines.len(), 2);
    }
}
