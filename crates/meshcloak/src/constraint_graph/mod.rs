//! Constraint graph (Algorithm 2): an edge joins two waiting queries of different users, each
//! within reach of the other (docs/SPEC.md §4).
//!
//! ```text
//! waiting ─▶ StreetIndex        nodes = queries sorted by (street, dc, id)
//!               │  per street, in 16 partitions
//!               ▼
//!            row of the street  streets within reach, nearest first      distance::Reach
//!               │  collect
//!               ▼
//!            Candidates         queries on these streets, SoA blocks of 64 lanes
//!               │  per query: SIMD comparison, u64 mask
//!               ▼
//!            later              neighbours of each node, concatenated    ConstraintGraph
//! ```
//!
//! Invariant: each edge is stored once, at its end that comes first in the order of (dc, node). That
//! end finds it: its `dc` is the smaller one and bounds the distance, so the search area is the
//! smaller of the two.
//!
//! The simple version (`naive::edges`) tests every pair. Here the queries of a street share the
//! row and the candidates, and comparisons have no branch per pair. Measured gain: storing
//! neighbours in place and looking up once per street what its queries share took the stage from
//! 0.255 to 0.235 µs a query (Oldenburg, P1-3-5); see docs/BENCHMARKS.md, "Where the
//! engine's time goes".

mod candidate_streets;
mod candidates;
mod cell_order;
mod collect;
mod edge_buffer;
mod edge_search;
mod in_cells;
mod octets;
mod partition;
mod repeat_filter;
mod return_paths;
mod same_street;
mod street_index;
mod street_row;
mod subgraph;

use crate::distance::Atlas;
use crate::query::{Member, Query};
use cell_order::CellOrder;
use edge_search::{EdgeSearch, PartitionEdges};
use in_cells::EdgeLimits;
pub use in_cells::MAX_CELL_EDGES_PER_QUERY;
use rayon::prelude::*;
use return_paths::{LookedUp, ReturnPaths, Stored, Symmetric};
use std::ops::Range;
use std::sync::atomic::AtomicUsize;
use street_index::StreetIndex;
pub use subgraph::{Section, Subgraph};

/// When two queries are within reach of each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coverage {
    /// Each within its own constraint: `d(A,B) ≤ dc_A` and `d(B,A) ≤ dc_B` (Algorithm 2).
    #[default]
    Own,
    /// Both distances within both constraints (§III-D).
    Both,
}

impl Coverage {
    /// Returns the limit that the `dc` of the searching query sets on the return path; the `dc` of
    /// the other query is a limit as well.
    fn max_return(self, dc: u16) -> u16 {
        match self {
            Coverage::Own => u16::MAX,
            Coverage::Both => dc,
        }
    }
}

/// A graph over the nodes `0..len()` that stores each edge once, at the end that comes first in
/// some order; in constraint graphs the order of (dc, node).
///
/// Nodes are queries sorted by street; [`GraphBuilder::waiting_indices`] maps them to the waiting list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConstraintGraph {
    /// Start of the neighbours of each node in `later`, and the end of the last.
    starts: Vec<u32>,
    later: Vec<u32>,
    /// End of each partition.
    partitions: Vec<u32>,
}

