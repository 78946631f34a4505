//! Nodes sorted by cell: a stable counting sort of the nodes of the street index.
//!
//! ```text
//! street index   node     0  1  2  3  4  5        sorted by (street, dc, id)
//!                cell     2  0  2  2  0  5
//! cell order     nodes    1  4 │ 0  2  3 │ 5      old number of each new node
//!                number   2  0  3  4  1  5        new number of each old node
//! ```
//!
//! Within a cell the order of the street index is kept, so lists of neighbours in one cell stay
//! ascending when they are renumbered.

use super::street_index::StreetIndex;
use crate::cells::Cells;
use std::ops::Range;

/// Order of the nodes by cell, with reused buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct CellOrder {
    /// Old number of each new node.
    pub(super) nodes: Vec<u32>,
    /// New number of each old node.
    pub(super) number: Vec<u32>,
    /// New nodes of each cell that holds a query.
    pub(super) cells: Vec<Range<u32>>,
    /// Next new node of each cell.
    next: Vec<u32>,
}

impl CellOrder {
    /// Sorts the nodes of an index by cell.
    pub(super) fn sort(&mut self, index: &StreetIndex, cells: &Cells) {
        let count = index.waiting_indices().len() as u32;
        let cell_of = |node: u32| cells.of(index.member(node).mesh_key.street).index();
        self.next.clear();
        self.next.resize(cells.count(), 0);
        (0..count).for_each(|node| self.next[cell_of(node)] += 1);
        self.cells.clear();
        let mut start = 0;
        for next in &mut self.next {
            let end = start + *next;
            if end > start {
                self.cells.push(start..end);
            }
            *next = start;
            start = end;
        }
        self.nodes.resize(count as usize, 0);
        self.number.resize(count as usize, 0);
        for node in 0..count {
            let next = &mut self.next[cell_of(node)];
            self.nodes[*next as usize] = node;
            self.number[node as usize] = *next;
            *next += 1;
        }
    }

    /// Returns the first cell, as an index of `cells`, of part `part` out of `parts`; parts hold
    /// about equally many nodes.
    pub(super) fn part_start(&self, part: usize, parts: usize) -> usize {
        let nodes = self.nodes.len() * part / parts;
        match part == parts {
            true => self.cells.len(),
            false => self.cells.partition_point(|cell| (cell.start as usize) < nodes),
        }
    }
}
