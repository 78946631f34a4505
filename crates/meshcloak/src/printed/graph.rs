//! The constraint graph as Algorithm 2 prints it, built anew for each batch: every query searches
//! the square around it and looks distances up in M; an edge is where both cover each other.

use super::half_side;
use super::matrix::{HashMatrix, Row};
use super::quadtree::QuadTree;
use crate::constraint_graph::Coverage;
use crate::map::{StreetId, StreetMap, TerminalId};
use crate::query::{Query, UserId};
use crate::units::{Length, Point};

/// Lists of numbers, back to back: those of `n` end at `ends[n]`.
#[derive(Debug, Default)]
pub(super) struct Lists {
    pub(super) ends: Vec<u32>,
    pub(super) items: Vec<u32>,
}

impl Lists {
    /// How many lists there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// One list.
    pub(super) fn of(&self, number: u32) -> &[u32] {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.items[start as usize..self.ends[number] as usize]
    }

    /// Ends the list to which `items` were added last.
    pub(super) fn end(&mut self) {
        self.ends.push(self.items.len() as u32);
    }

    /// No lists.
    pub(super) fn clear(&mut self) {
        self.ends.clear();
        self.items.clear();
    }
}

/// What the search needs to know of a query, looked up once for each batch.
#[derive(Clone, Copy, Debug)]
struct Seat {
    user: UserId,
    street: StreetId,
    from: TerminalId,
    to: TerminalId,
    /// The way to or from `from`.
    behind: Length,
    /// The way to or from `to`.
    ahead: Length,
    dc: Length,
    one_way: bool,
}

impl Seat {
    fn new(map: &StreetMap, query: &Query) -> Seat {
        let street = map.street(query.position.street);
        Seat {
            user: query.user,
            street: query.position.street,
            from: street.from,
            to: street.to,
            behind: query.position.offset,
            ahead: street.length - query.position.offset,
            dc: query.distance_constraint,
            one_way: street.one_way,
        }
    }

    fn exits(&self) -> impl Iterator<Item = (TerminalId, Length)> + use<> {
        let back = (!self.one_way).then_some((self.from, self.behind));
        [Some((self.to, self.ahead)), back].into_iter().flatten()
    }

    fn entrances(&self) -> impl Iterator<Item = (TerminalId, Length)> + use<> {
        let ahead = (!self.one_way).then_some((self.to, self.ahead));
        [Some((self.from, self.behind)), ahead].into_iter().flatten()
    }

    /// Whether one can go straight along to `other` within `limit`.
    fn along(&self, other: &Seat, limit: Length) -> bool {
        if self.street != other.street {
            return false;
        }
        match other.behind.checked_sub(self.behind) {
            Some(forward) => forward <= limit,
            None => !self.one_way && self.behind - other.behind <= limit,
        }
    }
}

/// Builds one constraint graph after the other without allocating anew.
#[derive(Debug, Default)]
pub(super) struct PrintedGraph {
    points: Vec<Point>,
    tree: QuadTree,
    /// By slot of the tree.
    seats: Vec<Seat>,
    /// Whom each slot covers, by slot.
    covered: Lists,
    slot_of: Vec<u32>,
    /// The graph: the neighbours of each query, ascending; by place in the waiting list.
    edges: Lists,
}

impl PrintedGraph {
    /// The neighbours of each query, ascending; by place in the waiting list.
    pub(super) fn edges(&self) -> &Lists {
        &self.edges
    }

    /// Algorithm 2.
    pub(super) fn build(
        &mut self,
        map: &StreetMap,
        matrix: &HashMatrix,
        coverage: Coverage,
        waiting: &[Query],
    ) {
        self.points.clear();
        self.points.extend(waiting.iter().map(|query| map.point(query.position)));
        self.tree.fill(&self.points); // line 2
        self.seats.clear();
        let by_slot = self.tree.items().iter().map(|&place| &waiting[place as usize]);
        self.seats.extend(by_slot.map(|query| Seat::new(map, query)));
        self.cover(matrix, coverage);
        self.keep_mutual();
    }

    /// Lines 3–8: for each query those it covers.
    fn cover(&mut self, matrix: &HashMatrix, coverage: Coverage) {
        let PrintedGraph { tree, seats, covered, .. } = self;
        covered.clear();
        for (a, &centre) in seats.iter().zip(tree.points()) {
            let mut exits = a.exits().map(|(u, leave)| (matrix.row(u), leave));
            let exits = [exits.next(), exits.next()];
            tree.within(centre, half_side(a.dc), |slot| {
                let b = &seats[slot as usize];
                let limit = match coverage {
                    Coverage::Own => a.dc,
                    Coverage::Both => a.dc.min(b.dc),
                };
                if a.user != b.user && (a.along(b, limit) || crosses(&exits, b, limit)) {
                    covered.items.push(slot);
                }
            });
            covered.end();
        }
    }

    /// Line 9: an edge is where both cover each other.
    fn keep_mutual(&mut self) {
        let PrintedGraph { tree, covered, slot_of, edges, .. } = self;
        slot_of.clear();
        slot_of.resize(covered.len(), 0);
        for (slot, &place) in tree.items().iter().enumerate() {
            slot_of[place as usize] = slot as u32;
        }
        edges.clear();
        for &slot in &*slot_of {
            let start = edges.items.len();
            let mutual = |&&other: &&u32| covered.of(other).binary_search(&slot).is_ok();
            let places =
                covered.of(slot).iter().filter(mutual).map(|&other| tree.items()[other as usize]);
            edges.items.extend(places);
            edges.items[start..].sort_unstable();
            edges.end();
        }
    }
}

/// Whether `b` can be reached within `limit` by an exit, across the map, by an entrance (§IV-A).
fn crosses(exits: &[Option<(&Row, Length)>; 2], b: &Seat, limit: Length) -> bool {
    exits.iter().flatten().any(|&(row, leave)| {
        b.entrances().any(|(w, arrive)| {
            let ends = leave + arrive;
            ends <= limit && row.get(&w).is_some_and(|&across| ends + across <= limit)
        })
    })
}
