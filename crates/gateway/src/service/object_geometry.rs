//! Geometry of an object, and the point that represents it.
//!
//! Services find lines and areas by their outline. The representative point must be close to the
//! outline, or a range request around the region could miss an object whose point is inside.

use super::polylines::{Segment, line_segments};
use meshcloak::private::Private;
use meshcloak::units::Point;

/// Outline of an object in lon/lat: connected chains of points, or single points.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ObjectGeometry {
    /// Points of all chains.
    points: Private<Vec<[f64; 2]>>,
    /// End of each chain in `points`; ascending.
    ends: Vec<usize>,
}

impl ObjectGeometry {
    /// Builds the geometry of a single point.
    #[cfg(test)]
    pub(crate) fn point(lon_lat: [f64; 2]) -> ObjectGeometry {
        let mut geometry = ObjectGeometry::default();
        geometry.push(lon_lat);
        geometry.end_chain();
        geometry
    }

    /// Adds a point to the last chain.
    pub(crate) fn push(&mut self, lon_lat: [f64; 2]) {
        self.points.expose_mut().push(lon_lat);
    }

    /// Ends the last chain; the next point begins another one. Does nothing if it is empty.
    pub(crate) fn end_chain(&mut self) {
        let end = self.points.expose().len();
        if self.ends.last().copied().unwrap_or(0) < end {
            self.ends.push(end);
        }
    }

    /// Whether there is no point.
    pub(crate) fn is_empty(&self) -> bool {
        self.points.expose().is_empty()
    }

    /// Removes all points and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.points.expose_mut().clear();
        self.ends.clear();
    }

    /// Turns every point into a chain of its own.
    pub(crate) fn disconnect(&mut self) {
        self.ends.clear();
        self.ends.extend(1..=self.points.expose().len());
    }

    /// Adds the chains of another geometry.
    pub(crate) fn append(&mut self, other: &ObjectGeometry) {
        for chain in other.chains() {
            self.points.expose_mut().extend_from_slice(chain);
            self.end_chain();
        }
    }

    fn chains(&self) -> impl Iterator<Item = &[[f64; 2]]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ranges = starts.zip(self.ends.iter().copied());
        ranges.filter_map(|(start, end)| self.points.expose().get(start..end))
    }

    /// Returns the point that represents the object: the centre of its bounding box if the outline
    /// comes within `metres` of it, else the point of the outline nearest to the centre. `project`
    /// maps lon/lat to the plane. `None` if a point cannot be projected, or there is none.
    pub(crate) fn representative_point(
        &self,
        metres: f64,
        project: impl Fn([f64; 2]) -> Option<Point>,
    ) -> Option<Point> {
        let centre = project(self.centre()?)?;
        let mut nearest: Option<(f64, Point)> = None;
        for chain in self.chains() {
            let chain: Vec<Point> =
                chain.iter().map(|&lon_lat| project(lon_lat)).collect::<Option<_>>()?;
            let single = chain.first().map(|&only| Segment { start: only, end: only });
            for segment in line_segments(&chain).chain(single) {
                let point = segment.nearest_to(centre);
                let gap = point.distance(centre);
                if nearest.is_none_or(|(least, _)| gap < least) {
                    nearest = Some((gap, point));
                }
            }
        }
        // 2 % margin for the service's own way to measure distances.
        nearest.map(|(gap, point)| if gap <= metres * 0.98 { centre } else { point })
    }

    /// Centre of the bounding box.
    fn centre(&self) -> Option<[f64; 2]> {
        let bounds = |axis: fn(&[f64; 2]) -> f64| {
            let degrees = self.points.expose().iter().map(axis);
            let whole = (f64::INFINITY, f64::NEG_INFINITY);
            degrees.fold(whole, |(min, max), value| (min.min(value), max.max(value)))
        };
        let (west, east) = bounds(|&[lon, _]| lon);
        let (south, north) = bounds(|&[_, lat]| lat);
        let centre = [west + (east - west) / 2.0, south + (north - south) / 2.0];
        (west <= east).then_some(centre)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn representative(chains: &[&[[f64; 2]]], metres: f64) -> Option<(f64, f64)> {
        let mut geometry = ObjectGeometry::default();
        for chain in chains {
            chain.iter().for_each(|&point| geometry.push(point));
            geometry.end_chain();
        }
        let flat = |[x, y]: [f64; 2]| x.is_finite().then(|| Point::new(x, y));
        geometry.representative_point(metres, flat).map(|point| (point.x, point.y))
    }

    #[test]
    fn an_area_is_represented_by_its_centre_unless_that_is_far_from_its_outline() {
        let hall = [[0.0, 0.0], [80.0, 0.0], [80.0, 300.0], [0.0, 300.0], [0.0, 0.0]];
        assert_eq!(representative(&[&hall], 100.0), Some((40.0, 150.0)));
        assert_eq!(representative(&[&hall], 40.0), Some((80.0, 150.0)), "a side, not a corner");
        let path = [[0.0, 0.0], [0.0, 500.0], [500.0, 500.0]];
        assert_eq!(representative(&[&path], 100.0), Some((0.0, 250.0)), "centre outside");
        assert_eq!(representative(&[&[[7.0, 8.0]]], 0.0), Some((7.0, 8.0)));
        let stops: [&[[f64; 2]]; 2] = [&[[0.0, 0.0]], &[[90.0, 0.0]]];
        assert_eq!(representative(&stops, 100.0), Some((45.0, 0.0)));
        assert_eq!(representative(&stops, 10.0), Some((0.0, 0.0)), "points are not connected");
        assert_eq!(representative(&[], 100.0), None);
        assert_eq!(representative(&[&[[f64::NAN, 0.0]]], 100.0), None);
    }
}
