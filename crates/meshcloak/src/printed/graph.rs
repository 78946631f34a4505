//! Constraint graph as printed in Algorithm 2, rebuilt for each batch: every query searches the
//! square around it and looks up distances in M. Two queries are adjacent if each covers the other.

use super::half_side;
use super::matrix::{HashMatrix, Row};
use super::quadtree::QuadTree;
use crate::cells::Cells;
use crate::constraint_graph::Coverage;
use crate::map::{StreetId, StreetMap, TerminalId};
use crate::query::{Query, UserId};
use crate::units::{Length, Point};

/// Lists of numbers in one flat array: list `n` ends at `ends[n]`.
#[derive(Debug, Default)]
pub(super) struct Lists {
    pub(super) ends: Vec<u32>,
    pub(super) items: Vec<u32>,
}

impl Lists {
    /// Returns the number of lists.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns one list.
    pub(super) fn of(&self, number: u32) -> &[u32] {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.items[start as usize..self.ends[number] as usize]
    }

    /// Ends the present list.
    pub(super) fn end(&mut self) {
        self.ends.push(self.items.len() as u32);
    }

    /// Removes all lists.
    pub(super) fn clear(&mut self) {
        self.ends.clear();
        self.items.clear();
    }
}

/// Data of a query that the search reads, looked up once per batch.
#[derive(Clone, Copy, Debug)]
struct SearchRecord {
    user: UserId,
    street: StreetId,
    from: TerminalId,
    to: TerminalId,
    /// Distance to `from` along the street.
    behind: Length,
    /// Distance to `to` along the street.
    ahead: Length,
    dc: Length,
    one_way: bool,
}

impl SearchRecord {
    fn new(map: &StreetMap, query: &Query) -> SearchRecord {
        let street = map.street(query.position.street);
        SearchRecord {
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

    /// Returns whether `other` is reachable along a common street within `limit`.
    fn along(&self, other: &SearchRecord, limit: Length) -> bool {
        if self.street != other.street {
            return false;
        }
        match other.behind.checked_sub(self.behind) {
            Some(forward) => forward <= limit,
            None => !self.one_way && self.behind - other.behind <= limit,
        }
    }
}

/// Which pairs of queries may be adjacent.
#[derive(Clone, Copy)]
pub(super) struct EdgeRule<'a> {
    pub(super) coverage: Coverage,
    /// Both queries are in the same cell, if given.
    pub(super) cells: Option<&'a Cells>,
}

impl EdgeRule<'_> {
    fn allows(self, a: StreetId, b: StreetId) -> bool {
        self.cells.is_none_or(|cells| cells.of(a) == cells.of(b))
    }
}

/// Builds one constraint graph after the other with reused buffers.
#[derive(Debug, Default)]
pub(super) struct PrintedGraph {
    points: Vec<Point>,
    tree: QuadTree,
    /// By slot of the tree.
    records: Vec<SearchRecord>,
    /// Slots that each slot covers.
    covered: Lists,
    slot_of: Vec<u32>,
    /// Neighbours of each query, ascending, by waiting index.
    edges: Lists,
}

impl PrintedGraph {
    /// Returns the neighbours of each query, ascending, by waiting index.
    pub(super) fn edges(&self) -> &Lists {
        &self.edges
    }

    /// Builds the graph of the waiting queries (Algorithm 2).
    pub(super) fn build(
        &mut self,
        map: &StreetMap,
        matrix: &HashMatrix,
        rule: EdgeRule<'_>,
        waiting: &[Query],
    ) {
        self.points.clear();
        self.points.extend(waiting.iter().map(|query| map.point(query.position)));
        self.tree.fill(&self.points); // line 2
        self.records.clear();
        let by_slot = self.tree.items().iter().map(|&index| &waiting[index as usize]);
        self.records.extend(by_slot.map(|query| SearchRecord::new(map, query)));
        self.cover(matrix, rule);
        self.keep_mutual();
    }

    /// Computes the queries that each query covers (lines 3–8).
    fn cover(&mut self, matrix: &HashMatrix, rule: EdgeRule<'_>) {
        let PrintedGraph { tree, records, covered, .. } = self;
        covered.clear();
        for (a, &centre) in records.iter().zip(tree.points()) {
            let mut exits = a.exits().map(|(u, leave)| (matrix.row(u), leave));
            let exits = [exits.next(), exits.next()];
            tree.within(centre, half_side(a.dc), |slot| {
                let b = &records[slot as usize];
                let limit = match rule.coverage {
                    Coverage::Own => a.dc,
                    Coverage::Both => a.dc.min(b.dc),
                };
                let is_allowed = a.user != b.user && rule.allows(a.street, b.street);
                if is_allowed && (a.along(b, limit) || crosses(&exits, b, limit)) {
                    covered.items.push(slot);
                }
            });
            covered.end();
        }
    }

    /// Keeps the mutual pairs (line 9).
    fn keep_mutual(&mut self) {
        let PrintedGraph { tree, covered, slot_of, edges, .. } = self;
        slot_of.clear();
        slot_of.resize(covered.len(), 0);
        for (slot, &index) in tree.items().iter().enumerate() {
            slot_of[index as usize] = slot as u32;
        }
        edges.clear();
        for &slot in &*slot_of {
            let start = edges.items.len();
            let mutual = |&&other: &&u32| covered.of(other).binary_search(&slot).is_ok();
            let indices =
                covered.of(slot).iter().filter(mutual).map(|&other| tree.items()[other as usize]);
            edges.items.extend(indices);
            edges.items[start..].sort_unstable();
            edges.end();
        }
    }
}

/// Returns whether `b` can be reached within `limit` through an exit and an entrance (§IV-A).
fn crosses(exits: &[Option<(&Row, Length)>; 2], b: &SearchRecord, limit: Length) -> bool {
    exits.iter().flatten().any(|&(row, leave)| {
        b.entrances().any(|(w, arrive)| {
            let ends = leave + arrive;
            ends <= limit && row.get(&w).is_some_and(|&across| ends + across <= limit)
        })
    })
}
