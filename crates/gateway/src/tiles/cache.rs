//! LRU cache of tiles, bounded in bytes.

#![expect(
    clippy::arithmetic_side_effects,
    reason = "sizes of tiles in memory, added and subtracted once each"
)]

use super::TileId;
use bytes::Bytes;
use std::collections::HashMap;

/// LRU cache of tiles. Eviction is a linear scan: the cache holds a few thousand tiles.
#[derive(Debug)]
pub struct TileCache {
    capacity: usize,
    /// Total size of all entries in bytes.
    size: usize,
    /// Number of accesses so far.
    clock: u64,
    /// Last access and content of each tile.
    tiles: HashMap<TileId, (u64, Bytes)>,
}

/// Bytes per entry besides its content.
const OVERHEAD: usize = 96;

impl TileCache {
    /// An empty cache of this capacity in bytes.
    pub fn new(capacity: usize) -> TileCache {
        TileCache { capacity, size: 0, clock: 0, tiles: HashMap::new() }
    }

    /// Returns a cached tile and marks it as used.
    pub fn get(&mut self, id: TileId) -> Option<Bytes> {
        self.clock += 1;
        let (used, tile) = self.tiles.get_mut(&id)?;
        *used = self.clock;
        Some(tile.clone())
    }

    /// Stores a tile. Empty tiles are not cached: there are millions and they are fast to encode.
    pub fn insert(&mut self, id: TileId, tile: Bytes) {
        if tile.is_empty() {
            return;
        }
        self.clock += 1;
        self.size += tile.len() + OVERHEAD;
        if let Some((_, old)) = self.tiles.insert(id, (self.clock, tile)) {
            self.size -= old.len() + OVERHEAD;
        }
        while self.size > self.capacity {
            // Clock values are unique, so the iteration order does not matter.
            let oldest = self.tiles.iter().min_by_key(|(_, (used, _))| *used).map(|(&id, _)| id);
            let Some((_, old)) = oldest.and_then(|id| self.tiles.remove(&id)) else { break };
            self.size -= old.len() + OVERHEAD;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_tile_is_evicted() {
        let id = |x| TileId { z: 3, x, y: 0 };
        let mut cache = TileCache::new(3 * (100 + OVERHEAD));
        for x in 0..3 {
            cache.insert(id(x), Bytes::from(vec![x as u8; 100]));
        }
        assert!(cache.get(id(0)).is_some());
        cache.insert(id(3), Bytes::from(vec![3; 100]));
        let cached: Vec<bool> = (0..4).map(|x| cache.get(id(x)).is_some()).collect();
        assert_eq!(cached, [true, false, true, true]);
        cache.insert(id(3), Bytes::from(vec![9; 100]));
        assert_eq!(cache.size, 3 * (100 + OVERHEAD));
    }

    #[test]
    fn a_tile_larger_than_the_capacity_is_not_cached() {
        let mut cache = TileCache::new(50);
        cache.insert(TileId { z: 0, x: 0, y: 0 }, Bytes::from(vec![0; 100]));
        assert_eq!((cache.size, cache.tiles.len()), (0, 0));
    }
}
