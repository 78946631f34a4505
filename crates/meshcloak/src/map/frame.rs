//! Where on Earth the plane of a map lies: lon/lat to metres and back.
//!
//! A transverse Mercator projection around an origin inside the map, then an affine change to the
//! map's own coordinates. Within 50 km of the origin lengths are true to better than 0.01 %.

use crate::units::{LonLat, Point, Rectangle};
use proj4rs::proj::Proj;
use proj4rs::transform::transform;
use std::fmt;

/// The place of a map on Earth.
#[derive(Clone)]
pub struct Frame {
    origin: LonLat,
    affine: [f64; 6],
    earth: Proj,
    plane: Proj,
}

/// Why pairs of metres and lon/lat give no frame.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum FrameError {
    /// The points lie on one line or there are fewer than three, so the plane can turn around it.
    #[error("the points lie on one line, so they do not say where the map lies")]
    OnOneLine,
    /// Metres and lon/lat speak of different places.
    #[error("x,y and lon,lat disagree by {metres:.0} m at point {index}")]
    Disagree {
        /// The worst pair.
        index: usize,
        /// How far apart its two places are.
        metres: f64,
    },
}

/// Metres by which x,y and lon,lat may disagree: other projections bend a little within a city.
const TOLERANCE: f64 = 25.0;

