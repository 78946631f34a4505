//! Candidate cliques: the maximal cliques of the pruned graph, each without the members whose k it
//! cannot meet. Every publishable set is a subset of one of them.

use super::clique_arena::CliqueArena;
use super::finder::CliqueFinder;
use super::root_searcher::SearchInput;

/// Candidate cliques, and an index from each node to the cliques that contain it.
#[derive(Clone, Debug, Default)]
pub(super) struct CandidateCliques {
    arena: CliqueArena,
    /// Cliques of node `n`: `containing[containing_starts[n]..containing_starts[n + 1]]`.
    containing_starts: Vec<u32>,
    containing: Vec<u32>,
    finder: CliqueFinder,
}

impl CandidateCliques {
    /// Sets whether one thread is used.
    pub(super) fn set_sequential(&mut self, is_sequential: bool) {
        self.finder.is_sequential = is_sequential;
    }

    /// Returns the number of cliques.
    pub(super) fn len(&self) -> usize {
        self.arena.len()
    }

    /// Returns the members of a clique.
    pub(super) fn nodes(&self, clique: u32) -> &[u32] {
        self.arena.nodes(clique)
    }

    /// Returns the counting relation of a clique: one row of `ceil(n / 64)` words per member, with
    /// a bit for each member that counts for it.
    pub(super) fn counting_rows(&self, clique: u32) -> &[u64] {
        let members = self.nodes(clique).len();
        let start = self.arena.row_starts[clique as usize];
        &self.arena.rows[start..start + members * members.div_ceil(64)]
    }

    /// Returns the cliques that contain a node, ascending.
    pub(super) fn containing(&self, node: u32) -> &[u32] {
        let node = node as usize;
        let (start, end) = (self.containing_starts[node], self.containing_starts[node + 1]);
        &self.containing[start as usize..end as usize]
    }

    /// Returns the number of steps of all searches.
    pub(super) fn steps(&self) -> u64 {
        self.arena.steps
    }

    /// Returns whether a search spent its budget or the cliques exceeded the memory limit.
    pub(super) fn truncated(&self) -> bool {
        self.arena.truncated
    }

    /// Finds the cliques. Each root has a budget of `input.budget` steps.
    pub(super) fn find(&mut self, input: SearchInput<'_>) {
        self.finder.find(input, &mut self.arena);
        self.index(input.graph.len());
    }

    fn index(&mut self, nodes: usize) {
        self.containing_starts.clear();
        self.containing_starts.resize(nodes + 2, 0);
        for &node in &self.arena.nodes {
            self.containing_starts[node as usize + 2] += 1;
        }
        for node in 0..nodes {
            self.containing_starts[node + 2] += self.containing_starts[node + 1];
        }
        self.containing.clear();
        self.containing.resize(self.arena.nodes.len(), 0);
        let mut start = 0;
        for (clique, &end) in self.arena.ends.iter().enumerate() {
            for &node in &self.arena.nodes[start as usize..end as usize] {
                let slot = &mut self.containing_starts[node as usize + 1];
                self.containing[*slot as usize] = clique as u32;
                *slot += 1;
            }
            start = end;
        }
    }
}
