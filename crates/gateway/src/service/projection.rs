//! Conversion between the plane of the map and the lon/lat of a service: range requests in one
//! direction, objects in the other.

use super::fixed_lonlat::{FixedLonLat, join_lines};
use super::object_geometry::ObjectGeometry;
use super::{RangeRequest, Surroundings};
use crate::walk::Walker;
use meshcloak::map::Frame;
use meshcloak::units::{LonLat, Point};
use std::borrow::Cow;
use std::sync::Arc;

/// Projection of a map with a known location on Earth.
pub(crate) struct Projection {
    walker: Arc<Walker>,
    frame: Frame,
    /// See [`max_scale`].
    max_scale: f64,
    /// Largest distance between the centre of an object and its outline, in metres.
    outline: f64,
}

/// A range as sent to a service.
pub(crate) struct WidenedRange<'a> {
    /// Lines in the plane.
    pub lines: Cow<'a, [Vec<Point>]>,
    /// Radius on the ground in metres, with a margin for all differences of measurement.
    pub metres: f64,
}

/// Distance beyond the map, in metres, up to which objects are requested by a range without limit.
const WORLD_MARGIN: f64 = 64_000.0;

impl Projection {
    /// Builds the projection of the walker's map; `None` if the map has no location on Earth.
    pub(crate) fn new(walker: Arc<Walker>, outline: f64) -> Option<Projection> {
        let frame = walker.map().frame()?.clone();
        let max_scale = max_scale(&frame);
        Some(Projection { walker, frame, max_scale, outline })
    }

    /// Widens a range by the largest scale of the map, the factor `slack` (at least 1), 1 m and
    /// the outline distance. A range without limit becomes one around the diagonal of the map.
    pub(crate) fn widen<'a>(&self, range: &RangeRequest<'a>, slack: f64) -> WidenedRange<'a> {
        let (lines, metres) = match range.around {
            Some(Surroundings { lines, metres }) => (Cow::Borrowed(lines.lines()), *metres),
            None => {
                let bounds = self.walker.map().bounds();
                let diagonal = bounds.min.distance(bounds.max);
                (Cow::Owned(vec![vec![bounds.min, bounds.max]]), diagonal / 2.0 + WORLD_MARGIN)
            }
        };
        WidenedRange { lines, metres: metres * self.max_scale * slack + 1.0 + self.outline }
    }

    /// Converts lines to lon/lat; lines that meet are joined.
    pub(crate) fn lines(&self, lines: &[Vec<Point>]) -> Vec<Vec<FixedLonLat>> {
        join_lines(self.unjoined_lines(lines))
    }

    /// Converts each line to lon/lat.
    pub(crate) fn unjoined_lines(&self, lines: &[Vec<Point>]) -> Vec<Vec<FixedLonLat>> {
        let convert = |line: &Vec<Point>| line.iter().map(|&point| self.lon_lat(point)).collect();
        lines.iter().map(convert).collect()
    }

    /// As [`Projection::lines`], with at least two points per line; a single point is repeated.
    pub(crate) fn line_strings(&self, lines: &[Vec<Point>]) -> Vec<Vec<FixedLonLat>> {
        let mut lines = self.lines(lines);
        for line in &mut lines {
            if let [only] = line[..] {
                line.push(only);
            }
        }
        lines
    }

    /// Centre of the map.
    pub(crate) fn centre(&self) -> FixedLonLat {
        self.lon_lat(self.walker.map().bounds().centre())
    }

    /// Converts a point to lon/lat.
    pub(crate) fn lon_lat(&self, point: Point) -> FixedLonLat {
        FixedLonLat::of(self.frame.lon_lat(point))
    }

    /// Converts lon/lat to the plane; `None` if they are invalid.
    pub(crate) fn point(&self, [lon, lat]: [f64; 2]) -> Option<Point> {
        let point = self.frame.point(LonLat::new(lon, lat)?);
        (point.x.is_finite() && point.y.is_finite()).then_some(point)
    }

    /// Returns the point that represents a geometry; `None` if that is invalid or empty.
    pub(crate) fn locate(&self, geometry: &ObjectGeometry) -> Option<Point> {
        geometry.representative_point(self.outline, |lon_lat| self.point(lon_lat))
    }
}

/// Largest number of metres on the ground per metre of the plane: the inverse of the smaller
/// singular value of the affine map, and at least 1.
fn max_scale(frame: &Frame) -> f64 {
    let [a, b, c, d, ..] = frame.affine();
    let (half, area) = ((a * a + b * b + c * c + d * d) / 2.0, a * d - b * c);
    let smaller = half - (half * half - area * area).max(0.0).sqrt();
    (1.0 / smaller.sqrt()).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::Category;
    use crate::service::Polylines;
    use crate::service::polylines::Segment;
    use import::{Options, read_map};
    use meshcloak::distance::Atlas;
    use meshcloak::units::Length;

    fn city() -> Arc<Walker> {
        let source = "city:500:7".parse().unwrap();
        let map = read_map(&source, &Options::default(), &()).unwrap().map;
        Arc::new(Walker::new(Arc::new(Atlas::new(map, Length::metres(500.0)))))
    }

    #[test]
    fn a_range_without_limit_covers_the_map_and_its_margin() {
        let walker = city();
        let projection = Projection::new(walker.clone(), 0.0).unwrap();
        let unlimited = RangeRequest { around: None, category: &Category::Any };
        let widened = projection.widen(&unlimited, 1.002);
        let diagonal = Segment { start: widened.lines[0][0], end: widened.lines[0][1] };
        for terminal in walker.map().terminals() {
            let point = walker.map().terminal(terminal);
            let gap = diagonal.nearest_to(point).distance(point);
            assert!(gap + WORLD_MARGIN <= widened.metres);
        }
    }

    #[test]
    fn a_region_is_joined_to_fewer_lines_and_converts_back_to_its_points() {
        let walker = city();
        let map = walker.map();
        let streets: Vec<_> = map.streets().collect();
        let area = Surroundings { lines: Polylines::of(map, &streets), metres: 500.0 };
        let projection = Projection::new(walker.clone(), 30.0).unwrap();
        let range = RangeRequest { around: Some(&area), category: &Category::Any };
        assert_eq!(projection.widen(&range, 1.002).metres, 532.0);
        let lines = projection.lines(area.lines.lines());
        assert!(lines.len() * 3 < streets.len() * 2, "{} of {}", lines.len(), streets.len());
        let locate = |lon_lat| projection.locate(&ObjectGeometry::point(lon_lat));
        for point in lines.iter().flatten() {
            let json = serde_json::to_value(point).unwrap();
            let located = locate(serde_json::from_value(json).unwrap()).unwrap();
            assert!(area.lines.distance(located) < 0.02);
        }
        assert_eq!(locate([200.0, 0.0]), None);
        assert_eq!(locate([f64::NAN, 0.0]), None);
    }

    #[test]
    fn a_scaled_map_has_a_larger_scale() {
        let origin = LonLat { lon: 9.7, lat: 50.8 };
        assert_eq!(max_scale(&Frame::at(origin)), 1.0);
        let feet = Frame::from_parts(origin, [3.28, 0.0, 0.0, 3.28, 0.0, 0.0]).unwrap();
        assert_eq!(max_scale(&feet), 1.0);
        let yards = Frame::from_parts(origin, [0.0, 0.5, -1.0, 0.0, 9.0, 9.0]).unwrap();
        assert!((max_scale(&yards) - 2.0).abs() < 1e-12);
    }
}
