//! Distances of the guard, from one origin to the members of a set.
//!
//! ```text
//! slot_of   one per terminal   slot 0 … n-1 of each end of a member's street
//! lengths   n × n              from each end to each end, filled when a member leaves by it
//! shortest  n                  from the current origin to each end
//! ```
//!
//! A row ([`RowCache`]) is read once for each end, not once for each member, until every end is found;
//! nothing is stored for other terminals. Reference: `naive::distance`.

use super::row_cache::{CacheLimits, RowCache};
use crate::map::{Position, StreetId, StreetMap, TerminalId};
use crate::stamps::Stamps;
use crate::units::Length;

/// Distances from one origin to the members of a set, with the cache of rows.
#[derive(Default)]
pub(super) struct Distances {
    cache: RowCache,
    members: Vec<Place>,
    /// For each end the length up to which its row of `lengths` is complete, if it is filled.
    filled: Vec<Option<u32>>,
    slot_of: Stamps<u32>,
    lengths: Vec<u32>,
    origin: Option<Position>,
    bound: u32,
    shortest: Vec<u32>,
    /// Distances from an exit that is no end of a member's street.
    scratch: Vec<u32>,
}

/// Position of a member.
struct Place {
    street: StreetId,
    one_way: bool,
    offset: u32,
    /// Length from the position to the `to` end.
    ahead: u32,
    /// Slots of the ends `from` and `to`.
    from: usize,
    to: usize,
}

/// Length beyond the bound.
const UNREACHED: u32 = u32::MAX;

impl Distances {
    /// Limits the cache to its share of the memory of that many caches.
    pub(super) fn share_memory(&mut self, caches: usize) {
        let CacheLimits { max_entries, min_unused } = CacheLimits::default();
        self.cache.limits = CacheLimits { max_entries: max_entries / caches.max(1), min_unused };
    }

    /// Sets the members of a set. Distances are known from the next call of
    /// [`Distances::set_origin`] on.
    pub(super) fn set_members(&mut self, map: &StreetMap, members: impl Iterator<Item = Position>) {
        self.members.clear();
        self.filled.clear();
        self.slot_of.clear(map.terminal_count());
        for Position { street, offset } in members {
            let at = map.street(street);
            let [from, to] = [at.from, at.to].map(|terminal| self.slot(terminal));
            let (offset, one_way) = (offset.units(), at.one_way);
            let ahead = at.length.units() - offset;
            self.members.push(Place { street, one_way, offset, ahead, from, to });
        }
        self.lengths.resize(self.filled.len() * self.filled.len(), 0);
    }

    /// Returns the slot of an end.
    fn slot(&mut self, terminal: TerminalId) -> usize {
        let (is_set, slot) = self.slot_of.peek(terminal.index());
        if is_set {
            return slot as usize;
        }
        self.slot_of.insert(terminal.index(), self.filled.len() as u32);
        self.filled.push(None);
        self.filled.len() - 1
    }

    /// Sets the origin; distances from it are known up to `bound`.
    pub(super) fn set_origin(&mut self, map: &StreetMap, origin: Position, bound: Length) {
        self.origin = Some(origin);
        self.bound = bound.units();
        self.shortest.clear();
        self.shortest.resize(self.filled.len(), UNREACHED);
        let street = map.street(origin.street);
        self.leave_by(map, street.to, street.length.units() - origin.offset.units());
        if !street.one_way {
            self.leave_by(map, street.from, origin.offset.units());
        }
    }

    /// Returns the distance from the origin to a member; `None` beyond the bound.
    pub(super) fn to(&self, member: usize) -> Option<Length> {
        let origin = self.origin?;
        let to = &self.members[member];
        let mut shortest = self.shortest[to.from].saturating_add(to.offset);
        if !to.one_way {
            shortest = shortest.min(self.shortest[to.to].saturating_add(to.ahead));
        }
        let offset = origin.offset.units();
        if origin.street == to.street && (!to.one_way || to.offset >= offset) {
            shortest = shortest.min(offset.abs_diff(to.offset));
        }
        (shortest <= self.bound).then_some(Length::from_units(shortest))
    }

    /// Adds the paths that leave the origin's street by `exit`, at distance `offset` from it.
    fn leave_by(&mut self, map: &StreetMap, exit: TerminalId, offset: u32) {
        if self.bound < offset {
            return;
        }
        let count = self.filled.len();
        let (is_end, slot) = self.slot_of.peek(exit.index());
        let lengths = if is_end {
            let slot = slot as usize;
            let lengths = &mut self.lengths[slot * count..(slot + 1) * count];
            if self.filled[slot].is_none_or(|filled| filled < self.bound) {
                // The full bound, not what the origin leaves of it: other members share the row.
                let row = self.cache.around(map, exit, self.bound);
                let has_all = find_ends(row, self.bound, &self.slot_of, lengths);
                self.filled[slot] = Some(if has_all { UNREACHED } else { self.bound });
            }
            lengths
        } else {
            self.scratch.resize(count, UNREACHED);
            let row = self.cache.around(map, exit, self.bound);
            find_ends(row, self.bound, &self.slot_of, &mut self.scratch);
            &mut self.scratch
        };
        for (shortest, length) in self.shortest.iter_mut().zip(lengths) {
            *shortest = length.saturating_add(offset).min(*shortest);
        }
    }
}

/// Sets the distance of each end that is in a row within the bound. Reads until all are found, and
/// returns whether they are.
fn find_ends(row: &[(u32, u32)], bound: u32, slot_of: &Stamps<u32>, lengths: &mut [u32]) -> bool {
    lengths.fill(UNREACHED);
    let mut missing = lengths.len();
    for &(terminal, length) in row {
        if length > bound {
            break;
        }
        let (is_end, slot) = slot_of.peek(terminal as usize);
        if is_end {
            lengths[slot as usize] = length;
            missing -= 1;
            if missing == 0 {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;
    use crate::town::Town;
    use rand::RngExt as _;

    #[test]
    fn distances_agree_with_floyd_warshall() {
        let (mut reached, mut unreached) = (0, 0);
        for seed in 0..300 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let table = naive::terminal_distances(&town.map);
            let mut distances = Distances::default();
            for _ in 0..6 {
                let members: Vec<Position> =
                    (0..random.random_range(1..6)).map(|_| town.position(&mut random)).collect();
                distances.set_members(&town.map, members.iter().copied());
                let elsewhere = town.position(&mut random);
                for &origin in members.iter().chain([&elsewhere]) {
                    let bound = Length::metres(random.random_range(1.0..3_000.0));
                    distances.set_origin(&town.map, origin, bound);
                    for (number, &member) in members.iter().enumerate() {
                        let expected = naive::distance(&town.map, &table, origin, member);
                        let expected = expected.filter(|&length| length <= bound);
                        let found = distances.to(number);
                        assert_eq!(found, expected, "seed {seed} {origin:?} {member:?}\n{town}");
                        *(if found.is_some() { &mut reached } else { &mut unreached }) += 1;
                    }
                }
            }
        }
        assert!(reached > 5_000 && unreached > 1_000, "{reached} {unreached}");
    }
}
