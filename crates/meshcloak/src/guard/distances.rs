//! The guard's own distances: a plain Dijkstra from one terminal, kept for as long as there is
//! room, and spread out over the map for whoever stands somewhere.

use crate::map::{Position, StreetMap, TerminalId};
use crate::stamps::Stamps;
use crate::units::Length;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How far it is from one position to others.
#[derive(Clone, Debug, Default)]
pub(super) struct Distances {
    /// For each terminal which rows are its own, and up to where they reach.
    rows: Vec<Option<Row>>,
    entries: Vec<(u32, u32)>,
    /// How many of the entries belong to no row any more.
    waste: usize,
    search: Search,
    from: Option<Position>,
    bound: u32,
    /// Distance of each terminal from `from`, 1/32 m.
    spread: Stamps<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    start: usize,
    end: usize,
    bound: u32,
}

/// More entries than this are not kept: 128 MB of them, and few in tests. Then all are forgotten.
const MOST_ENTRIES: usize = if cfg!(test) { 1 << 8 } else { 1 << 24 };

/// Fewer entries than this are not looked through for those that are of no use any more.
const FEW_ENTRIES: usize = if cfg!(test) { 1 << 4 } else { 1 << 16 };

impl Distances {
    /// Turns to a position: distances from there are known up to `bound`.
    pub(super) fn stand(&mut self, map: &StreetMap, from: Position, bound: Length) {
        self.rows.resize(map.terminal_count(), None);
        self.spread.clear(map.terminal_count());
        self.from = Some(from);
        self.bound = bound.units();
        let street = map.street(from.street);
        self.leave_by(map, street.to, street.length.units() - from.offset.units());
        if !street.one_way {
            self.leave_by(map, street.from, from.offset.units());
        }
    }

    /// How far it is from there to `to`; `None` beyond the bound.
    pub(super) fn to(&self, map: &StreetMap, to: Position) -> Option<Length> {
        let from = self.from?;
        let street = map.street(to.street);
        let (behind, ahead) = (to.offset.units(), street.length.units() - to.offset.units());
        let mut shortest = self.at(street.from).saturating_add(behind);
        if !street.one_way {
            shortest = shortest.min(self.at(street.to).saturating_add(ahead));
        }
        if from.street == to.street && (!street.one_way || to.offset >= from.offset) {
            shortest = shortest.min(from.offset.units().abs_diff(to.offset.units()));
        }
        (shortest <= self.bound).then_some(Length::from_units(shortest))
    }

    fn at(&self, terminal: TerminalId) -> u32 {
        self.spread.get(terminal.index()).unwrap_or(u32::MAX)
    }

    fn leave_by(&mut self, map: &StreetMap, exit: TerminalId, behind: u32) {
        let Some(left) = self.bound.checked_sub(behind) else { return };
        // Whoever else stands near this exit is nearer to it or farther, and most have the same
        // bound: one row serves them all.
        let row = self.row(map, exit, self.bound);
        for &(terminal, length) in &self.entries[row.start..row.end] {
            if length > left {
                break;
            }
            self.spread.lower(terminal as usize, length + behind);
        }
    }

    /// The terminals within `bound` of one, nearest first, and perhaps some more.
    fn row(&mut self, map: &StreetMap, terminal: TerminalId, bound: u32) -> Row {
        let old = self.rows[terminal.index()];
        if let Some(row) = old.filter(|row| row.bound >= bound) {
            return row;
        }
        self.waste += old.map_or(0, |row| row.end - row.start);
        self.rows[terminal.index()] = None;
        self.make_room();
        let (start, bound) = (self.entries.len(), step_up(bound));
        let Distances { search, entries, .. } = self;
        search.run(map, terminal, bound, |terminal, length| entries.push((terminal.0, length)));
        let row = Row { start, end: self.entries.len(), bound };
        self.rows[terminal.index()] = Some(row);
        row
    }

