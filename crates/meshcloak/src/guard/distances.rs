//! Distances of the guard: between the members of a set, and from elsewhere to the members.
//!
//! ```text
//! ends      terminal of each slot      the ends of the members' streets
//! slot_of   by terminal                slot plus one; 0 if it is no end
//! lengths   n × n                      from each end to each end, filled when a member leaves by it
//! shortest  n                          from the origin elsewhere to each end
//! ```
//!
//! Members are near each other: most pairs are on one street or on streets with a common end, where the
//! length of the path along both is within the limit. Only other pairs need a row ([`RowCache`]), which
//! is read once for each end, until every end is found. Reference: `naive::distance`.

use super::row_cache::{CacheLimits, RowCache};
use crate::map::{Position, StreetId, StreetMap, TerminalId};
use crate::units::Length;

/// Distances to the members of a set, with the cache of rows.
#[derive(Default)]
pub(super) struct Distances {
    cache: RowCache,
    members: Vec<Place>,
    ends: Vec<TerminalId>,
    slot_of: Vec<u32>,
    /// Largest distance between members that is searched for.
    bound: u32,
    /// Whether a row of `lengths` is filled.
    is_filled: Vec<bool>,
    lengths: Vec<u32>,
    origin: Option<Place>,
    shortest: Vec<u32>,
    /// Distances from an exit of the origin.
    row: Vec<u32>,
}

/// Position on a street, as lengths in 1/32 m.
#[derive(Clone, Copy)]
struct Place {
    street: StreetId,
    one_way: bool,
    /// Length from the `from` end.
    offset: u32,
    /// Length to the `to` end.
    ahead: u32,
    /// Slots of the ends; [`NO_SLOT`] if no member's street has this end.
    from: u32,
    to: u32,
}

const NO_SLOT: u32 = u32::MAX;

/// A length beyond the bound, or a path that does not exist.
const UNREACHED: u32 = u32::MAX;

impl Place {
    /// Slots of the terminals by which the street is left, and the lengths to them.
    #[inline]
    fn exits(&self) -> [(u32, u32); 2] {
        [(self.to, self.ahead), (self.from, if self.one_way { UNREACHED } else { self.offset })]
    }

    /// Slots of the terminals by which the street is entered, and the lengths from them.
    #[inline]
    fn entrances(&self) -> [(u32, u32); 2] {
        [(self.from, self.offset), (self.to, if self.one_way { UNREACHED } else { self.ahead })]
    }

    /// Returns the length of the path along one street, or along two with a common end.
    #[inline]
    fn direct(&self, to: &Place) -> u32 {
        let is_ahead = to.offset >= self.offset || !self.one_way;
        let mut shortest = match self.street == to.street && is_ahead {
            true => self.offset.abs_diff(to.offset),
            false => UNREACHED,
        };
        for (exit, leave) in self.exits() {
            for (entrance, arrive) in to.entrances() {
                if exit == entrance && exit != NO_SLOT {
                    shortest = shortest.min(leave.saturating_add(arrive));
                }
            }
        }
        shortest
    }

    /// Returns the length of the shortest path that enters the street, from the lengths to all ends.
    #[inline]
    fn entered(&self, lengths: &[u32]) -> u32 {
        let by = |(slot, arrive): (u32, u32)| lengths[slot as usize].saturating_add(arrive);
        let [behind, ahead] = self.entrances();
        by(behind).min(by(ahead))
    }
}

impl Distances {
    /// Limits the cache to its share of the memory of that many caches.
    pub(super) fn share_memory(&mut self, caches: usize) {
        let CacheLimits { max_entries, min_unused } = CacheLimits::default();
        self.cache.limits = CacheLimits { max_entries: max_entries / caches.max(1), min_unused };
    }

    /// Sets the members of a set. Distances between them are known up to `bound`.
    pub(super) fn set_members(
        &mut self,
        map: &StreetMap,
        members: impl Iterator<Item = Position>,
        bound: Length,
    ) {
        self.ends.drain(..).for_each(|end| self.slot_of[end.index()] = 0);
        self.slot_of.resize(map.terminal_count(), 0);
        self.members.clear();
        for position in members {
            let at = map.street(position.street);
            for end in [at.from, at.to] {
                if self.slot_of[end.index()] == 0 {
                    self.ends.push(end);
                    self.slot_of[end.index()] = self.ends.len() as u32;
                }
            }
            self.members.push(self.place(map, position));
        }
        self.bound = bound.units();
        self.is_filled.clear();
        self.is_filled.resize(self.ends.len(), false);
        self.lengths.resize(self.ends.len() * self.ends.len(), 0);
    }

    fn place(&self, map: &StreetMap, Position { street, offset }: Position) -> Place {
        let at = map.street(street);
        let (offset, one_way) = (offset.units(), at.one_way);
        let [from, to] = [at.from, at.to].map(|end| self.slot_of[end.index()].wrapping_sub(1));
        Place { street, one_way, offset, ahead: at.length.units() - offset, from, to }
    }

