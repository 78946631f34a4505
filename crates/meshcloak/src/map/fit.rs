//! Least-squares fit of a frame to points given both in metres and as lon/lat.

use super::Frame;
use crate::units::{LonLat, Point};

/// An error of a frame fit.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum FrameError {
    /// The points are collinear or fewer than three, so the frame is not determined.
    #[error("the points are collinear, so x,y cannot be fitted to lon,lat")]
    Collinear,
    /// Metres and lon/lat are inconsistent.
    #[error("x,y and lon,lat disagree by {metres:.0} m at point {index}")]
    Disagree {
        /// Index of the worst pair.
        index: usize,
        /// Distance between its two positions, in metres.
        metres: f64,
    },
}

/// Largest residual in metres; other projections differ slightly within a city.
const TOLERANCE: f64 = 25.0;

impl Frame {
    /// Fits the frame that converts lon/lat to the given metres, by least squares.
    ///
    /// Metres produced by another frame are reproduced within a fraction of a millimetre.
    ///
    /// # Errors
    /// [`FrameError`] if the points are collinear or a residual is too large.
    pub fn fit(pairs: &[(Point, LonLat)]) -> Result<Frame, FrameError> {
        let around = Frame::around(pairs.iter().map(|&(_, lon_lat)| lon_lat));
        let mut frame = Frame::fit_at(around.ok_or(FrameError::Collinear)?.origin(), pairs)?;
        let mut worst = frame.worst(pairs);
        // Metres are often relative to the origin of their projection: refit around that origin.
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
            // An outlier distorts the whole fit, so it is identified by a fit without extremes.
            let (index, metres) = Frame::fit_bulk(pairs).unwrap_or(frame).worst(pairs);
            return Err(FrameError::Disagree { index, metres });
        }
        Ok(frame)
    }

    fn fit_at(origin: LonLat, pairs: &[(Point, LonLat)]) -> Result<Frame, FrameError> {
        let plain = Frame::at(origin);
        let projected: Vec<Point> =
            pairs.iter().map(|&(_, lon_lat)| plain.point(lon_lat)).collect();
        let affine = least_squares(&projected, pairs).ok_or(FrameError::Collinear)?;
        Frame::from_parts(origin, affine).ok_or(FrameError::Collinear)
    }

    /// Fits the pairs within the middle 80 % of every coordinate.
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
        let around = Frame::around(bulk.iter().map(|&(_, lon_lat)| lon_lat))?;
        Frame::fit_at(around.origin(), &bulk).ok()
    }

    /// Returns the index and the residual in metres of the worst pair.
    fn worst(&self, pairs: &[(Point, LonLat)]) -> (usize, f64) {
        let gaps = pairs.iter().map(|&(point, lon_lat)| self.point(lon_lat).distance(point));
        let worst = gaps.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
        worst.unwrap_or((0, f64::NAN))
    }
}

/// Fits the affine map from `from` to the first element of each pair.
///
/// Relative to both centroids, x and y are each two equations in two unknowns.
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
    use crate::map::frame::tests::skewed;

    #[test]
    fn a_fit_recovers_the_affine_map() {
        let truth = skewed(LonLat { lon: 2.3, lat: 48.8 });
        let lon_lats = [(2.3, 48.8), (2.4, 48.9), (2.2, 48.85), (2.35, 48.7)];
        let lon_lats = lon_lats.map(|(lon, lat)| LonLat { lon, lat });
        let mut pairs = lon_lats.map(|lon_lat| (truth.point(lon_lat), lon_lat)).to_vec();
        let fitted = Frame::fit(&pairs).unwrap();
        for &(point, lon_lat) in &pairs {
            assert!(fitted.point(lon_lat).distance(point) < 0.5);
        }
        pairs.push((Point::new(0.0, 0.0), LonLat { lon: 2.31, lat: 48.8 }));
        assert!(matches!(Frame::fit(&pairs), Err(FrameError::Disagree { .. })));
        assert_eq!(Frame::fit(&pairs[..2]), Err(FrameError::Collinear));
        assert_eq!(Frame::fit(&[]), Err(FrameError::Collinear));
    }

    #[test]
    fn metres_relative_to_a_distant_origin_are_fitted_within_1_mm() {
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
    fn an_outlier_is_identified_although_it_distorts_the_fit() {
        let truth = Frame::at(LonLat { lon: 8.2, lat: 53.1 });
        let points =
            (0..40).map(|n| Point::new(f64::from(n % 7) * 700.0, f64::from(n / 7) * 500.0));
        let pairs: Vec<_> = points.map(|point| (point, truth.lon_lat(point))).collect();
        for (lon, lat) in [(0.0, 0.0), (8.3, 53.1), (-8.2, 53.1), (53.1, 8.2)] {
            let mut pairs = pairs.clone();
            pairs[17].1 = LonLat { lon, lat };
            let result = Frame::fit(&pairs);
            assert!(matches!(result, Err(FrameError::Disagree { index: 17, .. })), "{result:?}");
        }
    }
}
