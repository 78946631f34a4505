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
    chains: Private<Vec<Vec<[f64; 2]>>>,
}

impl ObjectGeometry {
    /// Builds the geometry of a single point.
    #[cfg(test)]
    pub(crate) fn point(lon_lat: [f64; 2]) -> ObjectGeometry {
        ObjectGeometry { chains: Private::new(vec![vec![lon_lat]]) }
    }

    /// Adds a chain of connected points unless it is empty.
    pub(crate) fn push_chain(&mut self, chain: Vec<[f64; 2]>) {
        if !chain.is_empty() {
            self.chains.expose_mut().push(chain);
        }
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
        for chain in self.chains.expose() {
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
        let (mut min, mut max) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for lon_lat in self.chains.expose().iter().flatten() {
            for (axis, &degrees) in lon_lat.iter().enumerate() {
                min[axis] = min[axis].min(degrees);
                max[axis] = max[axis].max(degrees);
            }
        }
        let centre = |axis: usize| min[axis] + (max[axis] - min[axis]) / 2.0;
        (min[0] <= max[0]).then(|| [centre(0), centre(1)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn representative(chains: &[&[[f64; 2]]], metres: f64) -> Option<(f64, f64)> {
        let mut geometry = ObjectGeometry::default();
        chains.iter().for_each(|chain| geometry.push_chain(chain.to_vec()));
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