impl Frame {
    /// The frame whose zero lies at `origin`, x to the east and y to the north.
    pub fn at(origin: LonLat) -> Frame {
        Frame::from_parts(origin, [1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
            .expect("the affine change that changes nothing can be undone")
    }

    /// The frame with its origin in the middle of `places`; `None` if there are none.
    pub fn around(places: impl IntoIterator<Item = LonLat>) -> Option<Frame> {
        let mut places = places.into_iter();
        let first = places.next()?;
        // Degrees east of the first place, so that the date line needs no special case.
        let east = |lon: f64| (lon - first.lon + 540.0).rem_euclid(360.0) - 180.0;
        let as_point = |place: LonLat| Point::new(east(place.lon), place.lat);
        let all = std::iter::once(first).chain(places).map(as_point);
        let middle = Rectangle::around(all)?.centre();
        let lon = (middle.x + first.lon + 540.0).rem_euclid(360.0) - 180.0;
        Some(Frame::at(LonLat { lon, lat: middle.y }))
    }

    /// The frame that best turns lon/lat into given metres, by least squares.
    ///
    /// Metres made by another frame are met within a fraction of a millimetre.
    pub fn fit(pairs: &[(Point, LonLat)]) -> Result<Frame, FrameError> {
        let around = Frame::around(pairs.iter().map(|&(_, place)| place));
        let mut frame = Frame::fit_at(around.ok_or(FrameError::OnOneLine)?.origin, pairs)?;
        let mut worst = frame.worst(pairs);
        // Metres are often counted from the origin of their projection: look there, too.
        for _ in 0..4 {
            let zero = frame.lon_lat(Point::default());
            let Some(zero) = LonLat::new(zero.lon, zero.lat) else { break };
            let Ok(other) = Frame::fit_at(zero, pairs) else { break };
            let gap = other.worst(pairs);
            if gap.1.is_nan() || gap.1 >= worst.1 {
                break;
            }
            (frame, worst) = (other, gap);
        }
        if worst.1.is_nan() || worst.1 > TOLERANCE {
            // One wild pair bends the whole fit, so blame is found by a fit without the wild ones.
            let (index, metres) = Frame::fit_bulk(pairs).unwrap_or(frame).worst(pairs);
            return Err(FrameError::Disagree { index, metres });
        }
        Ok(frame)
    }

    fn fit_at(origin: LonLat, pairs: &[(Point, LonLat)]) -> Result<Frame, FrameError> {
        let plain = Frame::at(origin);
        let projected: Vec<Point> = pairs.iter().map(|&(_, place)| plain.point(place)).collect();
        let affine = least_squares(&projected, pairs).ok_or(FrameError::OnOneLine)?;
        Frame::from_parts(origin, affine).ok_or(FrameError::OnOneLine)
    }

    /// The fit of those pairs that are in the middle eight tenths of every coordinate.
    fn fit_bulk(pairs: &[(Point, LonLat)]) -> Option<Frame> {
        let mut bulk = pairs.to_vec();
        for coordinate in [
            |pair: &(Point, LonLat)| pair.0.x,
            |pair: &(Point, LonLat)| pair.0.y,
            |pair: &(Point, LonLat)| pair.1.lon,
            |pair: &(Point, LonLat)| pair.1.lat,
        ] {
            let mut values: Vec<f64> = pairs.iter().map(coordinate).collect();
            values.sort_by(f64::total_cmp);
            let (low, high) =
                (values[pairs.len() / 10], values[pairs.len() - 1 - pairs.len() / 10]);
            bulk.retain(|pair| (low..=high).contains(&coordinate(pair)));
        }
        let around = Frame::around(bulk.iter().map(|&(_, place)| place))?;
        Frame::fit_at(around.origin, &bulk).ok()
    }

    /// The pair this frame is farthest from meeting, and by how many metres.
    fn worst(&self, pairs: &[(Point, LonLat)]) -> (usize, f64) {
        let gaps = pairs.iter().map(|&(point, place)| self.point(place).distance(point));
        let worst = gaps.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
        worst.unwrap_or((0, f64::NAN))
    }

    /// The frame with this origin and affine change `[a, b, c, d, e, f]`:
    /// `x = a·east + b·north + e`, `y = c·east + d·north + f`. `None` if it cannot be undone.
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

    /// Where the projection touches the Earth.
    pub fn origin(&self) -> LonLat {
        self.origin
    }

    /// The affine change after the projection, as in [`Frame::from_parts`].
    pub fn affine(&self) -> [f64; 6] {
        self.affine
    }

    /// The point of the map at a place on Earth; not finite on the far side of it.
    pub fn point(&self, place: LonLat) -> Point {
        let mut at = (place.lon.to_radians(), place.lat.to_radians(), 0.0);
        if transform(&self.earth, &self.plane, &mut at).is_err() {
            return Point::new(f64::NAN, f64::NAN);
        }
        let [a, b, c, d, e, f] = self.affine;
        Point::new(a * at.0 + b * at.1 + e, c * at.0 + d * at.1 + f)
    }

    /// The place on Earth of a point of the map.
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

/// The affine change that takes `from` nearest to the first of each pair.
///
/// Around both centres the problem is two equations in two unknowns for x, and again for y.
fn least_squares(from: &[Point], pairs: &[(Point, LonLat)]) -> Option<[f64; 6]> {
    let count = from.len() as f64;
    let mean = |points: &mut dyn Iterator<Item = Point>| {
        let sum = points.fold(Point::default(), |s, p| Point::new(s.x + p.x, s.y + p.y));
        Point::new(sum.x / count, sum.y / count)
    };
    let (source, target) =
        (mean(&mut from.iter().copied()), mean(&mut pairs.iter().map(|pair| pair.0)));
    let [mut xx, mut xy, mut yy] = [0.0; 3];
    let [mut ux, mut uy, mut vx, mut vy] = [0.0; 4];
    for (p, (q, _)) in from.iter().zip(pairs) {
        let (x, y) = (p.x - source.x, p.y - source.y);
        let (u, v) = (q.x - target.x, q.y - target.y);
        (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y);
        (ux, uy, vx, vy) = (ux + u * x, uy + u * y, vx + v * x, vy + v * y);
    }
    let area = xx * yy - xy * xy;
    if area.is_nan() || area <= 1e-9 * (xx + yy) * (xx + yy) {
        return None;
    }
    let (a, b) = ((ux * yy - uy * xy) / area, (uy * xx - ux * xy) / area);
    let (c, d) = ((vx * yy - vy * xy) / area, (vy * xx - vx * xy) / area);
    let e = target.x - a * source.x - b * source.y;
    let f = target.y - c * source.x - d * source.y;
    Some([a, b, c, d, e, f])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distance on the ellipsoid by radii of curvature at the mean latitude: true to a few
    /// millionths over some tens of kilometres, and independent of any projection.
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
    fn lengths_are_true_to_a_thousandth_across_fifty_kilometres() {
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
    fn lon_lat_comes_back_as_it_went_in() {
        let origin = LonLat { lon: 9.7, lat: 50.87 };
        for frame in [Frame::at(origin), skewed(origin)] {
            for (lon, lat) in [(9.7, 50.87), (9.9, 50.7), (9.4, 51.1)] {
                let back = frame.lon_lat(frame.point(LonLat { lon, lat }));
                assert!((back.lon - lon).abs() < 1e-9 && (back.lat - lat).abs() < 1e-9);
            }
        }
    }

    fn skewed(origin: LonLat) -> Frame {
        Frame::from_parts(origin, [0.99, 0.1, -0.12, 1.01, 5e5, -3e6]).unwrap()
    }

    #[test]
    fn a_fitted_frame_finds_the_affine_change_again() {
        let truth = skewed(LonLat { lon: 2.3, lat: 48.8 });
        let places = [(2.3, 48.8), (2.4, 48.9), (2.2, 48.85), (2.35, 48.7)];
        let places = places.map(|(lon, lat)| LonLat { lon, lat });
        let mut pairs = places.map(|place| (truth.point(place), place)).to_vec();
        let fitted = Frame::fit(&pairs).unwrap();
        for &(point, place) in &pairs {
            assert!(fitted.point(place).distance(point) < 0.5);
        }
        pairs.push((Point::new(0.0, 0.0), LonLat { lon: 2.31, lat: 48.8 }));
        assert!(matches!(Frame::fit(&pairs), Err(FrameError::Disagree { .. })));
        assert_eq!(Frame::fit(&pairs[..2]), Err(FrameError::OnOneLine));
        assert_eq!(Frame::fit(&[]), Err(FrameError::OnOneLine));
    }

    #[test]
    fn metres_counted_from_a_far_origin_are_met_within_a_millimetre() {
        let truth = Frame::at(LonLat { lon: 8.2, lat: 53.1 });
        let corners = [(0.0, 0.0), (25e3, 0.0), (25e3, 25e3), (0.0, 25e3), (9e3, 14e3)];
        for shift in [0.0, -12e3, 60e3] {
            let points = corners.map(|(x, y)| Point::new(x + shift, y + shift));
            let fitted = Frame::fit(&points.map(|point| (point, truth.lon_lat(point)))).unwrap();
            for point in points {
                assert!(fitted.point(truth.lon_lat(point)).distance(point) < 1e-3, "{shift}");
            }
        }
    }

    #[test]
    fn the_wild_pair_is_blamed_though_it_bends_the_fit() {
        let truth = Frame::at(LonLat { lon: 8.2, lat: 53.1 });
        let points =
            (0..40).map(|n| Point::new(f64::from(n % 7) * 700.0, f64::from(n / 7) * 500.0));
        let pairs: Vec<_> = points.map(|point| (point, truth.lon_lat(point))).collect();
        for (lon, lat) in [(0.0, 0.0), (8.3, 53.1), (-8.2, 53.1), (53.1, 8.2)] {
            let mut pairs = pairs.clone();
            pairs[17].1 = LonLat { lon, lat };
            let blamed = Frame::fit(&pairs);
            assert!(matches!(blamed, Err(FrameError::Disagree { index: 17, .. })), "{blamed:?}");
        }
    }

    #[test]
    fn a_map_across_the_date_line_has_its_origin_in_the_middle() {
        let places = [(179.5, -17.0), (-179.5, -16.0)].map(|(lon, lat)| LonLat { lon, lat });
        let frame = Frame::around(places).unwrap();
        assert_eq!(frame.origin().lon.abs(), 180.0);
        let [west, east] = places.map(|place| frame.point(place));
        assert!((100_000.0..120_000.0).contains(&(east.x - west.x)));
        assert!(Frame::around(std::iter::empty()).is_none());
    }
}
