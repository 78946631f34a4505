//! Web Mercator: the square in which web maps are cut into tiles, x to the east, y to the south,
//! the whole world from 0 to 1.

use meshcloak::map::{Frame, StreetMap};
use meshcloak::units::{LonLat, Point};
use std::f64::consts::PI;

/// The latitude at which the square ends.
const POLE: f64 = 85.051_128_779_806_6;

/// Where a place lies in the square.
pub fn world(place: LonLat) -> Point {
    let lat = place.lat.clamp(-POLE, POLE).to_radians();
    let y = 0.5 - lat.tan().asinh() / (2.0 * PI);
    Point::new(place.lon / 360.0 + 0.5, y)
}

/// The place at a point of the square.
pub fn place(world: Point) -> LonLat {
    let lat = (PI * (1.0 - 2.0 * world.y)).sinh().atan().to_degrees();
    LonLat { lon: (world.x - 0.5) * 360.0, lat }
}

/// Where the map lies on Earth. A map that does not know is laid around the point where equator
/// and prime meridian cross, so that it can be drawn all the same.
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
    fn the_world_is_a_square_and_places_come_back() {
        let origin = world(LonLat { lon: 0.0, lat: 0.0 });
        assert!(origin.distance(Point::new(0.5, 0.5)) < 1e-12, "{origin:?}");
        let corner = world(LonLat { lon: -180.0, lat: 90.0 });
        assert!(corner.distance(Point::new(0.0, 0.0)) < 1e-9, "{corner:?}");
        for (lon, lat) in [(-8.61, 41.15), (16.37, 48.21), (179.9, -70.0)] {
            let back = place(world(LonLat { lon, lat }));
            assert!((back.lon - lon).abs() < 1e-9 && (back.lat - lat).abs() < 1e-9, "{back:?}");
        }
    }
}
