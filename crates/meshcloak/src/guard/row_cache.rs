//! Rows of the guard's distances: a plain Dijkstra search from each terminal, cached by terminal.
//!
//! ```text
//! rows     one per terminal      Row { start, len, bound }, 12 bytes
//! entries  entries[start..end]   (terminal, distance), nearest first, complete up to `bound`
//! ```
//!
//! A search ends after [`MAX_STEPS`] terminals; the terminals beyond count as unreachable.
//!
//! Users near one exit share its row, so a batch needs few searches. The engine's own distances
//! ([`crate::distance`]) are not used: an error there must not hide itself from the guard.

use super::path::MAX_STEPS;
use crate::map::{StreetMap, TerminalId};
use crate::stamps::Stamps;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Terminals around each terminal, nearest first.
#[derive(Default)]
pub(super) struct RowCache {
    pub(super) limits: CacheLimits,
    rows: Vec<Row>,
    entries: Vec<(u32, u32)>,
    /// Number of entries that belong to no row.
    unused: usize,
    search: Search,
}

/// Size limits of the cache, in entries of 8 bytes.
#[derive(Clone, Copy)]
pub(super) struct CacheLimits {
    /// The cache is emptied when it holds more entries than this.
    pub(super) max_entries: usize,
    /// Fewer unused entries than this are not compacted.
    pub(super) min_unused: usize,
}

/// Largest size of the guard's distances, of all threads together.
pub const MAX_CACHE_BYTES: usize = 128 << 20;

impl Default for CacheLimits {
    fn default() -> CacheLimits {
        let max_entries = MAX_CACHE_BYTES / size_of::<(u32, u32)>();
        CacheLimits { max_entries, min_unused: 1 << 16 }
    }
}

/// Range of `entries`. Twelve bytes, since every check of a set reads several rows at random.
#[derive(Clone, Copy, Default)]
struct Row {
    start: u32,
    len: u32,
    /// The row is complete below this distance; 0 if it is not computed.
    end: u32,
}

impl Row {
    fn range(self) -> Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}

impl RowCache {
    /// Returns the terminals around `terminal` with their distances, nearest first, complete at
    /// least up to `bound`.
    pub(super) fn around(
        &mut self,
        map: &StreetMap,
        terminal: TerminalId,
        bound: u32,
    ) -> &[(u32, u32)] {
        if self.rows.len() != map.terminal_count() {
            self.rows.resize(map.terminal_count(), Row::default());
        }
        let mut row = self.rows[terminal.index()];
        if row.end <= bound {
            row = self.search(map, terminal, bound);
        }
        &self.entries[row.range()]
    }

    #[cold]
    fn search(&mut self, map: &StreetMap, terminal: TerminalId, bound: u32) -> Row {
        self.unused += self.rows[terminal.index()].len as usize;
        self.rows[terminal.index()] = Row::default();
        self.reclaim();
        let (start, bound) = (self.entries.len(), round_up(bound));
        let RowCache { search, entries, .. } = self;
        search.run(map, terminal, bound, |terminal, length| {
            entries.push((terminal.0, length));
            entries.len() - start < MAX_STEPS
        });
        let len = (self.entries.len() - start) as u32;
        let row = Row { start: start as u32, len, end: bound.saturating_add(1) };
        self.rows[terminal.index()] = row;
        row
    }

    /// Empties the cache beyond its size limit; compacts it when half of it is unused.
    fn reclaim(&mut self) {
        if self.entries.len() > self.limits.max_entries {
            self.entries.clear();
            self.rows.fill(Row::default());
            self.unused = 0;
        } else if self.unused > (self.entries.len() / 2).max(self.limits.min_unused) {
            let mut rows: Vec<&mut Row> = self.rows.iter_mut().filter(|row| row.len > 0).collect();
            rows.sort_unstable_by_key(|row| row.start);
            let mut end = 0;
            for row in rows {
                self.entries.copy_within(row.range(), end as usize);
                row.start = end;
                end += row.len;
            }
            self.entries.truncate(end as usize);
            self.unused = 0;
        }
    }
}

/// Rounds a bound up by at most a quarter, so that slightly larger bounds reuse a row.
fn round_up(bound: u32) -> u32 {
    let step = 1 << bound.checked_ilog2().unwrap_or(0).saturating_sub(2);
    bound.checked_next_multiple_of(step).unwrap_or(u32::MAX)
}

/// Scratch buffers of Dijkstra's algorithm.
#[derive(Default)]
struct Search {
    /// Shortest distance so far, by terminal.
    best: Stamps<u32>,
    open: BinaryHeap<Reverse<(u32, TerminalId)>>,
}

impl Search {
    /// Calls `visit` with every terminal within `bound` of `from`, nearest first, until it returns
    /// `false`.
    fn run(
        &mut self,
        map: &StreetMap,
        from: TerminalId,
        bound: u32,
        mut visit: impl FnMut(TerminalId, u32) -> bool,
    ) {
        let Search { best, open } = self;
        best.clear(map.terminal_count());
        open.clear();
        best.insert(from.index(), 0);
        open.push(Reverse((0, from)));
        while let Some(Reverse((length, terminal))) = open.pop() {
            if best.get(terminal.index()).is_some_and(|best| best < length) {
                continue;
            }
            if !visit(terminal, length) {
                return;
            }
            for arm in map.leaving(terminal) {
                let next = length.saturating_add(map.street(arm.street).length.units());
                if next <= bound && best.lower(arm.terminal.index(), next) {
                    open.push(Reverse((next, arm.terminal)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::town::Town;

    #[test]
    fn bounds_are_rounded_up_by_at_most_a_quarter() {
        let mut steps = std::collections::BTreeSet::new();
        for bound in 0..70_000 {
            let step = round_up(bound);
            assert!(bound <= step && step - bound <= bound / 4, "{bound} {step}");
            steps.insert(step);
        }
        assert!(steps.len() < 70, "{}", steps.len());
        assert_eq!(round_up(u32::MAX), u32::MAX);
    }

    #[test]
    fn the_cache_stays_within_its_limits_for_any_sequence_of_bounds() {
        let limits = CacheLimits { max_entries: 1 << 8, min_unused: 1 << 4 };
        let (mut compacted, mut emptied) = (0, 0);
        for seed in 400..430 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let mut cache = RowCache { limits, ..RowCache::default() };
            let terminals = town.map.terminal_count();
            for number in 0..2_000_u32 {
                let before = cache.entries.len();
                let from = town.position(&mut random);
                for (exit, _) in town.map.exits(from) {
                    cache.around(&town.map, exit, number * 40);
                }
                let useful: usize = cache.rows.iter().map(|row| row.len as usize).sum();
                let kept = cache.entries.len();
                assert_eq!(useful + cache.unused, kept);
                assert!(useful <= terminals * terminals);
                assert!(kept <= limits.max_entries + 2 * terminals);
                assert!(cache.unused <= kept / 2 + limits.min_unused + 2 * terminals);
                compacted += u32::from(kept < before && kept > 2 * terminals);
                emptied += u32::from(kept < before && kept <= 2 * terminals);
            }
        }
        assert!(
            compacted > 10 && emptied > 10,
            "compacted {compacted} times, emptied {emptied} times"
        );
    }
}
