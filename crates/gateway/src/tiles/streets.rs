//! The layer of streets of one tile: one feature per street, or at small zooms one per stroke.

use super::detail::{DETAILED_ZOOM, Detail, Shapes, WHOLE_ZOOM};
use super::encode::{LayerWriter, Value};
use super::lines::TileExtent;
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::units::Point;
use std::cmp::Reverse;

/// Input of the layer of streets.
#[derive(Clone, Copy)]
pub struct StreetSource<'a> {
    /// The map.
    pub map: &'a StreetMap,
    /// Shapes in Web Mercator coordinates.
    pub shapes: Shapes<'a>,
    /// Level of detail.
    pub detail: &'a Detail,
}

/// Tags of a feature.
type Tags = Vec<(&'static str, Value)>;

impl StreetSource<'_> {
    /// Builds the layer from the streets near the tile.
    pub fn layer(&self, zoom: u8, extent: TileExtent, mut near: Vec<StreetId>) -> LayerWriter {
        near.retain(|&street| self.detail.shows(zoom, street));
        if zoom < WHOLE_ZOOM {
            self.strokes(zoom, extent, near)
        } else {
            self.single_streets(zoom, extent, near)
        }
    }

    /// One feature per street, important streets last, so that they are drawn on top.
    fn single_streets(
        &self,
        zoom: u8,
        extent: TileExtent,
        mut streets: Vec<StreetId>,
    ) -> LayerWriter {
        let mut layer = LayerWriter::default();
        streets.sort_by_key(|&street| Reverse(self.map.rank(street)));
        for street in streets {
            let parts = extent.clip(self.shapes.of(street), Detail::tolerance(zoom));
            if !parts.is_empty() {
                layer.add_lines(Some(u64::from(street.0)), &self.tags(street), &parts);
            }
        }
        layer
    }

    /// One feature per stroke, or per stroke and name from [`DETAILED_ZOOM`] on; important strokes
    /// last.
    fn strokes(&self, zoom: u8, extent: TileExtent, mut streets: Vec<StreetId>) -> LayerWriter {
        let mut layer = LayerWriter::default();
        streets.sort_unstable_by_key(|&street| Reverse(self.detail.order(street)));
        let name = |street| self.map.street_name(street).filter(|_| zoom >= DETAILED_ZOOM);
        let group = |street| (self.detail.stroke(street), name(street));
        for run in streets.chunk_by(|&a, &b| group(a) == group(b)) {
            let shapes = run.iter().map(|&street| self.shapes.of(street));
            let lines = join_shapes(shapes).into_iter();
            let parts: Vec<_> =
                lines.flat_map(|line| extent.clip(&line, Detail::tolerance(zoom))).collect();
            if let Some(&street) = run.first().filter(|_| !parts.is_empty()) {
                let mut tags = self.rank_tag(street);
                tags.extend(name(street).map(name_tag));
                layer.add_lines(None, &tags, &parts);
            }
        }
        layer
    }

    fn tags(&self, street: StreetId) -> Tags {
        let mut tags = self.rank_tag(street);
        if self.map.street(street).one_way {
            tags.push(("oneway", Value::Bool(true)));
        }
        tags.extend(self.map.street_name(street).map(name_tag));
        tags
    }

    fn rank_tag(&self, street: StreetId) -> Tags {
        vec![("rank", Value::Number(self.map.rank(street).number() as u64))]
    }
}

fn name_tag(name: &str) -> (&'static str, Value) {
    ("name", Value::Text(name.to_owned()))
}

/// Joins consecutive shapes into lines where they share an end point, in either direction.
pub fn join_shapes<'a>(shapes: impl Iterator<Item = &'a [Point]>) -> Vec<Vec<Point>> {
    let mut lines: Vec<Vec<Point>> = Vec::new();
    let mut has_one_shape = false;
    for shape in shapes {
        let (Some(&first), Some(&last)) = (shape.first(), shape.last()) else { continue };
        let meets = |at: Option<&Point>| at == Some(&first) || at == Some(&last);
        if let Some(line) = lines.last_mut().filter(|_| has_one_shape) {
            // The second shape determines the direction of the first.
            if !meets(line.last()) && meets(line.first()) {
                line.reverse();
            }
        }
        let line = lines.last_mut().filter(|line| meets(line.last()));
        has_one_shape = line.is_none();
        match line {
            None => lines.push(shape.to_vec()),
            Some(line) if line.last() == Some(&first) => line.extend(shape.iter().skip(1)),
            Some(line) => line.extend(shape.iter().rev().skip(1)),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(shapes: &[&[i32]]) -> Vec<Vec<i32>> {
        let point = |x: &i32| Point::new(f64::from(*x), 0.0);
        let shapes: Vec<Vec<Point>> =
            shapes.iter().map(|shape| shape.iter().map(point).collect()).collect();
        let lines = join_shapes(shapes.iter().map(Vec::as_slice));
        lines.iter().map(|line| line.iter().map(|point| point.x as i32).collect()).collect()
    }

    #[test]
    fn adjacent_shapes_are_joined_in_either_direction() {
        assert_eq!(lines(&[&[1, 2, 3], &[3, 4]]), [[1, 2, 3, 4]]);
        assert_eq!(lines(&[&[3, 2, 1], &[4, 3], &[4, 5, 6]]), [[1, 2, 3, 4, 5, 6]]);
        assert_eq!(lines(&[&[1, 2], &[3, 4], &[5, 4]]), [vec![1, 2], vec![3, 4, 5]]);
        assert!(lines(&[]).is_empty());
    }
}
