//! All maximal cliques below one root, by Tomita's pivoting (Tomita et al. 2006).
//!
//! ```text
//! bit    0 … e-1              e … n-2            n-1
//!        earlier neighbours   later neighbours   root
//! state  clique ⊇ {root}, open ⊆ later: can extend the clique
//!        done: extend the clique, but all their cliques are reported at another branch or root
//! ```
//!
//! Invariant: every node of `open` and `done` is adjacent to all of `clique`. A clique is maximal
//! if and only if both sets are empty.
//!
//! Differences from the reference (`printed::tomita`): sets are bit sets of the neighbourhood, an
//! `open` set that is a clique ends the recursion at once, and with a restricted counting relation
//! `open` is pruned to the nodes whose k can still be met. Nodes without a chance to be published
//! would otherwise multiply the branches. Every publishable set survives the pruning, which counts
//! members only; the components of the relation decide when a clique is reported.

use super::clique_arena::CliqueArena;
use super::matching::Matching;
use super::roles::{Role, RoleSets, RoleWords};
use crate::cliques::bitset::BitSet;

/// Number of bit-set words that one step of the budget pays for.
const WORDS_PER_STEP: usize = 256;

/// Largest total number of members of all cliques.
pub(super) const MAX_MEMBERS: usize = 1 << 22;

/// Restricted counting relation of a neighbourhood.
pub(super) struct CountingRelation<'a, B> {
    /// k of each node.
    pub(super) k: &'a [u32],
    /// For each node the set of nodes that count for it.
    pub(super) rows: &'a [B],
    /// Roles of the nodes; `None` if all ask.
    pub(super) roles: Option<&'a RoleSets<B>>,
}

impl<B: BitSet> Matching for CountingRelation<'_, B> {
    #[inline]
    fn row(&self, node: usize) -> &[u64] {
        self.rows[node].words()
    }

    #[inline]
    fn k(&self, node: usize) -> u32 {
        self.k[node]
    }

    #[inline]
    fn roles(&self) -> Option<RoleWords<'_>> {
        self.roles.map(RoleSets::words)
    }
}

/// Search below one root.
pub(super) struct PivotSearch<'a, B> {
    /// Nodes of the neighbourhood; the root is the last.
    pub(super) nodes: &'a [u32],
    pub(super) adjacency: &'a [B],
    /// `None` if all nodes count.
    pub(super) counting: Option<CountingRelation<'a, B>>,
    /// k of every node of the graph.
    pub(super) k: &'a [u32],
    /// Role of every node of the graph; empty if all ask.
    pub(super) all_roles: &'a [Role],
    pub(super) found: &'a mut CliqueArena,
    pub(super) steps: u32,
    pub(super) budget: u32,
}

impl<B: BitSet> PivotSearch<'_, B> {
    /// Reports the maximal cliques that extend `clique` by nodes of `open`.
    pub(super) fn extend(&mut self, clique: &B, mut open: B, mut done: B) {
        if !self.prune_open(clique, &mut open) {
            return;
        }
        let count = open.count();
        self.steps += 1 + (count as usize * charged_words(&open) / WORDS_PER_STEP) as u32;
        if count == 0 {
            if done.count() == 0 {
                self.report(clique);
            }
            return;
        }
        if self.steps > self.budget || self.found.nodes.len() > MAX_MEMBERS {
            self.found.truncated = true;
            return self.report(clique);
        }
        let mut pivot = (0, open.first().unwrap_or(0));
        for index in done.iter() {
            let common = open.count_common(&self.adjacency[index]);
            if common == count {
                return; // this node extends every clique of the branch
            }
            if common > pivot.0 {
                pivot = (common, index);
            }
        }
        let mut min_degree = count;
        for index in open.iter() {
            let common = open.count_common(&self.adjacency[index]);
            min_degree = min_degree.min(common);
            if common > pivot.0 {
                pivot = (common, index);
            }
        }
        if min_degree == count - 1 {
            return self.report(&union(clique, &open)); // `open` is a clique
        }
        for next in open.without(&self.adjacency[pivot.1]).iter() {
            let row = &self.adjacency[next];
            let mut larger = clique.clone();
            larger.insert(next);
            self.extend(&larger, open.common(row), done.common(row));
            open.remove(next);
            done.insert(next);
        }
    }

    /// Prunes `open` to the nodes whose k can be met inside `clique ∪ open`. Returns `false` if no
    /// set of two nodes remains.
    fn prune_open(&self, clique: &B, open: &mut B) -> bool {
        let Some(counting) = &self.counting else { return true };
        let mut members = union(clique, open);
        counting.prune_by_count(&mut members);
        *open = open.common(&members);
        members.count() >= 2
    }

    fn report(&mut self, clique: &B) {
        if self.counting.is_some() {
            return self.report_with_rows(clique.clone());
        }
        let nodes = clique.iter().map(|index| self.nodes[index]);
        self.found.push_pruned(nodes, self.k, self.all_roles);
    }

    /// Stores a pruned clique with its counting relation: the root first, then ascending.
    fn report_with_rows(&mut self, mut members: B) {
        let Some(counting) = &self.counting else { return };
        counting.prune(&mut members);
        let size = members.count() as usize;
        if size < 2 {
            return;
        }
        let root = Some(self.nodes.len() - 1).filter(|&root| members.has(root));
        root.into_iter().for_each(|root| members.remove(root));
        let CliqueArena { ends, nodes, rows, row_starts, .. } = &mut *self.found;
        row_starts.push(rows.len());
        for index in root.into_iter().chain(members.iter()) {
            nodes.push(self.nodes[index]);
            let counting_row = &counting.rows[index];
            let mut word = 0;
            for (bit, other) in root.into_iter().chain(members.iter()).enumerate() {
                word |= u64::from(counting_row.has(other)) << (bit % 64);
                if bit % 64 == 63 || bit + 1 == size {
                    rows.push(std::mem::take(&mut word));
                }
            }
        }
        ends.push(nodes.len() as u32);
    }
}

/// Returns the words that a step is charged for. Three words are charged as four: the budget decides
/// which cliques are found, so the charge must not depend on the type of the set.
fn charged_words<B: BitSet>(set: &B) -> usize {
    let words = set.words().len();
    if words == 3 { 4 } else { words }
}

fn union<B: BitSet>(a: &B, b: &B) -> B {
    let mut both = a.clone();
    both.insert_all(b);
    both
}
