//! All maximal cliques of a dynamic graph, maintained incrementally.
//!
//! The list represents the graph, since every edge lies in some maximal clique. A node is inserted
//! with all its edges (node-based, §V-B.3 of the paper) or edge by edge (ICliqueCloak); both give
//! the same list.

mod change;
mod maximal_sets;
#[cfg(test)]
mod tests;

use maximal_sets::MaximalSets;
use meshcloak::stamps::Stamps;

/// How a node is inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Increment {
    /// With all its edges.
    Node,
    /// Without edges, followed by one edge at a time.
    Edge,
}

/// Maximal cliques of a graph whose nodes are small numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct CliqueList {
    /// Members of each clique, ascending; empty for free numbers.
    cliques: Vec<Vec<u32>>,
    free: Vec<u32>,
    /// Cliques that hold each node.
    holding: Vec<Vec<u32>>,
    /// Sum of the sizes of all cliques.
    size: usize,
    edges: usize,
    /// Cliques inserted or reduced since [`CliqueList::begin`]; some may have been removed.
    fresh: Vec<u32>,
    /// Neighbours of the changed node, with their indices.
    neighbours: Stamps<u32>,
    /// Visited cliques.
    visited: Stamps<()>,
    sets: MaximalSets,
    scratch: Vec<u32>,
}

impl CliqueList {
    /// Largest [`CliqueList::size`] up to which the schemes maintain cliques of that many waiting
    /// queries. It bounds the work of a turn; real traffic needs a few members per query.
    pub(crate) const fn max_size(queries: usize) -> usize {
        queries * 64 + (1 << 14)
    }

    /// Removes all nodes and keeps the buffers.
    pub(crate) fn clear(&mut self) {
        self.free.clear();
        self.free.extend(0..self.cliques.len() as u32);
        self.cliques.iter_mut().for_each(Vec::clear);
        self.holding.iter_mut().for_each(Vec::clear);
        self.fresh.clear();
        (self.size, self.edges) = (0, 0);
    }

    /// Starts a new period for [`CliqueList::fresh`].
    pub(crate) fn begin(&mut self) {
        self.fresh.clear();
    }

    /// Cliques inserted or reduced since [`CliqueList::begin`] that still exist, without duplicates.
    pub(crate) fn fresh(&mut self) -> &[u32] {
        self.fresh.sort_unstable();
        self.fresh.dedup();
        let cliques = &self.cliques;
        self.fresh.retain(|&clique| !cliques[clique as usize].is_empty());
        &self.fresh
    }

    /// Members of a clique, ascending.
    pub(crate) fn members(&self, clique: u32) -> &[u32] {
        &self.cliques[clique as usize]
    }

    /// Number of maximal cliques.
    pub(crate) fn len(&self) -> usize {
        self.cliques.len() - self.free.len()
    }

    /// Sum of the sizes of all cliques.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Number of edges of the graph.
    pub(crate) fn edge_count(&self) -> usize {
        self.edges
    }

    fn insert(&mut self, members: impl Iterator<Item = u32>) {
        let clique = self.free.pop().unwrap_or(self.cliques.len() as u32);
        if clique as usize == self.cliques.len() {
            self.cliques.push(Vec::new());
        }
        let list = &mut self.cliques[clique as usize];
        list.extend(members);
        list.sort_unstable();
        for &member in list.iter() {
            self.holding[member as usize].push(clique);
        }
        self.size += list.len();
        self.fresh.push(clique);
    }

    fn remove(&mut self, clique: u32) {
        let mut list = std::mem::take(&mut self.cliques[clique as usize]);
        for &member in &list {
            remove_unordered(&mut self.holding[member as usize], clique);
        }
        self.size -= list.len();
        list.clear();
        self.cliques[clique as usize] = list;
        self.free.push(clique);
    }
}

/// Removes a number from an unordered list.
fn remove_unordered(list: &mut Vec<u32>, number: u32) {
    if let Some(index) = list.iter().position(|&other| other == number) {
        list.swap_remove(index);
    }
}
