//! A cap of the sphere that encloses a map: a test of a few multiplications whether a position can
//! be on it, without a projection.
//!
//! Latitudes of the ellipsoid are taken as those of a sphere. That distorts distances by up to half
//! a percent, the same way for the map and for the position; the slack of the radius covers it.

use meshcloak::map::Frame;
use meshcloak::units::{LonLat, Point, Rectangle};

/// A point on the unit sphere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpherePoint([f64; 3]);

/// All points of the unit sphere within a distance from a centre.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SphericalCap {
    centre: SpherePoint,
    /// Radius as the length of a chord; infinite if the cap is the whole sphere.
    chord: f64,
}

/// Mean radius of the Earth in metres.
const EARTH_RADIUS: f64 = 6_371_009.0;

/// Factor of the radius, for the distortion between ellipsoid and sphere and for points of the
/// border between two samples.
const SLACK: f64 = 1.02;

/// Addition to the radius, in metres.
const SLACK_METRES: f64 = 1000.0;

/// Samples of each side of a map's bounds.
const SAMPLES: u32 = 16;

impl SpherePoint {
    pub(crate) fn new(lon_lat: LonLat) -> SpherePoint {
        let (sin_lon, cos_lon) = lon_lat.lon.to_radians().sin_cos();
        let (sin_lat, cos_lat) = lon_lat.lat.to_radians().sin_cos();
        SpherePoint([cos_lat * cos_lon, cos_lat * sin_lon, sin_lat])
    }

    /// Returns the middle of several points. Correct across the date line.
    pub(crate) fn middle(points: impl Iterator<Item = LonLat>) -> LonLat {
        let add = |[x, y, z]: [f64; 3], point: LonLat| {
            let SpherePoint([a, b, c]) = SpherePoint::new(point);
            [x + a, y + b, z + c]
        };
        let [x, y, z] = points.fold([0.0; 3], add);
        LonLat { lon: y.atan2(x).to_degrees(), lat: z.atan2(x.hypot(y)).to_degrees() }
    }

    fn chord(self, other: SpherePoint) -> f64 {
        let squares = self.0.iter().zip(other.0).map(|(a, b)| (a - b) * (a - b));
        squares.sum::<f64>().sqrt()
    }
}

impl SphericalCap {
    /// Returns the whole sphere.
    pub(crate) fn everywhere() -> SphericalCap {
        SphericalCap { centre: SpherePoint([0.0; 3]), chord: f64::INFINITY }
    }

    /// Returns a cap without points.
    #[cfg(test)]
    pub(crate) fn none() -> SphericalCap {
        SphericalCap { centre: SpherePoint([0.0; 3]), chord: 0.0 }
    }

    /// Returns a cap that holds every point within `margin` metres of the bounds of a map; the whole
    /// sphere without a margin, or if the bounds have no lon/lat.
    pub(crate) fn around(frame: &Frame, bounds: Rectangle, margin: Option<f64>) -> SphericalCap {
        let centre = SpherePoint::new(frame.lon_lat(bounds.centre()));
        let chord = margin.map_or(f64::INFINITY, |margin| {
            let chords = border(bounds, margin)
                .map(|point| centre.chord(SpherePoint::new(frame.lon_lat(point))));
            // Unlike `f64::max`, this keeps NaN.
            chords.fold(0.0, |max, chord| if chord <= max { max } else { chord })
        });
        let chord = chord * SLACK + SLACK_METRES / EARTH_RADIUS;
        SphericalCap { centre, chord: if chord.is_nan() { f64::INFINITY } else { chord } }
    }

    /// Whether the cap holds a point.
    pub(crate) fn contains(&self, point: SpherePoint) -> bool {
        self.distance(point) <= 0.0
    }

    /// Returns the chord from the border to a point; negative inside.
    pub(crate) fn distance(&self, point: SpherePoint) -> f64 {
        self.centre.chord(point) - self.chord
    }
}

/// Returns points on the border of a rectangle that is enlarged by `margin`.
fn border(bounds: Rectangle, margin: f64) -> impl Iterator<Item = Point> {
    let (min, max) = (bounds.min, bounds.max);
    let west_south = Point::new(min.x - margin, min.y - margin);
    let east_north = Point::new(max.x + margin, max.y + margin);
    (0..=SAMPLES).flat_map(move |sample| {
        let part = f64::from(sample) / f64::from(SAMPLES);
        let x = west_south.x + (east_north.x - west_south.x) * part;
        let y = west_south.y + (east_north.y - west_south.y) * part;
        [
            Point::new(x, west_south.y),
            Point::new(x, east_north.y),
            Point::new(west_south.x, y),
            Point::new(east_north.x, y),
        ]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::Town;
    use rand::RngExt as _;

    /// Frames in all climates, one across the date line, one with a skewed map plane.
    fn frames() -> Vec<Frame> {
        let origins = [(8.2, 53.1), (179.9, -17.0), (-70.9, -53.2), (25.0, 80.0), (0.0, 0.0)];
        let frames = origins.map(|(lon, lat)| Frame::at(LonLat { lon, lat }));
        let skewed = LonLat { lon: 9.7, lat: 50.9 };
        let skewed = Frame::from_parts(skewed, [0.99, 0.1, -0.12, 1.01, 5e5, -3e6]).unwrap();
        frames.into_iter().chain([skewed]).collect()
    }

    #[test]
    fn a_cap_holds_all_points_within_the_margin_and_no_distant_ones() {
        let mut random = Town::generator(3);
        for frame in frames() {
            for size in [500.0, 20_000.0, 400_000.0] {
                let corner = frame.point(frame.origin());
                let bounds = Rectangle {
                    min: Point::new(corner.x - size, corner.y - size / 9.0),
                    max: Point::new(corner.x + size / 3.0, corner.y + size),
                };
                let cap = SphericalCap::around(&frame, bounds, Some(50.0));
                let at = |x, y| SpherePoint::new(frame.lon_lat(Point::new(x, y)));
                for _ in 0..500 {
                    let x = random.random_range(bounds.min.x - 50.0..=bounds.max.x + 50.0);
                    let y = random.random_range(bounds.min.y - 50.0..=bounds.max.y + 50.0);
                    assert!(cap.contains(at(x, y)), "{frame:?} {size} {x} {y}");
                }
                let far = bounds.centre().x + 1.5 * size + 5000.0;
                assert!(!cap.contains(at(far, bounds.centre().y)), "{frame:?} {size}");
            }
        }
    }

    #[test]
    fn without_a_margin_the_cap_is_the_sphere() {
        let frame = Frame::at(LonLat { lon: 8.0, lat: 50.0 });
        let bounds = Rectangle { min: Point::new(0.0, 0.0), max: Point::new(9.0, 9.0) };
        let antipode = SpherePoint::new(LonLat { lon: -172.0, lat: -50.0 });
        assert!(SphericalCap::around(&frame, bounds, None).contains(antipode));
        assert!(!SphericalCap::around(&frame, bounds, Some(50.0)).contains(antipode));
    }
}
