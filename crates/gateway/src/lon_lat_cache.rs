//! Cache of projected points. The same few thousand objects occur in most answers, and projecting
//! one takes longer than writing the rest of its JSON.

use meshcloak::map::Frame;
use meshcloak::units::{LonLat, Point};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

/// Lon/lat by point, in shards with a lock each.
#[derive(Debug, Default)]
pub struct LonLatCache {
    shards: [Mutex<FxHashMap<(u64, u64), LonLat>>; SHARDS],
}

/// Number of shards; reduces lock contention.
const SHARDS: usize = 16;

/// Entries at which a shard is cleared.
const MAX_SHARD_LEN: usize = 16_384;

impl LonLatCache {
    /// Projects a point and rounds to seven decimals of a degree, about a centimetre.
    #[expect(clippy::indexing_slicing, reason = "the index is below `SHARDS`")]
    pub fn lon_lat(&self, frame: &Frame, point: Point) -> LonLat {
        let key = (point.x.to_bits(), point.y.to_bits());
        // The low mantissa bits are close to uniformly distributed.
        let shard = &self.shards[((key.0 ^ key.1) >> 20) as usize % SHARDS];
        let mut shard = shard.lock();
        if let Some(&lon_lat) = shard.get(&key) {
            return lon_lat;
        }
        let LonLat { lon, lat } = frame.lon_lat(point);
        let lon_lat = LonLat { lon: rounded(lon), lat: rounded(lat) };
        if shard.len() >= MAX_SHARD_LEN {
            shard.clear();
        }
        shard.insert(key, lon_lat);
        lon_lat
    }
}

fn rounded(degrees: f64) -> f64 {
    (degrees * 1e7).round() / 1e7
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cached_point_equals_the_projected_one() {
        let frame = Frame::at(LonLat { lon: 9.0, lat: 48.0 });
        let cache = LonLatCache::default();
        for number in 0..100 {
            let point = Point::new(f64::from(number) * 37.1, -4.0);
            let first = cache.lon_lat(&frame, point);
            assert_eq!(cache.lon_lat(&frame, point), first);
            assert!(frame.point(first).distance(point) < 0.02);
        }
    }
}
