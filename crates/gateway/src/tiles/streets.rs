//! The streets of one tile as a layer: each for itself with its number, or from afar many as the
//! lines of their strokes, without.

use super::detail::{CLOSE, Detail, Shapes, WHOLE};
use super::encode::{LayerWriter, Value};
use super::lines::Window;
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::units::Point;
use std::cmp::Reverse;

/// What streets are drawn from.
#[derive(Clone, Copy)]
pub struct Drawing<'a> {
    /// The map.
    pub map: &'a StreetMap,
    /// Its shapes in the square of the world.
    pub shapes: Shapes<'a>,
    /// How much of it is shown.
    pub detail: &'a Detail,
}

/// Properties of a feature.
type Tags = Vec<(&'static str, Value)>;

impl Drawing<'_> {
    /// A layer of those of these streets that are shown at a zoom.
    pub fn layer(&self, zoom: u8, window: Window, mut near: Vec<StreetId>) -> LayerWriter {
        near.retain(|&street| self.detail.shows(zoom, street));
        if zoom < WHOLE { self.strokes(zoom, window, near) } else { self.each(zoom, window, near) }
    }

    /// Each street for itself. What is drawn last lies on top: the important ones.
    fn each(&self, zoom: u8, window: Window, mut streets: Vec<StreetId>) -> LayerWriter {
        let mut layer = LayerWriter::default();
        streets.sort_by_key(|&street| Reverse(self.map.rank(street)));
        for street in streets {
            let parts = window.parts(self.shapes.of(street), Detail::tolerance(zoom));
            if !parts.is_empty() {
                layer.lines(Some(u64::from(street.0)), &self.tags(street), &parts);
            }
        }
        layer
    }

    /// Streets as lines of their strokes, those of one name if names are shown; the important ones
    /// on top here as well.
    fn strokes(&self, zoom: u8, window: Window, mut streets: Vec<StreetId>) -> LayerWriter {
        let mut layer = LayerWriter::default();
        streets.sort_unstable_by_key(|&street| Reverse(self.detail.place(street)));
        let name = |street| self.map.street_name(street).filter(|_| zoom >= CLOSE);
        let of = |street| (self.detail.stroke(street), name(street));
        for run in streets.chunk_by(|&a, &b| of(a) == of(b)) {
            let shapes = run.iter().map(|&street| self.shapes.of(street));
            let lines = joined(shapes).into_iter();
            let parts: Vec<_> =
                lines.flat_map(|line| window.parts(&line, Detail::tolerance(zoom))).collect();
            if !parts.is_empty() {
                let mut tags = self.rank(run[0]);
                tags.extend(name(run[0]).map(named));
                layer.lines(None, &tags, &parts);
            }
        }
        layer
    }

    fn tags(&self, street: StreetId) -> Tags {
        let mut tags = self.rank(street);
        if self.map.street(street).one_way {
            tags.push(("oneway", Value::Truth(true)));
        }
        tags.extend(self.map.street_name(street).map(named));
        tags
    }

    fn rank(&self, street: StreetId) -> Tags {
        vec![("rank", Value::Number(self.map.rank(street).number() as u64))]
    }
}

fn named(name: &str) -> (&'static str, Value) {
    ("name", Value::Text(name.to_owned()))
}

/// Shapes that follow one another as lines, as long as each begins or ends where the last one did.
pub fn joined<'a>(shapes: impl Iterator<Item = &'a [Point]>) -> Vec<Vec<Point>> {
    let mut lines: Vec<Vec<Point>> = Vec::new();
    let mut single = false;
    for shape in shapes {
        let (Some(&first), Some(&last)) = (shape.first(), shape.last()) else { continue };
        let meets = |at: Option<&Point>| at == Some(&first) || at == Some(&last);
        if let Some(line) = lines.last_mut().filter(|_| single) {
            // Which way the first shape of a line runs is seen by the second.
            if !meets(line.last()) && meets(line.first()) {
                line.reverse();
            }
        }
        let line = lines.last_mut().filter(|line| meets(line.last()));
        single = line.is_none();
        match line {
            None => lines.push(shape.to_vec()),
            Some(line) if line.last() == Some(&first) => line.extend(&shape[1..]),
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
        let lines = joined(shapes.iter().map(Vec::as_slice));
        lines.iter().map(|line| line.iter().map(|point| point.x as i32).collect()).collect()
    }

    #[test]
    fn shapes_that_meet_are_one_line_whichever_way_they_run() {
        assert_eq!(lines(&[&[1, 2, 3], &[3, 4]]), [[1, 2, 3, 4]]);
        assert_eq!(lines(&[&[3, 2, 1], &[4, 3], &[4, 5, 6]]), [[1, 2, 3, 4, 5, 6]]);
        assert_eq!(lines(&[&[1, 2], &[3, 4], &[5, 4]]), [vec![1, 2], vec![3, 4, 5]]);
        assert!(lines(&[]).is_empty());
    }
}