impl ConstraintGraph {
    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether the graph has no node.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.later.len()
    }

    /// Number of partitions: consecutive nodes, whose neighbours are mostly in the same partition.
    pub fn partition_count(&self) -> usize {
        self.partitions.len()
    }

    /// Returns the nodes of a partition. They depend on the batch, not on the number of threads.
    pub fn partition(&self, partition: usize) -> Range<u32> {
        let start = if partition == 0 { 0 } else { self.partitions[partition - 1] };
        start..self.partitions[partition]
    }

    /// Returns the number of later neighbours of each of these nodes.
    pub(crate) fn later_counts(&self, nodes: Range<u32>) -> impl Iterator<Item = usize> {
        let starts = &self.starts[nodes.start as usize..=nodes.end as usize];
        starts.windows(2).map(|ends| (ends[1] - ends[0]) as usize)
    }

    /// Returns the neighbours that follow a node in the order of the graph, ascending by number.
    pub fn later(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.later[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// Builds the graph in which `a < b` are adjacent if `adjacent(a, b)`.
    pub fn from_fn(nodes: u32, adjacent: impl Fn(u32, u32) -> bool) -> ConstraintGraph {
        let adjacent = &adjacent;
        ConstraintGraph::from_lists(nodes, |node| {
            (node + 1..nodes).filter(move |&later| adjacent(node, later))
        })
    }

    /// Builds the graph from the later neighbours of each node, ascending.
    pub(crate) fn from_lists<L: Iterator<Item = u32>>(
        nodes: u32,
        later: impl Fn(u32) -> L,
    ) -> ConstraintGraph {
        let mut graph =
            ConstraintGraph { starts: vec![0], later: Vec::new(), partitions: vec![nodes] };
        for node in 0..nodes {
            graph.later.extend(later(node));
            graph.starts.push(graph.later.len() as u32);
        }
        graph
    }
}

/// Builds constraint graphs, one per batch, with reused buffers.
#[derive(Clone, Debug, Default)]
pub struct GraphBuilder {
    index: StreetIndex,
    edges: Vec<PartitionEdges>,
    graph: ConstraintGraph,
    sections: Vec<Section>,
    order: CellOrder,
    limits: EdgeLimits,
}

/// Largest number of edges of a complete graph: 256 MB, and as much in scratch buffers.
pub const MAX_EDGES: usize = 1 << 26;

/// Largest number of edges if the complete graph has more than [`MAX_EDGES`]: each node keeps its
/// nearest neighbours, which is enough for large cliques in a batch that dense.
const MAX_CAPPED_EDGES: usize = 1 << 23;

/// Number of partitions, the unit of work of a thread.
const PARTITIONS: usize = 16;

impl GraphBuilder {
    /// Builds the constraint graph of `waiting`.
    ///
    /// If its edges do not fit into memory, each node keeps as many neighbours as fit: those on its
    /// own street first, then approximately the nearest. The result is then a subgraph, and its
    /// cliques are cliques of the complete graph.
    pub fn build(
        &mut self,
        atlas: &Atlas,
        coverage: Coverage,
        waiting: &[Query],
    ) -> &ConstraintGraph {
        self.index.build(atlas, waiting);
        let truncated = !self.find_edges(atlas, coverage, waiting, MAX_EDGES);
        if truncated {
            self.find_edges(atlas, coverage, waiting, MAX_CAPPED_EDGES / waiting.len());
        }
        self.concatenate();
        self.sections.clear();
        self.sections.push(Section { nodes: 0..waiting.len() as u32, truncated });
        &self.graph
    }

    /// Returns the last graph built.
    pub fn graph(&self) -> &ConstraintGraph {
        &self.graph
    }

    /// Whether edges of the last graph were left out for lack of memory.
    pub fn truncated(&self) -> bool {
        self.sections.iter().any(|section| section.truncated)
    }

    /// Returns the sections of the last graph: no edge joins two of them. There is one for the whole
    /// graph, or one for each cell that holds a query.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// Returns the index in the waiting list of each node.
    pub fn waiting_indices(&self) -> &[u32] {
        self.index.waiting_indices()
    }

    /// Returns the id and the mesh key of a node.
    pub(crate) fn member(&self, node: u32) -> Member {
        self.index.member(node)
    }

    /// Returns the k of each node, saturated at 16 bits.
    pub fn k(&self) -> &[u16] {
        self.index.k()
    }

    /// Returns whether a set of `size` queries meets the k of a node of `waiting`.
    pub(crate) fn is_satisfied(&self, node: u32, size: u32, waiting: &[Query]) -> bool {
        self.index.is_satisfied(node, size, waiting)
    }

    /// Finds the edges of all partitions; returns `false` if there are more than [`MAX_EDGES`].
    fn find_edges(
        &mut self,
        atlas: &Atlas,
        coverage: Coverage,
        waiting: &[Query],
        max_degree: usize,
    ) -> bool {
        self.edges.resize_with(PARTITIONS, PartitionEdges::default);
        let index = &self.index;
        let search = EdgeSearch { atlas, coverage, waiting, index, cells: None, max_degree };
        let paths = ReturnPaths::of(atlas);
        let total = AtomicUsize::new(0);
        let run = |(partition, edges): (usize, &mut PartitionEdges)| {
            let streets = index.partition_start(partition)..index.partition_start(partition + 1);
            match paths {
                ReturnPaths::Symmetric => search.run::<Symmetric>(streets, edges, &total),
                ReturnPaths::Stored => search.run::<Stored>(streets, edges, &total),
                ReturnPaths::LookedUp => search.run::<LookedUp>(streets, edges, &total),
            }
        };
        if rayon::current_num_threads() == 1 {
            self.edges.iter_mut().enumerate().for_each(run);
        } else {
            self.edges.par_iter_mut().enumerate().for_each(run);
        }
        total.into_inner() <= MAX_EDGES
    }

    /// Joins the edges of all partitions into one graph.
    fn concatenate(&mut self) {
        let ConstraintGraph { starts, later, partitions } = &mut self.graph;
        starts.clear();
        starts.push(0);
        later.clear();
        partitions.clear();
        for (partition, edges) in self.edges.iter().enumerate() {
            let before = later.len() as u32;
            later.extend_from_slice(edges.later.as_slice());
            starts.extend(edges.ends.iter().map(|end| before + end));
            partitions.push(self.index.nodes_before(self.index.partition_start(partition + 1)));
        }
    }
}

#[cfg(test)]
mod tests;
