//! The maximal cliques among those who can be served at all, each without the members whose k it
//! cannot meet. Whatever set can be published lies in one of them.

use super::finder::Finder;
use super::neighbours::Neighbours;

/// The cliques, and for each node those that hold it.
#[derive(Clone, Debug, Default)]
pub(super) struct Bins {
    pub(super) ends: Vec<u32>,
    pub(super) nodes: Vec<u32>,
    /// Who counts for each member, as bits over the members; empty if everyone does.
    pub(super) rows: Vec<u64>,
    pub(super) row_starts: Vec<usize>,
    of_starts: Vec<u32>,
    of: Vec<u32>,
    finder: Finder,
    /// Steps of all searches.
    pub(super) steps: u64,
    /// Whether a search spent its budget, or cliques did not fit into memory.
    pub(super) truncated: bool,
}

impl Bins {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The nodes of one.
    pub(super) fn nodes(&self, bin: u32) -> &[u32] {
        let start = if bin == 0 { 0 } else { self.ends[bin as usize - 1] };
        &self.nodes[start as usize..self.ends[bin as usize] as usize]
    }

    /// Who counts for the member at `place` of one, as bits over its members.
    pub(super) fn row(&self, bin: u32, place: usize) -> &[u64] {
        let words = self.nodes(bin).len().div_ceil(64);
        let start = self.row_starts[bin as usize] + place * words;
        &self.rows[start..start + words]
    }

    /// Those that hold a node, ascending.
    pub(super) fn of(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.of[self.of_starts[node] as usize..self.of_starts[node + 1] as usize]
    }

    /// Finds them; the search from one node may take `budget` steps.
    pub(super) fn find(&mut self, graph: &Neighbours, k: &[u32], budget: u32) {
        self.ends.clear();
        self.nodes.clear();
        self.rows.clear();
        self.row_starts.clear();
        (self.steps, self.truncated) = (0, false);
        let mut finder = std::mem::take(&mut self.finder);
        finder.find(graph, k, budget, self);
        self.finder = finder;
        self.index(graph.len());
    }

    /// Keeps a clique without those whose k it cannot meet.
    pub(super) fn keep(&mut self, clique: impl Iterator<Item = u32>, k: &[u32]) {
        let start = self.nodes.len();
        self.nodes.extend(clique);
        let members = &self.nodes[start..];
        let mut size = members.len() as u32;
        loop {
            let content = members.iter().filter(|&&node| k[node as usize] <= size).count() as u32;
            if content == size {
                break;
            }
            size = content;
        }
        if size < 2 {
            self.nodes.truncate(start);
            return;
        }
        let mut kept = start;
        for place in start..self.nodes.len() {
            let node = self.nodes[place];
            if k[node as usize] <= size {
                self.nodes[kept] = node;
                kept += 1;
            }
        }
        self.nodes.truncate(kept);
        self.nodes[start..].sort_unstable();
        self.ends.push(kept as u32);
    }

    fn index(&mut self, nodes: usize) {
        self.of_starts.clear();
        self.of_starts.resize(nodes + 2, 0);
        for &node in &self.nodes {
            self.of_starts[node as usize + 2] += 1;
        }
        for node in 0..nodes {
            self.of_starts[node + 2] += self.of_starts[node + 1];
        }
        self.of.clear();
        self.of.resize(self.nodes.len(), 0);
        let mut start = 0;
        for (bin, &end) in self.ends.iter().enumerate() {
            for &node in &self.nodes[start as usize..end as usize] {
                let slot = &mut self.of_starts[node as usize + 1];
                self.of[*slot as usize] = bin as u32;
                *slot += 1;
            }
            start = end;
        }
    }
}
