//! Who may be cloaked with whom (Algorithm 2): an edge joins two waiting queries of different
//! users, each within reach of the other.
//!
//! Only the query with the smaller `dc` searches. It walks the row of streets within its reach,
//! nearest first, and meets every query that could be its neighbour: for that one's own reach is
//! larger. So each edge is found once, and stored at the node that found it.

mod by_terminals;
mod crowd;
mod walk;

use crate::distance::Atlas;
use crate::query::Query;
use crowd::{Crowd, Order};
use rayon::prelude::*;
use std::sync::atomic::AtomicUsize;
use walk::{Found, Walk};

/// When two people count as within reach of each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coverage {
    /// Each within her own constraint: `d(A,B) ≤ dc_A` and `d(B,A) ≤ dc_B` (Algorithm 2).
    #[default]
    Own,
    /// Both distances within both constraints (§III-D).
    Both,
}

/// A graph over `0..len()` that stores each edge at its smaller node.
///
/// Nodes are queries in ascending order of (dc, id); [`GraphBuilder::nodes`] says which.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConstraintGraph {
    spans: Vec<Span>,
    later: Vec<u32>,
    /// All nodes, such that neighbours are close to each other.
    tour: Vec<u32>,
    /// Where each portion of the tour ends.
    portions: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Span {
    start: u32,
    len: u32,
}

impl ConstraintGraph {
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.later.len()
    }

    /// How many portions the nodes are cut into, most neighbours being in the same one.
    pub fn portion_count(&self) -> usize {
        self.portions.len()
    }

    /// The nodes of a portion. It depends on the batch alone, not on the number of threads.
    pub fn portion(&self, portion: usize) -> &[u32] {
        let start = if portion == 0 { 0 } else { self.portions[portion - 1] };
        &self.tour[start as usize..self.portions[portion] as usize]
    }

    /// The neighbours of a node that come after it, ascending.
    pub fn later(&self, node: u32) -> &[u32] {
        let Span { start, len } = self.spans[node as usize];
        &self.later[start as usize..(start + len) as usize]
    }
}

impl ConstraintGraph {
    /// The graph in which `a < b` are adjacent if `adjacent(a, b)`.
    pub fn from_fn(nodes: u32, adjacent: impl Fn(u32, u32) -> bool) -> ConstraintGraph {
        let (tour, portions) = ((0..nodes).collect(), vec![nodes]);
        let mut graph = ConstraintGraph { tour, portions, ..ConstraintGraph::default() };
        for node in 0..nodes {
            let start = graph.later.len() as u32;
            graph.later.extend((node + 1..nodes).filter(|&later| adjacent(node, later)));
            graph.spans.push(Span { start, len: graph.later.len() as u32 - start });
        }
        graph
    }
}

/// Builds the graph of one batch after the other without allocating anew.
#[derive(Clone, Debug, Default)]
pub struct GraphBuilder {
    order: Order,
    crowd: Crowd,
    found: Vec<Found>,
    graph: ConstraintGraph,
    truncated: bool,
}

/// More edges than this are not kept: 256 MB of them.
const MOST_EDGES: usize = 1 << 26;

/// How many are kept instead: a crowd so dense finds cliques enough among its nearest.
const EDGES_OF_A_CRUSH: usize = 1 << 23;

/// People are cut, street by street, into this many portions, which threads may share.
const PORTIONS: usize = 16;

impl GraphBuilder {
    /// The constraint graph of `waiting`.
    ///
    /// Should its edges not fit into memory, each node keeps the nearest of its neighbours, as
    /// many as fit: the graph is then a part of the true one, and a clique of it still a clique.
    pub fn build(
        &mut self,
        atlas: &Atlas,
        coverage: Coverage,
        waiting: &[Query],
    ) -> &ConstraintGraph {
        self.order.sort(waiting);
        self.crowd.gather(atlas, waiting, &self.order);
        self.truncated = !self.walk(atlas, coverage, waiting, MOST_EDGES);
        if self.truncated {
            self.walk(atlas, coverage, waiting, EDGES_OF_A_CRUSH / waiting.len());
        }
        self.join(waiting.len());
        &self.graph
    }

    /// The graph that was built last.
    pub fn graph(&self) -> &ConstraintGraph {
        &self.graph
    }

    /// Whether edges were left out because all of them would not have fit into memory.
    pub fn truncated(&self) -> bool {
        self.truncated
    }

    /// Which query of the waiting list each node is.
    pub fn nodes(&self) -> &[u32] {
        &self.order.nodes
    }

    /// Everyone searches; `false` if more edges were found than may be kept.
    fn walk(&mut self, atlas: &Atlas, coverage: Coverage, waiting: &[Query], most: usize) -> bool {
        self.found.resize_with(PORTIONS, Found::default);
        let walk = Walk { atlas, coverage, waiting, order: &self.order, crowd: &self.crowd, most };
        let crowd = &self.crowd;
        let total = AtomicUsize::new(0);
        let search = |(portion, found): (usize, &mut Found)| {
            walk.run(crowd.portion(portion, PORTIONS), found, &total);
        };
        if rayon::current_num_threads() == 1 {
            self.found.iter_mut().enumerate().for_each(search);
        } else {
            self.found.par_iter_mut().enumerate().for_each(search);
        }
        total.into_inner() <= MOST_EDGES
    }

    fn join(&mut self, nodes: usize) {
        let ConstraintGraph { spans, later, tour, portions } = &mut self.graph;
        spans.clear();
        spans.resize(nodes, Span::default());
        later.clear();
        tour.clear();
        tour.extend(self.crowd.everyone());
        portions.clear();
        for (portion, found) in self.found.iter_mut().enumerate() {
            let mut start = later.len() as u32;
            if later.is_empty() {
                std::mem::swap(later, &mut found.later);
            } else {
                later.extend_from_slice(&found.later);
            }
            for &(node, len) in &found.counts {
                spans[node as usize] = Span { start, len };
                start += len;
            }
            portions.push(self.crowd.before(self.crowd.portion(portion, PORTIONS).end));
        }
    }
}

#[cfg(test)]
mod tests;
