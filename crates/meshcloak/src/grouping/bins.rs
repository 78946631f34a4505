//! The maximal cliques among those who can be served at all, each without the members whose k it
//! cannot meet. Whatever set can be published lies in one of them.

use super::finder::Finder;
use super::found::Found;
use super::neighbours::Neighbours;
use super::searcher::Quest;

/// The cliques, and for each node those that hold it.
#[derive(Clone, Debug, Default)]
pub(super) struct Bins {
    found: Found,
    of_starts: Vec<u32>,
    of: Vec<u32>,
    finder: Finder,
}

impl Bins {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.found.len()
    }

    /// The nodes of one.
    pub(super) fn nodes(&self, bin: u32) -> &[u32] {
        self.found.nodes(bin)
    }

    /// Who counts for each member of one, as bits over its members: as many words for each as it
    /// takes.
    pub(super) fn rows(&self, bin: u32) -> &[u64] {
        let members = self.nodes(bin).len();
        let start = self.found.row_starts[bin as usize];
        &self.found.rows[start..start + members * members.div_ceil(64)]
    }

    /// Those that hold a node, ascending.
    pub(super) fn of(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.of[self.of_starts[node] as usize..self.of_starts[node + 1] as usize]
    }

    /// Steps of all searches.
    pub(super) fn steps(&self) -> u64 {
        self.found.steps
    }

    /// Whether a search spent its budget, or cliques did not fit into memory.
    pub(super) fn truncated(&self) -> bool {
        self.found.truncated
    }

    /// Finds them; the search from one node may take `budget` steps.
    pub(super) fn find(&mut self, graph: &Neighbours, k: &[u32], budget: u32) {
        self.finder.find(Quest { graph, k, budget }, &mut self.found);
        self.index(graph.len());
    }

    fn index(&mut self, nodes: usize) {
        self.of_starts.clear();
        self.of_starts.resize(nodes + 2, 0);
        for &node in &self.found.nodes {
            self.of_starts[node as usize + 2] += 1;
        }
        for node in 0..nodes {
            self.of_starts[node + 2] += self.of_starts[node + 1];
        }
        self.of.clear();
        self.of.resize(self.found.nodes.len(), 0);
        let mut start = 0;
        for (bin, &end) in self.found.ends.iter().enumerate() {
            for &node in &self.found.nodes[start as usize..end as usize] {
                let slot = &mut self.of_starts[node as usize + 1];
                self.of[*slot as usize] = bin as u32;
                *slot += 1;
            }
            start = end;
        }
    }
}
