//! Entries of the row of a street, and the searches that compute one row.
//!
//! ```text
//! forward   one search per exit of the street, advanced together, the nearer terminal first:
//!           streets are discovered by ascending distance, until the row is long enough
//! finish    each search goes on until the ends of the streets of the row are final
//! backward  one search per entrance of the street, until the exits of the same streets are final;
//!           left out if every street is two-way
//! ```
//!
//! A row of 47 entries needs some hundred terminals instead of all within `dc_max`, so one street is
//! prepared without the others. Reference: `naive::terminal_distances`.

use super::matrix::DistanceMatrix;
use super::row_source::RowSource;
use super::search::{Arcs, Search};
use crate::map::{Street, StreetId, TerminalId};
use crate::stamps::Stamps;

/// A distance beyond `dc_max`, or a path that does not exist.
pub(crate) const UNREACHABLE: u16 = u16::MAX;

/// Distances in 1/32 m from the ends of one street to the ends of another:
/// `[from → from, from → to, to → from, to → to]`. One-way streets cannot be left at `from` nor
/// entered at `to`.
pub type Crossing = [u16; 4];

/// An entry of a row: a street that can be reached from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReachedStreet {
    /// The street.
    pub street: StreetId,
    /// Distance to the nearest entrance: the minimum of `crossing`.
    pub nearest: u16,
    /// Distances between the ends of the two streets.
    pub crossing: Crossing,
    /// Rank in street order among the near part of the row and the row's own street; 0 in the far
    /// part.
    pub(crate) rank: u8,
}

/// Where a row ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum RowEnd {
    /// After that many entries.
    Len(usize),
    /// At that distance, 1/32 m.
    Distance(u32),
}

/// Scratch buffers of the searches, and the last row.
#[derive(Debug, Default)]
pub(super) struct StreetRow {
    /// Searches from the exits of the street, then to its entrances: at `from` and at `to`.
    ends: [Search; 2],
    seen: Stamps<()>,
    /// Distance and street of each entry, ascending.
    found: Vec<(u16, StreetId)>,
    /// The entries, nearest first.
    pub(super) entries: Vec<ReachedStreet>,
    /// Return path of each entry; empty if every street is two-way.
    pub(super) back: Vec<Crossing>,
    /// Distances from the ends of the street around to its own ends.
    pub(super) own: Crossing,
    /// Distance of the first street that was left out, if it is within the end of the row.
    pub(super) next: Option<u16>,
}

impl StreetRow {
    /// Searches the row of a street.
    pub(super) fn search(&mut self, source: &RowSource, street: StreetId, end: RowEnd) {
        let ends = source.map.street(street);
        self.ends[0].start(&source.forward, (!ends.one_way).then_some(ends.from));
        self.ends[1].start(&source.forward, Some(ends.to));
        self.discover(source, street, end);
        self.cut(end);
        self.fill(source, street);
        if let Some(backward) = &source.backward {
            self.ends[0].start(backward, Some(ends.from));
            self.ends[1].start(backward, (!ends.one_way).then_some(ends.to));
            self.fill_back(source, backward);
        }
    }

    /// Reads the complete row of a street from the distances to and from all terminals.
    pub(super) fn gather(&mut self, source: &RowSource, matrices: &Matrices, street: StreetId) {
        let ends = *source.map.street(street);
        let exits = [(!ends.one_way).then_some(ends.from), Some(ends.to)];
        self.begin(source, street);
        for (search, exit) in self.ends.iter_mut().zip(exits) {
            search
                .load(&source.forward, exit.into_iter().flat_map(|at| matrices.forward.units(at)));
            for (terminal, _) in exit.into_iter().flat_map(|at| matrices.forward.units(at)) {
                for arm in source.map.leaving(terminal) {
                    if self.seen.insert(arm.street.index(), ()) {
                        self.found.push((0, arm.street));
                    }
                }
            }
        }
        self.next = None;
        self.fill(source, street);
        self.entries.sort_unstable_by_key(|reached| (reached.nearest, reached.street));
        if let (Some(backward), Some(matrix)) = (&source.backward, &matrices.backward) {
            let entrances = [Some(ends.from), (!ends.one_way).then_some(ends.to)];
            for (search, entrance) in self.ends.iter_mut().zip(entrances) {
                search.load(backward, entrance.into_iter().flat_map(|at| matrix.units(at)));
            }
            self.fill_back(source, backward);
        }
    }

