//! The tiles that were asked for last, up to so many bytes.

use super::TileId;
use bytes::Bytes;
use std::collections::HashMap;

/// Keeps what was used last; when it is full, what was used longest ago goes.
#[derive(Debug)]
pub struct TileCache {
    room: usize,
    used: usize,
    clock: u64,
    kept: HashMap<TileId, (u64, Bytes)>,
}

/// What an entry costs besides its bytes.
const OVERHEAD: usize = 96;

impl TileCache {
    /// An empty cache with room for so many bytes.
    pub fn new(room: usize) -> TileCache {
        TileCache { room, used: 0, clock: 0, kept: HashMap::new() }
    }

    /// A tile, if it is here.
    pub fn get(&mut self, id: TileId) -> Option<Bytes> {
        self.clock += 1;
        let (used, tile) = self.kept.get_mut(&id)?;
        *used = self.clock;
        Some(tile.clone())
    }

    /// Keeps a tile. Empty ones are cut as quickly as they are found, and there are millions.
    pub fn put(&mut self, id: TileId, tile: Bytes) {
        if tile.is_empty() {
            return;
        }
        self.clock += 1;
        self.used += tile.len() + OVERHEAD;
        if let Some((_, old)) = self.kept.insert(id, (self.clock, tile)) {
            self.used -= old.len() + OVERHEAD;
        }
        while self.used > self.room {
            // Clock values differ, so the order of the map does not matter.
            let oldest = self.kept.iter().min_by_key(|(_, (used, _))| *used).map(|(&id, _)| id);
            let Some((_, old)) = oldest.and_then(|id| self.kept.remove(&id)) else { break };
            self.used -= old.len() + OVERHEAD;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_longest_ago_goes_first() {
        let id = |x| TileId { z: 3, x, y: 0 };
        let mut cache = TileCache::new(3 * (100 + OVERHEAD));
        for x in 0..3 {
            cache.put(id(x), Bytes::from(vec![x as u8; 100]));
        }
        assert!(cache.get(id(0)).is_some());
        cache.put(id(3), Bytes::from(vec![3; 100]));
        let here: Vec<bool> = (0..4).map(|x| cache.get(id(x)).is_some()).collect();
        assert_eq!(here, [true, false, true, true]);
        cache.put(id(3), Bytes::from(vec![9; 100]));
        assert_eq!(cache.used, 3 * (100 + OVERHEAD));
    }

    #[test]
    fn a_tile_larger_than_the_room_is_not_kept() {
        let mut cache = TileCache::new(50);
        cache.put(TileId { z: 0, x: 0, y: 0 }, Bytes::from(vec![0; 100]));
        assert_eq!((cache.used, cache.kept.len()), (0, 0));
    }
}
