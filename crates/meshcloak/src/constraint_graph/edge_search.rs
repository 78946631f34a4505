//! The edge search: finds the later neighbours of every query, street by street.
//!
//! All queries on a street share one list of candidates; each compares itself with it in SIMD lanes.

use super::Coverage;
use super::candidate_streets::CandidateStreets;
use super::candidates::{Candidates, LANES};
use super::edge_buffer::EdgeBuffer;
use super::return_paths::{ReturnMode, ReturnPaths};
use super::street_index::{StreetIndex, StreetQuery};
use super::street_row::RowScratch;
use crate::cells::Cells;
use crate::distance::{Atlas, Crossing, Rows};
use crate::map::StreetId;
use crate::query::Query;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Inputs shared by the searches of all partitions.
#[derive(Clone, Copy)]
pub(super) struct EdgeSearch<'a> {
    pub(super) atlas: &'a Atlas,
    pub(super) coverage: Coverage,
    pub(super) waiting: &'a [Query],
    pub(super) index: &'a StreetIndex,
    /// Edges join only queries in the same cell, if given.
    pub(super) cells: Option<&'a Cells>,
    /// Largest number of later neighbours that a node keeps.
    pub(super) max_degree: usize,
}

/// The edges of one partition, and the scratch buffers of its search.
#[derive(Clone, Debug, Default)]
pub(super) struct PartitionEdges {
    /// End of the neighbours of each node in `later`.
    pub(super) ends: Vec<u32>,
    pub(super) later: EdgeBuffer,
    /// Of each cell, if there are any: whether its edges were capped.
    pub(super) truncated: Vec<bool>,
    row: RowScratch,
    streets: CandidateStreets,
    candidates: Candidates,
}

impl PartitionEdges {
    /// Removes all edges.
    pub(super) fn clear(&mut self) {
        self.ends.clear();
        self.later.clear();
        self.truncated.clear();
    }
}

/// The street whose queries search.
#[derive(Clone, Copy)]
pub(super) struct SourceStreet<'a> {
    pub(super) street: StreetId,
    pub(super) one_way: bool,
    /// Node of the first query.
    pub(super) first: u32,
    pub(super) queries: &'a [StreetQuery],
}

/// What the queries of a source street are compared with.
#[derive(Clone, Copy)]
struct Surroundings<'a> {
    candidates: &'a Candidates,
    /// Paths from the ends of the street around to its own ends.
    around: Crossing,
}

impl SourceStreet<'_> {
    /// Returns the largest reach of any query beyond the nearest exit; negative if none gets there.
    fn max_reach(self) -> i32 {
        self.queries.iter().map(|query| self.reach_beyond_exit(*query)).max().unwrap_or(-1)
    }

    /// Returns the reach of a query beyond the nearest exit; negative if it does not get there.
    pub(super) fn reach_beyond_exit(self, query: StreetQuery) -> i32 {
        let leave = if self.one_way { query.to } else { query.from.min(query.to) };
        i32::from(query.dc()) - i32::from(leave)
    }
}

/// How many streets ahead the row of a street is prefetched.
const PREFETCH_DISTANCE: u32 = 4;

/// Neighbours stored per step of the mask loop.
const CHUNK: usize = 4;

/// Edges after which a partition adds its count to the shared total.
const REPORT_INTERVAL: usize = 1 << 16;

/// Counts the edges of all partitions, or of a cell.
struct EdgeCounter<'a> {
    total: &'a AtomicUsize,
    reported: usize,
    max: usize,
}

impl EdgeCounter<'_> {
    /// Adds new edges to the total; returns whether it exceeds the limit.
    fn exceeds_limit(&mut self, later: &EdgeBuffer) -> bool {
        let new = later.len() - self.reported;
        self.reported = later.len();
        self.total.fetch_add(new, Ordering::Relaxed) + new > self.max
    }
}

