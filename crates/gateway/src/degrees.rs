//! Where things are on Earth, remembered: the same few thousand are told again and again, and the
//! way from the plane to degrees takes longer than everything else that is said of them.

use meshcloak::map::Frame;
use meshcloak::units::{LonLat, Point};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

/// Degrees by point.
#[derive(Debug, Default)]
pub struct Degrees {
    shelves: [Mutex<FxHashMap<(u64, u64), LonLat>>; SHELVES],
}

/// Shelves, so that threads seldom wait for each other.
const SHELVES: usize = 16;

/// A shelf with more places than this is emptied.
const MOST: usize = 16_384;

impl Degrees {
    /// The place of a point, to seven decimals of a degree: a centimetre.
    pub fn place(&self, frame: &Frame, point: Point) -> LonLat {
        let key = (point.x.to_bits(), point.y.to_bits());
        // The low bits of a coordinate are as good as chance.
        let shelf = &self.shelves[((key.0 ^ key.1) >> 20) as usize % SHELVES];
        let mut shelf = shelf.lock();
        if let Some(&place) = shelf.get(&key) {
            return place;
        }
        let LonLat { lon, lat } = frame.lon_lat(point);
        let place = LonLat { lon: rounded(lon), lat: rounded(lat) };
        if shelf.len() >= MOST {
            shelf.clear();
        }
        shelf.insert(key, place);
        place
    }
}

fn rounded(degrees: f64) -> f64 {
    (degrees * 1e7).round() / 1e7
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_the_same_the_second_time() {
        let frame = Frame::at(LonLat { lon: 9.0, lat: 48.0 });
        let degrees = Degrees::default();
        for number in 0..100 {
            let point = Point::new(f64::from(number) * 37.1, -4.0);
            let first = degrees.place(&frame, point);
            assert_eq!(degrees.place(&frame, point), first);
            assert!(frame.point(first).distance(point) < 0.02);
        }
    }
}