    fn begin(&mut self, source: &RowSource, street: StreetId) {
        self.seen.clear(source.map.street_count());
        self.seen.insert(street.index(), ());
        self.found.clear();
    }

    /// Finds the streets up to the end of the row, and those as near as the first one behind it.
    fn discover(&mut self, source: &RowSource, street: StreetId, end: RowEnd) {
        let bound = source.dc_max.units();
        self.begin(source, street);
        let (mut limit, max_len) = match end {
            RowEnd::Len(len) => (bound, len),
            RowEnd::Distance(distance) => (bound.min(distance), usize::MAX),
        };
        loop {
            let frontiers = [0, 1].map(|end: usize| self.ends[end].frontier().unwrap_or(u32::MAX));
            let nearer = usize::from(frontiers[1] < frontiers[0]);
            if frontiers[nearer] > limit {
                break;
            }
            let Some((terminal, distance)) = self.ends[nearer].step(&source.forward, bound) else {
                continue;
            };
            for arm in source.map.leaving(terminal) {
                if self.seen.insert(arm.street.index(), ()) {
                    self.found.push((distance as u16, arm.street));
                }
            }
            if self.found.len() > max_len {
                limit = limit.min(distance);
            }
        }
        self.found.sort_unstable();
    }

    /// Removes the streets behind the end of the row.
    fn cut(&mut self, end: RowEnd) {
        let RowEnd::Len(len) = end else {
            self.next = None;
            return;
        };
        self.next = self.found.get(len).map(|next| next.0);
        self.found.truncate(len);
    }

    /// Sets the entries of the found streets and the distances around to the street itself.
    fn fill(&mut self, source: &RowSource, street: StreetId) {
        let StreetRow { ends, found, entries, own, .. } = self;
        let mut enter = |to: StreetId| -> Crossing {
            let Street { from, to, one_way, .. } = *source.map.street(to);
            let mut length = |end: usize, terminal: TerminalId| {
                final_units(&mut ends[end], &source.forward, terminal, source.dc_max.units())
            };
            let [from_from, to_from] = [length(0, from), length(1, from)];
            if one_way {
                return [from_from, UNREACHABLE, to_from, UNREACHABLE];
            }
            [from_from, length(0, to), to_from, length(1, to)]
        };
        *own = enter(street);
        entries.clear();
        entries.extend(found.iter().map(|&(_, street)| {
            let crossing = enter(street);
            let nearest = crossing.into_iter().min().unwrap_or(UNREACHABLE);
            ReachedStreet { street, nearest, crossing, rank: 0 }
        }));
    }

    /// Sets the return path of each entry.
    fn fill_back(&mut self, source: &RowSource, backward: &Arcs) {
        let StreetRow { ends, entries, back, .. } = self;
        back.clear();
        back.extend(entries.iter().map(|reached| -> Crossing {
            let Street { from, to, one_way, .. } = *source.map.street(reached.street);
            let mut length = |end: usize, terminal: TerminalId| {
                final_units(&mut ends[end], backward, terminal, source.dc_max.units())
            };
            let [to_from, to_to] = [length(0, to), length(1, to)];
            if one_way {
                return [UNREACHABLE, UNREACHABLE, to_from, to_to];
            }
            [length(0, from), length(1, from), to_from, to_to]
        }));
    }
}

/// Returns the distance of a terminal once it is final.
#[inline]
fn final_units(search: &mut Search, arcs: &Arcs, terminal: TerminalId, bound: u32) -> u16 {
    search.distance(arcs, terminal, bound).map_or(UNREACHABLE, |distance| distance as u16)
}

/// Distances between all terminals, while every row is computed.
pub(super) struct Matrices {
    pub(super) forward: DistanceMatrix,
    /// Distances of the reversed arcs; `None` if every street is two-way.
    pub(super) backward: Option<DistanceMatrix>,
}
