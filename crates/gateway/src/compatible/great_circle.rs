//! Distances on the sphere, as clients of these APIs compute them, and how much longer the same
//! distance is in the plane of a map.

use meshcloak::map::Frame;
use meshcloak::units::{LonLat, Point};

/// Mean radius of the Earth in metres.
const EARTH_RADIUS: f64 = 6_371_008.8;

/// Directions in which the plane is compared with the sphere.
const DIRECTIONS: u32 = 16;

/// Factor for directions between two samples.
const SLACK: f64 = 1.001;

/// Returns the great-circle distance in metres, by the haversine formula.
pub(super) fn metres(a: LonLat, b: LonLat) -> f64 {
    let half_sine = |from: f64, to: f64| ((to - from).to_radians() / 2.0).sin();
    let (north, east) = (half_sine(a.lat, b.lat), half_sine(a.lon, b.lon));
    let scale = a.lat.to_radians().cos() * b.lat.to_radians().cos();
    let haversine = (north * north + scale * east * east).clamp(0.0, 1.0);
    2.0 * EARTH_RADIUS * haversine.sqrt().asin()
}

/// Returns an upper bound of the distance in the plane divided by that on the sphere, for points up to
/// `reach` metres from `centre`. Infinite if the map has no such points.
pub(super) fn stretch(frame: &Frame, centre: Point, reach: f64) -> f64 {
    // Below a metre the degrees are too coarse.
    let reach = reach.max(1.0);
    let middle = frame.lon_lat(centre);
    let ratio = |direction: u32| {
        let angle = f64::from(direction) * std::f64::consts::TAU / f64::from(DIRECTIONS);
        let point = Point::new(centre.x + reach * angle.cos(), centre.y + reach * angle.sin());
        let on_sphere = metres(middle, frame.lon_lat(point));
        if on_sphere > 0.0 { reach / on_sphere } else { f64::INFINITY }
    };
    (0..DIRECTIONS).map(ratio).fold(0.0, f64::max) * SLACK
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::Town;
    use rand::RngExt as _;

    #[test]
    fn a_degree_of_latitude_is_a_hundred_and_eleven_kilometres() {
        let at = |lon, lat| LonLat { lon, lat };
        assert!((metres(at(9.0, 48.0), at(9.0, 49.0)) - 111_195.0).abs() < 1.0);
        assert!((metres(at(179.5, 0.0), at(-179.5, 0.0)) - 111_195.0).abs() < 1.0);
        assert_eq!(metres(at(9.0, 48.0), at(9.0, 48.0)), 0.0);
    }

    #[test]
    fn no_direction_is_stretched_beyond_the_bound() {
        let mut random = Town::generator(3);
        for lat in [-70.0, 0.0, 48.0, 70.0] {
            let frame = Frame::at(LonLat { lon: 9.0, lat });
            let centre = Point::new(20_000.0, -7_000.0);
            let bound = stretch(&frame, centre, 1900.0);
            assert!((1.0..1.01).contains(&bound), "{bound}");
            for _ in 0..500 {
                let angle: f64 = random.random_range(0.0..std::f64::consts::TAU);
                let reach = random.random_range(1.0..1900.0);
                let point =
                    Point::new(centre.x + reach * angle.cos(), centre.y + reach * angle.sin());
                let on_sphere = metres(frame.lon_lat(centre), frame.lon_lat(point));
                assert!(reach <= on_sphere * bound, "{reach} {on_sphere} {bound}");
            }
        }
    }
}