    /// Returns whether the distance from one member to another is at most `limit`, which must not
    /// exceed the bound.
    pub(super) fn is_within(&mut self, map: &StreetMap, a: usize, b: usize, limit: Length) -> bool {
        let (from, to) = (self.members[a], self.members[b]);
        let limit = limit.units();
        let count = self.ends.len();
        from.direct(&to) <= limit
            || from.exits().into_iter().any(|(exit, leave)| {
                let start = exit as usize * count;
                leave <= limit && {
                    self.fill(map, exit as usize);
                    let length = to.entered(&self.lengths[start..start + count]);
                    length.saturating_add(leave) <= limit
                }
            })
    }

    /// Fills the row of an end.
    fn fill(&mut self, map: &StreetMap, slot: usize) {
        if !std::mem::replace(&mut self.is_filled[slot], true) {
            let count = self.ends.len();
            let row = self.cache.around(map, self.ends[slot], self.bound);
            let lengths = &mut self.lengths[slot * count..(slot + 1) * count];
            find_ends(row, self.bound, &self.slot_of, lengths);
        }
    }

    /// Sets an origin, which is usually no position of a member.
    pub(super) fn set_origin(&mut self, map: &StreetMap, origin: Position) {
        self.origin = Some(self.place(map, origin));
    }

    /// Returns the length of the path from the origin to a member along one street, or along two with
    /// a common end.
    pub(super) fn direct(&self, member: usize) -> Option<Length> {
        let length = self.origin?.direct(&self.members[member]);
        (length < UNREACHED).then_some(Length::from_units(length))
    }

    /// Searches for the members within `bound` of `origin`, the origin.
    pub(super) fn search(&mut self, map: &StreetMap, origin: Position, bound: Length) {
        self.shortest.clear();
        self.shortest.resize(self.ends.len(), UNREACHED);
        self.row.resize(self.ends.len(), UNREACHED);
        for (exit, leave) in map.exits(origin).filter(|(_, leave)| *leave <= bound) {
            let row = self.cache.around(map, exit, bound.units());
            find_ends(row, bound.units(), &self.slot_of, &mut self.row);
            for (shortest, length) in self.shortest.iter_mut().zip(&self.row) {
                *shortest = length.saturating_add(leave.units()).min(*shortest);
            }
        }
    }

    /// Returns the distance from the origin to a member; `None` beyond the bound of the last search.
    pub(super) fn found(&self, member: usize, bound: Length) -> Option<Length> {
        let to = &self.members[member];
        let length = self.origin?.direct(to).min(to.entered(&self.shortest));
        (length <= bound.units()).then_some(Length::from_units(length))
    }
}

/// Sets the distance of each end that is in a row within the bound. Reads until all are found.
fn find_ends(row: &[(u32, u32)], bound: u32, slot_of: &[u32], lengths: &mut [u32]) {
    lengths.fill(UNREACHED);
    let mut missing = lengths.len();
    for &(terminal, length) in row {
        if length > bound {
            return;
        }
        let slot = slot_of[terminal as usize];
        if slot > 0 {
            lengths[slot as usize - 1] = length;
            missing -= 1;
            if missing == 0 {
                return;
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
        let (mut reached, mut unreached, mut direct) = (0, 0, 0);
        for seed in 0..300 {
            let town = Town::random(seed);
            let map = &town.map;
            let mut random = Town::generator(seed);
            let table = naive::terminal_distances(map);
            let mut distances = Distances::default();
            for _ in 0..6 {
                let members: Vec<Position> =
                    (0..random.random_range(1..6)).map(|_| town.position(&mut random)).collect();
                let bound = Length::metres(random.random_range(1.0..3_000.0));
                distances.set_members(map, members.iter().copied(), bound);
                for (a, &from) in members.iter().enumerate() {
                    for (b, &to) in members.iter().enumerate() {
                        let limit = Length::from_units(random.random_range(0..=bound.units()));
                        let shortest = naive::distance(map, &table, from, to);
                        let expected = shortest.is_some_and(|length| length <= limit);
                        let found = distances.is_within(map, a, b, limit);
                        assert_eq!(found, expected, "seed {seed} {from:?} {to:?}\n{town}");
                        *(if found { &mut reached } else { &mut unreached }) += 1;
                    }
                }
                let elsewhere = town.position(&mut random);
                for &origin in members.iter().chain([&elsewhere]) {
                    distances.set_origin(map, origin);
                    distances.search(map, origin, bound);
                    for (number, &member) in members.iter().enumerate() {
                        let shortest = naive::distance(map, &table, origin, member);
                        let expected = shortest.filter(|&length| length <= bound);
                        let found = distances.found(number, bound);
                        assert_eq!(found, expected, "seed {seed} {origin:?} {member:?}\n{town}");
                        let path = distances.direct(number);
                        assert!(path.is_none_or(|path| shortest.is_some_and(|s| s <= path)));
                        direct += usize::from(path.is_some());
                        *(if found.is_some() { &mut reached } else { &mut unreached }) += 1;
                    }
                }
            }
        }
        assert!(reached > 8_000 && unreached > 3_000 && direct > 3_000, "{reached} {unreached}");
    }
}
