//! Who may be cloaked with whom (Algorithm 2): an edge joins two waiting queries of different
//! users, each within reach of the other.
//!
//! Only the query with the smaller `dc` searches. It walks the row of streets within its reach,
//! nearest first, and meets every query that could be its neighbour: for that one's own reach is
//! larger. So each edge is found once, and stored at the node that found it.

mod around;
mod crowd;
mod eights;
mod hits;
mod later;
mod look;
mod near;
mod own_street;
mod share;
mod users;
mod walk;
mod ways;

use crate::distance::Atlas;
use crate::query::{Member, Query};
use crowd::Crowd;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::AtomicUsize;
use walk::{Found, Walk};
use ways::{Known, Same, Unknown, WaysBack};

/// When two people count as within reach of each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coverage {
    /// Each within her own constraint: `d(A,B) ≤ dc_A` and `d(B,A) ≤ dc_B` (Algorithm 2).
    #[default]
    Own,
    /// Both distances within both constraints (§III-D).
    Both,
}

impl Coverage {
    /// How long the way back to somebody may be at most, whose constraint is no larger than that of
    /// whoever comes back; her own is a limit as well.
    fn farthest_back(self, dc: u16) -> u16 {
        match self {
            Coverage::Own => u16::MAX,
            Coverage::Both => dc,
        }
    }
}

/// A graph over `0..len()` that stores each edge once, at the node that comes first in some order:
/// in constraint graphs that of (dc, node).
///
/// Nodes are queries street by street; [`GraphBuilder::nodes`] says which.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConstraintGraph {
    /// Where the neighbours of each node begin, and where those of the last end.
    starts: Vec<u32>,
    later: Vec<u32>,
    /// Where each portion ends.
    portions: Vec<u32>,
}

impl ConstraintGraph {
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
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
    pub fn portion(&self, portion: usize) -> Range<u32> {
        let start = if portion == 0 { 0 } else { self.portions[portion - 1] };
        start..self.portions[portion]
    }

    /// How many later neighbours each of these nodes has.
    pub(crate) fn later_counts(&self, nodes: Range<u32>) -> impl Iterator<Item = usize> {
        let starts = &self.starts[nodes.start as usize..=nodes.end as usize];
        starts.windows(2).map(|ends| (ends[1] - ends[0]) as usize)
    }

    /// The neighbours of a node that come after it in the order of the graph; ascending by number.
    pub fn later(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.later[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}

impl ConstraintGraph {
    /// The graph in which `a < b` are adjacent if `adjacent(a, b)`.
    pub fn from_fn(nodes: u32, adjacent: impl Fn(u32, u32) -> bool) -> ConstraintGraph {
        let adjacent = &adjacent;
        ConstraintGraph::from_lists(nodes, |node| {
            (node + 1..nodes).filter(move |&later| adjacent(node, later))
        })
    }

    /// The graph in which each node has these later neighbours, ascending.
    pub(crate) fn from_lists<L: Iterator<Item = u32>>(
        nodes: u32,
        later: impl Fn(u32) -> L,
    ) -> ConstraintGraph {
        let mut graph =
            ConstraintGraph { starts: vec![0], later: Vec::new(), portions: vec![nodes] };
        for node in 0..nodes {
            graph.later.extend(later(node));
            graph.starts.push(graph.later.len() as u32);
        }
        graph
    }
}

/// Builds the graph of one batch after the other without allocating anew.
#[derive(Clone, Debug, Default)]
pub struct GraphBuilder {
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
    /// Should its edges not fit into memory, each node keeps as many neighbours as fit, those on its
    /// own street first and then about the nearest: the graph is then a part of the true one, and a
    /// clique of it still a clique.
    pub fn build(
        &mut self,
        atlas: &Atlas,
        coverage: Coverage,
        waiting: &[Query],
    ) -> &ConstraintGraph {
        self.crowd.gather(atlas, waiting);
        self.truncated = !self.walk(atlas, coverage, waiting, MOST_EDGES);
        if self.truncated {
            self.walk(atlas, coverage, waiting, EDGES_OF_A_CRUSH / waiting.len());
        }
        self.join();
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
        self.crowd.places()
    }

    /// What is published of a node.
    pub(crate) fn member(&self, node: u32) -> Member {
        self.crowd.member(node)
    }

    /// How many people each node wants, as far as 16 bits can say.
    pub fn wanted(&self) -> &[u16] {
        self.crowd.wanted()
    }

    /// Whether a set of `size` people is enough for a node of `waiting`.
    pub(crate) fn is_enough(&self, node: u32, size: u32, waiting: &[Query]) -> bool {
        self.crowd.is_enough(node, size, waiting)
    }

    /// Everyone searches; `false` if more edges were found than may be kept.
    fn walk(&mut self, atlas: &Atlas, coverage: Coverage, waiting: &[Query], most: usize) -> bool {
        self.found.resize_with(PORTIONS, Found::default);
        let walk = Walk { atlas, coverage, waiting, crowd: &self.crowd, most };
        let (crowd, ways_back) = (&self.crowd, WaysBack::of(atlas));
        let total = AtomicUsize::new(0);
        let search = |(portion, found): (usize, &mut Found)| {
            let streets = crowd.edge(portion)..crowd.edge(portion + 1);
            match ways_back {
                WaysBack::Same => walk.run::<Same>(streets, found, &total),
                WaysBack::Known => walk.run::<Known>(streets, found, &total),
                WaysBack::Unknown => walk.run::<Unknown>(streets, found, &total),
            }
        };
        if rayon::current_num_threads() == 1 {
            self.found.iter_mut().enumerate().for_each(search);
        } else {
            self.found.par_iter_mut().enumerate().for_each(search);
        }
        total.into_inner() <= MOST_EDGES
    }

    fn join(&mut self) {
        let ConstraintGraph { starts, later, portions } = &mut self.graph;
        starts.clear();
        starts.push(0);
        later.clear();
        portions.clear();
        for (portion, found) in self.found.iter().enumerate() {
            let before = later.len() as u32;
            later.extend_from_slice(found.later.as_slice());
            starts.extend(found.ends.iter().map(|end| before + end));
            portions.push(self.crowd.before(self.crowd.edge(portion + 1)));
        }
    }
}

#[cfg(test)]
mod tests;
