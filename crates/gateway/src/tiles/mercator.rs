//! Web Mercator: the unit square of web map tiles, x to the east, y to the south.

use meshcloak::map::{Frame, StreetMap};
use meshcloak::units::{LonLat, Point};
use std::f64::consts::PI;

/// Latitude of the upper edge in degrees.
const MAX_LATITUDE: f64 = 85.051_128_779_806_6;

/// Projects lon/lat to the unit square.
pub fn project(lon_lat: LonLat) -> Point {
    let lat = lon_lat.lat.clamp(-MAX_LATITUDE, MAX_LATITUDE).to_radians();
    let y = 0.5 - lat.tan().asinh() / (2.0 * PI);
    Point::new(lon_lat.lon / 360.0 + 0.5, y)
}

/// Inverse of [`project`].
pub fn unproject(world: Point) -> LonLat {
    let lat = (PI * (1.0 - 2.0 * world.y)).sinh().atan().to_degrees();
    LonLat { lon: (world.x - 0.5) * 360.0, lat }
}

/// Returns the projection of a map. A map without one is centred at lon 0, lat 0, so that it can be
/// drawn.
pub fn frame_of(map: &StreetMap) -> Frame {
    map.frame().cloned().unwrap_or_else(|| {
        let centre = map.bounds().centre();
        let affine = [1.0, 0.0, 0.0, 1.0, centre.x, centre.y];
        let origin = LonLat { lon: 0.0, lat: 0.0 };
        Frame::from_parts(origin, affine).unwrap_or_else(|| Frame::at(origin))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_projection_fills_the_unit_square_and_is_invertible() {
        let origin = project(LonLat { lon: 0.0, lat: 0.0 });
        assert!(origin.distance(Point::new(0.5, 0.5)) < 1e-12, "{origin:?}");
        let corner = project(LonLat { lon: -180.0, lat: 90.0 });
        assert!(corner.distance(Point::new(0.0, 0.0)) < 1e-9, "{corner:?}");
        for (lon, lat) in [(-8.61, 41.15), (16.37, 48.21), (179.9, -70.0)] {
            let back = unproject(project(LonLat { lon, lat }));
            assert!((back.lon - lon).abs() < 1e-9 && (back.lat - lat).abs() < 1e-9, "{back:?}");
        }
    }
}
