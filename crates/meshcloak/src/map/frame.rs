//! Geographic frame of a map: converts lon/lat to metres and back.
//!
//! A transverse Mercator projection around an origin inside the map, followed by an affine map to
//! the coordinates of the map. The length error within 50 km of the origin is below 0.01 %.

use crate::units::{LonLat, Point, Rectangle};
use proj4rs::proj::Proj;
use proj4rs::transform::transform;
use std::fmt;

/// Geographic frame of a map.
#[derive(Clone)]
pub struct Frame {
    origin: LonLat,
    affine: [f64; 6],
    earth: Proj,
    plane: Proj,
}

impl Frame {
    /// Returns the frame with its zero at `origin`, x to the east and y to the north.
    pub fn at(origin: LonLat) -> Frame {
        Frame::from_parts(origin, [1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
            .expect("the identity is invertible")
    }

    /// Returns the frame with its origin in the middle of the given coordinates; `None` if there are none.
    pub fn around(lon_lats: impl IntoIterator<Item = LonLat>) -> Option<Frame> {
        let mut lon_lats = lon_lats.into_iter();
        let first = lon_lats.next()?;
        // Degrees relative to the first element, so that the date line needs no special case.
        let east = |lon: f64| (lon - first.lon + 540.0).rem_euclid(360.0) - 180.0;
        let as_point = |lon_lat: LonLat| Point::new(east(lon_lat.lon), lon_lat.lat);
        let all = std::iter::once(first).chain(lon_lats).map(as_point);
        let middle = Rectangle::around(all)?.centre();
        let lon = (middle.x + first.lon + 540.0).rem_euclid(360.0) - 180.0;
        Some(Frame::at(LonLat { lon, lat: middle.y }))
    }

    /// Returns the frame with this origin and affine map `[a, b, c, d, e, f]`:
    /// `x = a·east + b·north + e`, `y = c·east + d·north + f`. `None` if it is not invertible.
    pub fn from_parts(origin: LonLat, affine: [f64; 6]) -> Option<Frame> {
        let LonLat { lon, lat } = LonLat::new(origin.lon, origin.lat)?;
        let [a, b, c, d, ..] = affine;
        let area = a * d - b * c;
        if !affine.iter().all(|value| value.is_finite()) || area.abs() < 1e-9 {
            return None;
        }
        let plane = format!("+proj=tmerc +lat_0={lat} +lon_0={lon} +k=1 +ellps=WGS84 +units=m");
        let earth = Proj::from_proj_string("+proj=longlat +ellps=WGS84").ok()?;
        let plane = Proj::from_proj_string(&plane).ok()?;
        Some(Frame { origin, affine, earth, plane })
    }

    /// Returns the origin of the projection.
    pub fn origin(&self) -> LonLat {
        self.origin
    }

    /// Returns the affine map after the projection, as in [`Frame::from_parts`].
    pub fn affine(&self) -> [f64; 6] {
        self.affine
    }

    /// Converts lon/lat to a point of the map; not finite on the far side of the Earth.
    pub fn point(&self, lon_lat: LonLat) -> Point {
        let mut at = (lon_lat.lon.to_radians(), lon_lat.lat.to_radians(), 0.0);
        if transform(&self.earth, &self.plane, &mut at).is_err() {
            return Point::new(f64::NAN, f64::NAN);
        }
        let [a, b, c, d, e, f] = self.affine;
        Point::new(a * at.0 + b * at.1 + e, c * at.0 + d * at.1 + f)
    }

    /// Converts a point of the map to lon/lat.
    pub fn lon_lat(&self, point: Point) -> LonLat {
        let [a, b, c, d, e, f] = self.affine;
        let (x, y, area) = (point.x - e, point.y - f, a * d - b * c);
        let mut at = ((d * x - b * y) / area, (a * y - c * x) / area, 0.0);
        if transform(&self.plane, &self.earth, &mut at).is_err() {
            return LonLat { lon: f64::NAN, lat: f64::NAN };
        }
        LonLat { lon: at.0.to_degrees(), lat: at.1.to_degrees() }
    }
}

impl PartialEq for Frame {
    fn eq(&self, other: &Frame) -> bool {
        self.origin == other.origin && self.affine == other.affine
    }
}

impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frame").field("origin", &self.origin).field("affine", &self.affine).finish()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Distance on the ellipsoid from the radii of curvature at the mean latitude: relative error of
    /// a few 1e-6 over tens of kilometres, independent of any projection.
    fn ground_metres(a: LonLat, b: LonLat) -> f64 {
        let (equator, e2) = (6_378_137.0, 0.006_694_379_990_14);
        let lat = ((a.lat + b.lat) / 2.0).to_radians();
        let w: f64 = 1.0 - e2 * lat.sin() * lat.sin();
        let (meridian, normal) = (equator * (1.0 - e2) / w.powf(1.5), equator / w.sqrt());
        let north = (b.lat - a.lat).to_radians() * meridian;
        let east = (b.lon - a.lon).to_radians() * normal * lat.cos();
        north.hypot(east)
    }

    #[test]
    fn lengths_are_accurate_within_fifty_kilometres() {
        for (lon, lat) in [(8.2, 53.1), (-51.2, -30.0), (103.8, 1.3), (-8.6, 41.15), (25.0, 68.0)] {
            let frame = Frame::at(LonLat { lon, lat });
            for (east, north) in [(0.3, 0.2), (-0.3, 0.2), (0.0, -0.22), (0.3, 0.0)] {
                let corner = LonLat { lon: lon + east, lat: lat + north };
                let near = LonLat { lon: corner.lon + 0.002, lat: corner.lat + 0.001 };
                let true_metres = ground_metres(corner, near);
                let metres = frame.point(corner).distance(frame.point(near));
                assert!((metres / true_metres - 1.0).abs() < 1e-4, "{metres} for {true_metres}");
            }
        }
    }

    #[test]
    fn lon_lat_round_trips() {
        let origin = LonLat { lon: 9.7, lat: 50.87 };
        for frame in [Frame::at(origin), skewed(origin)] {
            for (lon, lat) in [(9.7, 50.87), (9.9, 50.7), (9.4, 51.1)] {
                let back = frame.lon_lat(frame.point(LonLat { lon, lat }));
                assert!((back.lon - lon).abs() < 1e-9 && (back.lat - lat).abs() < 1e-9);
            }
        }
    }

    pub(in crate::map) fn skewed(origin: LonLat) -> Frame {
        Frame::from_parts(origin, [0.99, 0.1, -0.12, 1.01, 5e5, -3e6]).unwrap()
    }

    #[test]
    fn a_map_across_the_date_line_has_its_origin_in_the_middle() {
        let lon_lats = [(179.5, -17.0), (-179.5, -16.0)].map(|(lon, lat)| LonLat { lon, lat });
        let frame = Frame::around(lon_lats).unwrap();
        assert_eq!(frame.origin().lon.abs(), 180.0);
        let [west, east] = lon_lats.map(|lon_lat| frame.point(lon_lat));
        assert!((100_000.0..120_000.0).contains(&(east.x - west.x)));
        assert!(Frame::around(std::iter::empty()).is_none());
    }
}
