//! Polylines in the plane, and how they are halved when a service truncates its answer. The
//! halves depend on the lines only.

use meshcloak::map::{StreetId, StreetMap};
use meshcloak::units::{Point, Rectangle};

/// A straight segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub start: Point,
    pub end: Point,
}

impl Segment {
    /// Returns the point of the segment that is nearest to `point`.
    pub(crate) fn nearest_to(&self, point: Point) -> Point {
        self.start.towards(self.end, point.nearest_fraction(self.start, self.end))
    }
}

/// Returns the segments of one line.
pub(crate) fn line_segments(line: &[Point]) -> impl Iterator<Item = Segment> {
    line.iter().zip(line.iter().skip(1)).map(|(&start, &end)| Segment { start, end })
}

/// Returns the segments of the streets of a region, in order.
pub(crate) fn segments<'a>(
    map: &'a StreetMap,
    region: &'a [StreetId],
) -> impl Iterator<Item = Segment> + 'a {
    region.iter().flat_map(|&street| line_segments(map.shape(street)))
}

/// Lines in the plane of the map, each of at least two points.
#[derive(Clone, Debug, PartialEq)]
pub struct Polylines {
    lines: Vec<Vec<Point>>,
}

impl Polylines {
    /// Builds the lines from the shapes of streets.
    pub fn of(map: &StreetMap, region: &[StreetId]) -> Polylines {
        Polylines { lines: region.iter().map(|&street| map.shape(street).to_vec()).collect() }
    }

    /// The lines.
    pub fn lines(&self) -> &[Vec<Point>] {
        &self.lines
    }

    /// Returns the distance between a point and the nearest line, in metres.
    pub fn distance(&self, point: Point) -> f64 {
        let segments = self.lines.iter().flat_map(|line| line_segments(line));
        let gaps = segments.map(|segment| segment.nearest_to(point).distance_squared(point));
        gaps.fold(f64::INFINITY, f64::min).sqrt()
    }

    /// Splits several lines into two sets by location, or a single line in its middle. `None` if a
    /// single line is not longer than `min_length` metres.
    pub fn split(mut self, min_length: f64) -> Option<(Polylines, Polylines)> {
        match self.lines.len() {
            0 => None,
            1 => {
                let (first, second) = split_line(&self.lines.remove(0), min_length)?;
                Some((Polylines { lines: vec![first] }, Polylines { lines: vec![second] }))
            }
            count => {
                self.sort_along_longer_side();
                let second = self.lines.split_off(count / 2);
                Some((self, Polylines { lines: second }))
            }
        }
    }

    /// Sorts lines by their centres along the longer side of the bounding box of the centres.
    fn sort_along_longer_side(&mut self) {
        let centre = |line: &Vec<Point>| {
            Rectangle::around(line.iter().copied()).map_or(Point::default(), |r| r.centre())
        };
        let Some(bounds) = Rectangle::around(self.lines.iter().map(centre)) else { return };
        if bounds.width() >= bounds.height() {
            self.lines.sort_by(|a, b| centre(a).x.total_cmp(&centre(b).x));
        } else {
            self.lines.sort_by(|a, b| centre(a).y.total_cmp(&centre(b).y));
        }
    }
}

/// Cuts a line in its middle.
fn split_line(line: &[Point], min_length: f64) -> Option<(Vec<Point>, Vec<Point>)> {
    let length: f64 = line_segments(line).map(|part| part.start.distance(part.end)).sum();
    if length <= min_length {
        return None;
    }
    let mut remaining = length / 2.0;
    for (index, Segment { start, end }) in line_segments(line).enumerate() {
        let segment_length = start.distance(end);
        if remaining <= segment_length {
            let cut = start.towards(end, remaining / segment_length);
            let (before, after) = line.split_at_checked(index.saturating_add(1))?;
            let first = before.iter().copied().chain([cut]).collect();
            let second = [cut].into_iter().chain(after.iter().copied()).collect();
            return Some((first, second));
        }
        remaining -= segment_length;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::Town;

    #[test]
    fn halves_cover_the_lines_and_splitting_ends() {
        for seed in 0..60 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let region: Vec<StreetId> = town.map.streets().collect();
            let mut pending = vec![Polylines::of(&town.map, &region)];
            let mut done = Vec::new();
            while let Some(part) = pending.pop() {
                match part.clone().split(40.0) {
                    Some((first, second)) => pending.extend([first, second]),
                    None => done.push(part),
                }
            }
            assert!(done.iter().all(|part| part.lines().len() == 1), "seed {seed}");
            for _ in 0..10 {
                let here = town.map.point(town.position(&mut random));
                let gap = done.iter().map(|part| part.distance(here)).fold(9e9, f64::min);
                assert!(gap < 1e-6, "seed {seed} {gap}\n{town}");
            }
        }
    }

    #[test]
    fn an_empty_set_and_a_line_of_length_zero_are_not_split() {
        assert_eq!(Polylines { lines: Vec::new() }.split(0.0), None);
        let point = vec![Point::new(3.0, 4.0); 2];
        assert_eq!(Polylines { lines: vec![point] }.split(0.0), None);
    }
}
