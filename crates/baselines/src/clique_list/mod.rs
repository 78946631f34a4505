//! All maximal cliques of a graph, kept up to date while nodes come and go.
//!
//! The list *is* the graph: every edge lies in some maximal clique. A node comes in one piece
//! (node-based, as §V-C of the paper has it) or edge by edge (as ICliqueCloak has it); the list
//! afterwards is the same.

mod change;
mod pool;
#[cfg(test)]
mod tests;

use meshcloak::stamps::Stamps;
use pool::Pool;

/// How a node comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Increment {
    /// With all its edges at once.
    Node,
    /// Alone, and then one edge after the other.
    Edge,
}

/// The maximal cliques of a graph whose nodes are small numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct CliqueList {
    /// The members of each clique, ascending; of a number that is free, none.
    cliques: Vec<Vec<u32>>,
    free: Vec<u32>,
    /// For each node the cliques that hold it.
    holding: Vec<Vec<u32>>,
    /// How many members all cliques have together.
    size: usize,
    edges: usize,
    /// Cliques that came about since [`CliqueList::begin`]; some may be gone again.
    fresh: Vec<u32>,
    /// Neighbours of the changed node, each with its index among them.
    marks: Stamps<u32>,
    /// Cliques already visited.
    visited: Stamps<()>,
    pool: Pool,
    room: Vec<u32>,
}

impl CliqueList {
    /// The list of the empty graph, keeping its room.
    pub(crate) fn clear(&mut self) {
        self.free.clear();
        self.free.extend(0..self.cliques.len() as u32);
        self.cliques.iter_mut().for_each(Vec::clear);
        self.holding.iter_mut().for_each(Vec::clear);
        self.fresh.clear();
        (self.size, self.edges) = (0, 0);
    }

    /// From here on cliques count as fresh.
    pub(crate) fn begin(&mut self) {
        self.fresh.clear();
    }

    /// The cliques that came about since [`CliqueList::begin`] and are still there; each once.
    pub(crate) fn fresh(&mut self) -> &[u32] {
        self.fresh.sort_unstable();
        self.fresh.dedup();
        let cliques = &self.cliques;
        self.fresh.retain(|&clique| !cliques[clique as usize].is_empty());
        &self.fresh
    }

    /// The members of a clique, ascending.
    pub(crate) fn members(&self, clique: u32) -> &[u32] {
        &self.cliques[clique as usize]
    }

    /// How many maximal cliques there are.
    pub(crate) fn len(&self) -> usize {
        self.cliques.len() - self.free.len()
    }

    /// How many members they have together.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// How many edges the graph has.
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
            forget(&mut self.holding[member as usize], clique);
        }
        self.size -= list.len();
        list.clear();
        self.cliques[clique as usize] = list;
        self.free.push(clique);
    }
}

/// Takes one number out of a list in which order does not matter.
fn forget(list: &mut Vec<u32>, number: u32) {
    if let Some(place) = list.iter().position(|&other| other == number) {
        list.swap_remove(place);
    }
}
