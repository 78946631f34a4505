//! Parts of a constraint graph that are searched on their own.

use super::ConstraintGraph;
use std::ops::Range;

/// Consecutive nodes without an edge to any other node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The nodes.
    pub nodes: Range<u32>,
    /// Whether edges among them were left out for lack of memory.
    pub truncated: bool,
}

/// The nodes of a section, numbered from 0.
#[derive(Clone, Copy, Debug)]
pub struct Subgraph<'a> {
    graph: &'a ConstraintGraph,
    /// First node in the whole graph.
    first: u32,
    len: u32,
    degrees: Option<&'a [u32]>,
}

impl<'a> Subgraph<'a> {
    /// Returns the subgraph of nodes that have no edge to other nodes.
    pub fn new(graph: &'a ConstraintGraph, nodes: &Range<u32>) -> Subgraph<'a> {
        Subgraph { graph, first: nodes.start, len: nodes.end - nodes.start, degrees: None }
    }

    /// Returns the same subgraph with the number of neighbours of each node, if it is known.
    pub(crate) fn with_degrees(self, degrees: &'a [u32]) -> Subgraph<'a> {
        Subgraph { degrees: Some(degrees), ..self }
    }

    /// Returns the number of neighbours of each node, if it is known.
    pub(crate) fn degrees(self) -> Option<&'a [u32]> {
        self.degrees
    }

    /// Number of nodes.
    pub(crate) fn len(self) -> usize {
        self.len as usize
    }

    /// Returns the later neighbours of a node, ascending, with their numbers in the whole graph:
    /// greater by [`Subgraph::first`].
    pub(crate) fn later_in_whole(self, node: u32) -> &'a [u32] {
        self.graph.later(self.first + node)
    }

    /// Number of edges.
    pub(crate) fn edge_count(self) -> usize {
        self.graph.later_counts(self.first..self.first + self.len).sum()
    }

    /// Returns the whole graph.
    pub(crate) fn whole(self) -> &'a ConstraintGraph {
        self.graph
    }

    /// Returns the number of node 0 in the whole graph.
    pub(crate) fn first(self) -> u32 {
        self.first
    }
}

impl<'a> From<&'a ConstraintGraph> for Subgraph<'a> {
    /// Returns the whole graph.
    fn from(graph: &'a ConstraintGraph) -> Subgraph<'a> {
        Subgraph::new(graph, &(0..graph.len() as u32))
    }
}
