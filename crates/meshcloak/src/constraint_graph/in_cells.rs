//! The constraint graph of region `cell` (docs/SPEC.md §7): an edge also needs both queries to be in
//! the same cell.
//!
//! The edges of a cell are found by the queries of that cell alone. Limits, too, are counted by
//! cell, so that no cell has an effect on another. Reference: `naive::edges_in_cells`.

use super::edge_search::{EdgeSearch, PartitionEdges};
use super::return_paths::{LookedUp, ReturnMode, ReturnPaths, Stored, Symmetric};
use super::{ConstraintGraph, Coverage, GraphBuilder, PARTITIONS, Section};
use crate::cells::Cells;
use crate::distance::Atlas;
use crate::query::Query;
use rayon::prelude::*;
use std::ops::Range;

/// Largest number of edges per waiting query with edges inside of cells only: a cell of
/// `EdgeLimits::complete` edges holds at least 2,897 queries.
pub const MAX_CELL_EDGES_PER_QUERY: usize = 1_449;

/// Largest numbers of edges of one cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeLimits {
    /// Largest number of edges of a complete cell.
    pub(super) complete: usize,
    /// Largest number if the complete cell has more: each node keeps its nearest neighbours.
    pub(super) capped: usize,
}

impl Default for EdgeLimits {
    fn default() -> EdgeLimits {
        EdgeLimits { complete: 1 << 22, capped: 1 << 21 }
    }
}

impl GraphBuilder {
    /// Builds the constraint graph of `waiting` with edges inside of cells only. Nodes are sorted by
    /// cell, and [`GraphBuilder::sections`] has one section for each cell that holds a query.
    ///
    /// A cell whose edges do not fit into memory keeps a subgraph, as in [`GraphBuilder::build`].
    pub fn build_in_cells(
        &mut self,
        atlas: &Atlas,
        coverage: Coverage,
        cells: &Cells,
        waiting: &[Query],
    ) -> &ConstraintGraph {
        self.index.build(atlas, waiting);
        self.order.sort(&self.index, cells);
        let GraphBuilder { index, edges, order, limits, .. } = self;
        edges.resize_with(PARTITIONS, PartitionEdges::default);
        let max_degree = super::MAX_EDGES;
        let search = EdgeSearch { atlas, coverage, waiting, index, cells: Some(cells), max_degree };
        let paths = ReturnPaths::of(atlas);
        let run = |(part, edges): (usize, &mut PartitionEdges)| {
            let [start, end] = [part, part + 1].map(|part| order.part_start(part, PARTITIONS));
            let task = CellTask { search: &search, nodes: &order.nodes, limits: *limits };
            let cells = &order.cells[start..end];
            match paths {
                ReturnPaths::Symmetric => task.run::<Symmetric>(cells, edges),
                ReturnPaths::Stored => task.run::<Stored>(cells, edges),
                ReturnPaths::LookedUp => task.run::<LookedUp>(cells, edges),
            }
        };
        if rayon::current_num_threads() == 1 {
            edges.iter_mut().enumerate().for_each(run);
        } else {
            edges.par_iter_mut().enumerate().for_each(run);
        }
        self.concatenate_cells();
        self.index.reorder(&self.order.nodes);
        &self.graph
    }

    /// Joins the edges of all partitions into one graph with the nodes in cell order.
    fn concatenate_cells(&mut self) {
        let GraphBuilder { edges, order, sections, .. } = self;
        let ConstraintGraph { starts, later, partitions } = &mut self.graph;
        starts.clear();
        starts.push(0);
        later.clear();
        partitions.clear();
        sections.clear();
        for edges in edges {
            let before = later.len() as u32;
            let neighbours = edges.later.as_slice().iter();
            later.extend(neighbours.map(|&node| order.number[node as usize]));
            starts.extend(edges.ends.iter().map(|end| before + end));
            partitions.push(starts.len() as u32 - 1);
            let cells = &order.cells[sections.len()..];
            let found = cells.iter().zip(&edges.truncated);
            sections.extend(
                found.map(|(nodes, &truncated)| Section { nodes: nodes.clone(), truncated }),
            );
        }
    }
}

/// Search for the edges of some cells.
#[derive(Clone, Copy)]
struct CellTask<'a> {
    search: &'a EdgeSearch<'a>,
    /// Nodes of the street index in cell order.
    nodes: &'a [u32],
    limits: EdgeLimits,
}

impl CellTask<'_> {
    /// Finds the edges of all queries in `cells`, given as ranges of `nodes`.
    fn run<M: ReturnMode>(self, cells: &[Range<u32>], edges: &mut PartitionEdges) {
        let CellTask { search, nodes, limits } = self;
        edges.clear();
        for cell in cells {
            let nodes = &nodes[cell.start as usize..cell.end as usize];
            let (end, len) = (edges.ends.len(), edges.later.len());
            let is_complete = search.search_nodes::<M>(nodes, edges, limits.complete);
            if !is_complete {
                edges.ends.truncate(end);
                edges.later.truncate(len);
                let max_degree = limits.capped / nodes.len();
                EdgeSearch { max_degree, ..*search }.search_nodes::<M>(nodes, edges, usize::MAX);
            }
            edges.truncated.push(!is_complete);
        }
    }
}