impl EdgeSearch<'_> {
    /// Finds the edges of all queries on `streets`; stops early if `total` exceeds the limit.
    pub(super) fn run<M: ReturnMode>(
        &self,
        streets: Range<u32>,
        edges: &mut PartitionEdges,
        total: &AtomicUsize,
    ) {
        edges.clear();
        let mut counter = EdgeCounter { total, reported: 0, max: super::MAX_EDGES };
        for street in streets.map(StreetId) {
            if let Rows::Streets(reach) = self.atlas.rows() {
                reach.prefetch(StreetId(street.0.saturating_add(PREFETCH_DISTANCE)));
            }
            if !self.search_street::<M>(street, edges, &mut counter) {
                return;
            }
        }
        counter.exceeds_limit(&edges.later);
    }

    /// Finds the edges of these nodes, which are all queries of their streets, in street order.
    /// Returns `false` if there are more than `max`; the search may have stopped early then.
    pub(super) fn search_nodes<M: ReturnMode>(
        &self,
        nodes: &[u32],
        edges: &mut PartitionEdges,
        max: usize,
    ) -> bool {
        let total = AtomicUsize::new(0);
        let mut counter = EdgeCounter { total: &total, reported: edges.later.len(), max };
        let street_of = |node: u32| self.index.member(node).mesh_key.street;
        let mut next = 0;
        while let Some(&node) = nodes.get(next) {
            let ahead = nodes.get(next + PREFETCH_DISTANCE as usize);
            if let (Rows::Streets(reach), Some(&ahead)) = (self.atlas.rows(), ahead) {
                reach.prefetch(street_of(ahead));
            }
            let street = street_of(node);
            if !self.search_street::<M>(street, edges, &mut counter) {
                return false;
            }
            next += self.index.nodes_on(street).len();
        }
        !counter.exceeds_limit(&edges.later)
    }

    fn source<M: ReturnMode>(&self, street: StreetId) -> SourceStreet<'_> {
        let nodes = self.index.nodes_on(street);
        let first = nodes.start as u32;
        let queries = self.index.queries(nodes);
        let one_way = M::PATHS != ReturnPaths::Symmetric && self.atlas.map().street(street).one_way;
        SourceStreet { street, one_way, first, queries }
    }

    /// Finds the edges of the queries on a street; returns `false` if the total exceeds the limit.
    #[inline(always)]
    fn search_street<M: ReturnMode>(
        &self,
        street: StreetId,
        edges: &mut PartitionEdges,
        counter: &mut EdgeCounter<'_>,
    ) -> bool {
        let source = self.source::<M>(street);
        if source.queries.is_empty() {
            return true;
        }
        let max_reach = source.max_reach();
        let PartitionEdges { ends, later, row, streets, candidates, .. } = edges;
        candidates.clear();
        let near = match self.atlas.rows() {
            Rows::Streets(reach) => Some(reach.near(street)),
            Rows::Terminals(_) => None,
        };
        let around = match near {
            Some(near) if near.is_enough(max_reach) && !self.is_capped() => {
                self.collect_near(source, near, candidates);
                near.own
            }
            _ => {
                let row = row.row(self.atlas, street, max_reach);
                self.collect_far(source, &row, streets, candidates);
                row.own
            }
        };
        let surroundings = Surroundings { candidates, around };
        for index in 0..source.queries.len() {
            let start = later.len();
            self.push_neighbours::<M>(source, surroundings, index, later);
            if self.is_capped() {
                later.truncate_and_sort(start, self.max_degree);
            }
            ends.push(later.len() as u32);
            if later.len() - counter.reported > REPORT_INTERVAL && counter.exceeds_limit(later) {
                return false;
            }
        }
        true
    }

    /// Returns whether nodes keep only their nearest neighbours.
    pub(super) fn is_capped(&self) -> bool {
        self.max_degree < super::MAX_EDGES
    }

    /// Appends the neighbours of one query that follow it in the order of (dc, node).
    #[inline(always)]
    fn push_neighbours<M: ReturnMode>(
        &self,
        source: SourceStreet<'_>,
        surroundings: Surroundings<'_>,
        index: usize,
        later: &mut EdgeBuffer,
    ) {
        let Surroundings { candidates, around } = surroundings;
        let (node, query) = (source.first + index as u32, source.queries[index]);
        let spare = later.spare(candidates.lane_count() + CHUNK);
        let mut count = 0;
        for block in candidates.blocks() {
            let mut mask = M::within(block, query, self.coverage);
            if M::PATHS == ReturnPaths::LookedUp {
                mask = block.filter(mask, |other| self.can_return(other, node));
            }
            let own = self.within_street::<M>(source, around, index, block.own.clone());
            mask |= own << block.own_start;
            if query.user_may_repeat {
                mask = block.filter(mask, |other| self.users_differ(node, other));
            }
            while mask != 0 {
                // Branchless: CHUNK slots are written, the count advances for the valid ones.
                for slot in &mut spare[count..count + CHUNK] {
                    *slot = block.nodes[mask.trailing_zeros() as usize % LANES];
                    count += usize::from(mask != 0);
                    mask &= mask.wrapping_sub(1);
                }
            }
        }
        later.advance(count);
    }

    pub(super) fn query(&self, node: u32) -> &Query {
        &self.waiting[self.index.waiting_indices()[node as usize] as usize]
    }

    /// Returns whether the path from `other` back to `node`, whose `dc` is not larger, is within
    /// the constraint.
    fn can_return(&self, other: u32, node: u32) -> bool {
        let [from, to] = [other, node].map(|node| self.query(node).position);
        let max_return = self.coverage.max_return(self.index.query(node).dc());
        let limit = u32::from(self.index.query(other).dc().min(max_return));
        self.atlas.distance(from, to).is_some_and(|path| path.units() <= limit)
    }

    fn users_differ(&self, a: u32, b: u32) -> bool {
        self.query(a).user != self.query(b).user
    }
}
