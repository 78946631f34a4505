//! Distances of the guard: a plain Dijkstra search from each terminal, cached by terminal.
//!
//! ```text
//! rows     one per terminal      Option<Row { start, end, bound }>
//! entries  entries[start..end]   (terminal, distance), nearest first, complete up to `bound`
//! spread   one per terminal      distance from the current origin, if set
//! ```
//!
//! A search ends after [`MAX_STEPS`] terminals; the terminals beyond count as unreachable.
//!
//! Users near one exit share its row, so a batch needs few searches. The engine's own distances
//! ([`crate::distance`]) are not used: an error there must not hide itself from the guard.
//! Reference: `naive::distance`.

use super::path::MAX_STEPS;
use crate::map::{Position, StreetMap, TerminalId};
use crate::stamps::Stamps;
use crate::units::Length;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Distances from one origin, with the cache of rows.
#[derive(Default)]
pub(super) struct Distances {
    limits: CacheLimits,
    rows: Vec<Option<Row>>,
    entries: Vec<(u32, u32)>,
    /// Number of entries that belong to no row.
    unused: usize,
    search: Search,
    origin: Option<Position>,
    bound: u32,
    spread: Stamps<u32>,
}

/// Size limits of the cache, in entries of 8 bytes.
#[derive(Clone, Copy)]
pub(super) struct CacheLimits {
    /// The cache is emptied when it holds more entries than this.
    pub(super) max_entries: usize,
    /// Fewer unused entries than this are not compacted.
    pub(super) min_unused: usize,
}

impl Default for CacheLimits {
    fn default() -> CacheLimits {
        CacheLimits { max_entries: 1 << 24, min_unused: 1 << 16 } // 128 MB
    }
}

#[derive(Clone, Copy)]
struct Row {
    start: usize,
    end: usize,
    bound: u32,
}

impl Distances {
    /// Sets the origin; distances from it are known up to `bound`.
    pub(super) fn set_origin(&mut self, map: &StreetMap, origin: Position, bound: Length) {
        self.rows.resize(map.terminal_count(), None);
        self.spread.clear(map.terminal_count());
        self.origin = Some(origin);
        self.bound = bound.units();
        let street = map.street(origin.street);
        self.spread_from(map, street.to, street.length.units() - origin.offset.units());
        if !street.one_way {
            self.spread_from(map, street.from, origin.offset.units());
        }
    }

    /// Returns the distance from the origin; `None` beyond the bound.
    pub(super) fn to(&self, map: &StreetMap, to: Position) -> Option<Length> {
        let origin = self.origin?;
        let street = map.street(to.street);
        let (behind, ahead) = (to.offset.units(), street.length.units() - to.offset.units());
        let mut shortest = self.at(street.from).saturating_add(behind);
        if !street.one_way {
            shortest = shortest.min(self.at(street.to).saturating_add(ahead));
        }
        if origin.street == to.street && (!street.one_way || to.offset >= origin.offset) {
            shortest = shortest.min(origin.offset.units().abs_diff(to.offset.units()));
        }
        (shortest <= self.bound).then_some(Length::from_units(shortest))
    }

    fn at(&self, terminal: TerminalId) -> u32 {
        self.spread.get(terminal.index()).unwrap_or(u32::MAX)
    }

    /// Adds the paths that leave the origin's street by `exit`, at distance `offset` from it.
    fn spread_from(&mut self, map: &StreetMap, exit: TerminalId, offset: u32) {
        let Some(rest) = self.bound.checked_sub(offset) else { return };
        // The row has the full bound, not `rest`: other origins near this exit share it.
        let row = self.row(map, exit, self.bound);
        for &(terminal, length) in &self.entries[row.start..row.end] {
            if length > rest {
                break;
            }
            self.spread.lower(terminal as usize, length + offset);
        }
    }

    /// Returns the row of a terminal, complete at least up to `bound`.
    fn row(&mut self, map: &StreetMap, terminal: TerminalId, bound: u32) -> Row {
        let old = self.rows[terminal.index()];
        if let Some(row) = old.filter(|row| row.bound >= bound) {
            return row;
        }
        self.unused += old.map_or(0, |row| row.end - row.start);
        self.rows[terminal.index()] = None;
        self.reclaim();
        let (start, bound) = (self.entries.len(), round_up(bound));
        let Distances { search, entries, .. } = self;
        search.run(map, terminal, bound, |terminal, length| {
            entries.push((terminal.0, length));
            entries.len() - start < MAX_STEPS
        });
        let row = Row { start, end: self.entries.len(), bound };
        self.rows[terminal.index()] = Some(row);
        row
    }

    /// Empties the cache beyond its size limit; compacts it when half of it is unused.
    fn reclaim(&mut self) {
        if self.entries.len() > self.limits.max_entries {
            self.entries.clear();
            self.rows.fill(None);
            self.unused = 0;
        } else if self.unused > (self.entries.len() / 2).max(self.limits.min_unused) {
            let mut rows: Vec<&mut Row> = self.rows.iter_mut().flatten().collect();
            rows.sort_unstable_by_key(|row| row.start);
            let mut end = 0;
            for row in rows {
                self.entries.copy_within(row.start..row.end, end);
                *row = Row { start: end, end: end + row.end - row.start, ..*row };
                end = row.end;
            }
            self.entries.truncate(end);
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
    use crate::naive;
    use crate::town::Town;
    use rand::RngExt as _;

    #[test]
    fn distances_agree_with_floyd_warshall() {
        for seed in 0..300 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let table = naive::terminal_distances(&town.map);
            let mut distances = Distances::default();
            for _ in 0..20 {
                let bound = Length::metres(random.random_range(1.0..3_000.0));
                let (a, b) = (town.position(&mut random), town.position(&mut random));
                distances.set_origin(&town.map, a, bound);
                let expected = naive::distance(&town.map, &table, a, b);
                let expected = expected.filter(|&length| length <= bound);
                assert_eq!(distances.to(&town.map, b), expected, "seed {seed} {a:?} {b:?}\n{town}");
            }
        }
    }

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
            let mut distances = Distances { limits, ..Distances::default() };
            let terminals = town.map.terminal_count();
            for number in 0..2_000_u32 {
                let before = distances.entries.len();
                let from = town.position(&mut random);
                distances.set_origin(&town.map, from, Length::from_units(number * 40));
                let rows = distances.rows.iter().flatten();
                let useful: usize = rows.map(|row| row.end - row.start).sum();
                let kept = distances.entries.len();
                assert_eq!(useful + distances.unused, kept);
                assert!(useful <= terminals * terminals);
                assert!(kept <= limits.max_entries + 2 * terminals);
                assert!(distances.unused <= kept / 2 + limits.min_unused + 2 * terminals);
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