    /// Of the entries that are kept at most half are of no use; if all of them are too many, none
    /// is kept.
    fn make_room(&mut self) {
        if self.entries.len() > MOST_ENTRIES {
            self.entries.clear();
            self.rows.fill(None);
            self.waste = 0;
        } else if self.waste > (self.entries.len() / 2).max(FEW_ENTRIES) {
            let mut rows: Vec<&mut Row> = self.rows.iter_mut().flatten().collect();
            rows.sort_unstable_by_key(|row| row.start);
            let mut kept = 0;
            for row in rows {
                self.entries.copy_within(row.start..row.end, kept);
                *row = Row { start: kept, end: kept + row.end - row.start, ..*row };
                kept = row.end;
            }
            self.entries.truncate(kept);
            self.waste = 0;
        }
    }
}

/// A bound that is not below this one, and at most a quarter above: there are few of them, so that
/// a row is not made anew for every bound that is a little larger than those before.
fn step_up(bound: u32) -> u32 {
    let step = 1 << bound.checked_ilog2().unwrap_or(0).saturating_sub(2);
    bound.checked_next_multiple_of(step).unwrap_or(u32::MAX)
}

/// Room for searches.
#[derive(Clone, Debug, Default)]
struct Search {
    /// Shortest distance to each terminal found so far, 1/32 m.
    best: Stamps<u32>,
    open: BinaryHeap<Reverse<(u32, TerminalId)>>,
}

impl Search {
    /// Dijkstra's algorithm: calls `visit` with every terminal within `bound`, nearest first.
    fn run(
        &mut self,
        map: &StreetMap,
        from: TerminalId,
        bound: u32,
        mut visit: impl FnMut(TerminalId, u32),
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
            visit(terminal, length);
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
    fn the_guard_measures_as_floyd_and_warshall_do() {
        for seed in 0..300 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let table = naive::terminal_distances(&town.map);
            let mut distances = Distances::default();
            for _ in 0..20 {
                let bound = Length::metres(random.random_range(1.0..3_000.0));
                let (a, b) = (town.position(&mut random), town.position(&mut random));
                distances.stand(&town.map, a, bound);
                let expected = naive::distance(&town.map, &table, a, b);
                let expected = expected.filter(|&length| length <= bound);
                assert_eq!(distances.to(&town.map, b), expected, "seed {seed} {a:?} {b:?}\n{town}");
            }
        }
    }

    #[test]
    fn a_step_up_is_small_and_there_are_few() {
        let mut steps = std::collections::BTreeSet::new();
        for bound in 0..70_000 {
            let step = step_up(bound);
            assert!(bound <= step && step - bound <= bound / 4, "{bound} {step}");
            steps.insert(step);
        }
        assert!(steps.len() < 70, "{}", steps.len());
        assert_eq!(step_up(u32::MAX), u32::MAX);
    }

    #[test]
    fn however_many_bounds_are_asked_for_little_more_is_kept_than_one_row_for_each_terminal() {
        let (mut gathered, mut forgot) = (0, 0);
        for seed in 400..430 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let mut distances = Distances::default();
            let terminals = town.map.terminal_count();
            for number in 0..2_000_u32 {
                let before = distances.entries.len();
                let from = town.position(&mut random);
                distances.stand(&town.map, from, Length::from_units(number * 40));
                let rows = distances.rows.iter().flatten();
                let useful: usize = rows.map(|row| row.end - row.start).sum();
                let kept = distances.entries.len();
                assert_eq!(useful + distances.waste, kept);
                assert!(useful <= terminals * terminals);
                assert!(kept <= MOST_ENTRIES + 2 * terminals);
                assert!(distances.waste <= kept / 2 + FEW_ENTRIES + 2 * terminals);
                gathered += u32::from(kept < before && kept > 2 * terminals);
                forgot += u32::from(kept < before && kept <= 2 * terminals);
            }
        }
        assert!(gathered > 10 && forgot > 10, "{gathered} times gathered, {forgot} forgotten");
    }
}
