//! Neighbourhood of one root as bit rows.
//!
//! ```text
//! index     0 … e-1              e … n-2            n-1
//! nodes     earlier neighbours   later neighbours   root
//! adjacency n rows of B          row i: neighbours of i, without the root
//! counting  n rows of B          row i: nodes that count for i, filled for later nodes and the root
//! local     by graph node        index + 1, or 0 outside the neighbourhood
//! ```
//!
//! Invariant: `local` is all zero between two searches.
//!
//! Rows are gathered without a branch per neighbour, because about half of the neighbours of a node
//! are outside the neighbourhood. With fewer than 64 nodes the bits are accumulated in a register:
//! bit 0 collects the nodes outside, and the row is shifted right by one at the end.

use super::clique_arena::CliqueArena;
use super::matching::Matching as _;
use super::neighbours::Neighbours;
use super::pivot_search::{CountingRelation, PivotSearch};
use super::roles::RoleSets;
use super::root_searcher::SearchInput;
use crate::cliques::bitset::BitSet;
use crate::cliques::byteset::ByteSet;

/// Nodes of one search.
pub(super) struct Neighbourhood<'a> {
    /// Earlier neighbours of the root, then later ones, then the root.
    pub(super) nodes: &'a [u32],
    /// Number of earlier neighbours.
    pub(super) earlier: usize,
    /// For each node of the graph its index in `nodes` plus one; 0 if it is not in it.
    pub(super) local: &'a mut [u32],
}

impl Neighbourhood<'_> {
    fn root(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Fills `local`.
    fn enter(&mut self) {
        for (plus_one, &node) in (1..).zip(self.nodes) {
            self.local[node as usize] = plus_one;
        }
    }

    /// Clears `local`.
    fn leave(&mut self) {
        self.nodes.iter().for_each(|&node| self.local[node as usize] = 0);
    }

    /// Returns the later neighbours and the root.
    fn later<B: BitSet>(&self) -> B {
        let mut later = B::full(self.nodes.len());
        (0..self.earlier).for_each(|index| later.remove(index));
        later
    }
}

/// Bit rows of a neighbourhood.
#[derive(Clone, Debug, Default)]
pub(super) struct LocalGraph<B> {
    adjacency: Vec<B>,
    /// k of each node of the neighbourhood.
    k: Vec<u32>,
    counting: Vec<B>,
    /// Roles of the nodes of the neighbourhood.
    roles: Option<RoleSets<B>>,
    bytes: ByteSet,
}

impl<B: BitSet> LocalGraph<B> {
    /// Returns whether pruning leaves a set that contains the root.
    pub(super) fn has_set(
        &mut self,
        mut neighbourhood: Neighbourhood<'_>,
        input: SearchInput<'_>,
    ) -> bool {
        neighbourhood.enter();
        let members = self.prune(&neighbourhood, input);
        neighbourhood.leave();
        members.is_some()
    }

    /// Finds the cliques whose first node is the root. Returns `false` if there is no set.
    pub(super) fn search(
        &mut self,
        mut neighbourhood: Neighbourhood<'_>,
        input: SearchInput<'_>,
        found: &mut CliqueArena,
    ) -> bool {
        neighbourhood.enter();
        let root = neighbourhood.root();
        let all_count = input.graph.all_count();
        let open = match all_count {
            true => Some(neighbourhood.later()),
            false => self.prune(&neighbourhood, input),
        };
        let Some(mut open) = open else {
            neighbourhood.leave();
            return false;
        };
        open.remove(root);
        let mut done = B::empty(neighbourhood.nodes.len());
        (0..neighbourhood.earlier).for_each(|index| done.insert(index));
        self.connect(input.graph, &neighbourhood, &open, &done);
        neighbourhood.leave();
        let LocalGraph { adjacency, counting: rows, k: local_k, roles, .. } = self;
        let roles = roles.as_ref();
        let counting = (!all_count).then_some(CountingRelation { k: local_k, rows, roles });
        let mut clique = B::empty(neighbourhood.nodes.len());
        clique.insert(root);
        let SearchInput { k, roles: all_roles, budget, .. } = input;
        let nodes = neighbourhood.nodes;
        let steps = 0;
        let mut search =
            PivotSearch { nodes, adjacency, counting, k, all_roles, found, steps, budget };
        search.extend(&clique, open, done);
        let steps = search.steps;
        found.steps += u64::from(steps);
        found.truncated |= steps > budget;
        true
    }

    /// Fills `k` and `counting`. Returns the later nodes and the root, pruned to a fixpoint; `None`
    /// if the root is pruned.
    fn prune(&mut self, neighbourhood: &Neighbourhood<'_>, input: SearchInput<'_>) -> Option<B> {
        let SearchInput { graph, k, .. } = input;
        let nodes = neighbourhood.nodes;
        self.k.clear();
        self.k.extend(nodes.iter().map(|&node| k[node as usize]));
        self.roles = RoleSets::of(input.roles, nodes.len(), nodes.iter().copied().enumerate());
        self.counting.clear();
        self.counting.resize(nodes.len(), B::empty(nodes.len()));
        let root = neighbourhood.root();
        let later: B = neighbourhood.later();
        let mut members = later.clone();
        self.fill_counting(graph, neighbourhood, root);
        let counting_for_root = self.counting[root].common(&members);
        let mut surplus = counting_for_root.count().checked_sub(self.k[root])?;
        for index in counting_for_root.iter().filter(|&index| index != root) {
            self.fill_counting(graph, neighbourhood, index);
            if !self.is_met(index, &members) {
                members.remove(index);
                surplus = surplus.checked_sub(1)?;
            }
        }
        for index in later.without(&counting_for_root).iter().filter(|&index| index != root) {
            self.fill_counting(graph, neighbourhood, index);
            if !self.is_met(index, &members) {
                members.remove(index);
            }
        }
        let roles = self.roles.as_ref();
        let relation = CountingRelation { k: &self.k, rows: &self.counting, roles };
        relation.prune_by_count(&mut members);
        members.has(root).then_some(members)
    }

    /// Returns whether enough of `members` count for a node.
    fn is_met(&self, index: usize, members: &B) -> bool {
        self.counting[index].count_common(members) >= self.k[index]
    }

    /// Fills one row of `counting`.
    fn fill_counting(
        &mut self,
        graph: &Neighbours,
        neighbourhood: &Neighbourhood<'_>,
        index: usize,
    ) {
        let node = neighbourhood.nodes[index];
        let others = graph.counting_neighbours(node).iter();
        let others = others.map(|&other| neighbourhood.local[other as usize]);
        let gather = Gather { bound: neighbourhood.nodes.len(), excluded: 0 };
        gather.run(others, &mut self.bytes, &mut self.counting[index]);
        self.counting[index].insert(index);
    }

    /// Fills `adjacency` for the pairs with one node in `open` and the other in `open` or `done`.
    fn connect(
        &mut self,
        graph: &Neighbours,
        neighbourhood: &Neighbourhood<'_>,
        open: &B,
        done: &B,
    ) {
        let LocalGraph { adjacency, bytes, .. } = self;
        let count = neighbourhood.nodes.len();
        adjacency.clear();
        adjacency.resize(count, B::empty(count));
        // The root has the last index. It is in every clique, so no row contains it.
        let gather = Gather { bound: count, excluded: count as u32 };
        for index in open.iter() {
            let others = graph.of(neighbourhood.nodes[index]).iter();
            let others = others.map(|&other| neighbourhood.local[other as usize]);
            gather.run(others, bytes, &mut adjacency[index]);
            for witness in adjacency[index].common(done).iter() {
                adjacency[witness].insert(index);
            }
        }
    }
}

/// Conversion of a list of local indices plus one to a bit row.
#[derive(Clone, Copy)]
struct Gather {
    /// Number of indices.
    bound: usize,
    /// Index plus one that is left out; 0 leaves out none.
    excluded: u32,
}

impl Gather {
    /// Inserts indices into an empty set. They are passed plus one; 0 is ignored.
    #[inline]
    fn run<B: BitSet>(self, indices: impl Iterator<Item = u32>, bytes: &mut ByteSet, bits: &mut B) {
        let Gather { bound, excluded } = self;
        if let [word] = bits.words_mut()
            && bound < 64
        {
            let gathered = indices.fold(0, |bits, plus_one| bits | 1_u64 << (plus_one % 64));
            *word = (gathered & !(1 << (excluded % 64))) >> 1;
            return;
        }
        bytes.clear(bound);
        indices.for_each(|plus_one| bytes.set(plus_one, true));
        bytes.set(excluded, false);
        bytes.add_to(bits);
    }
}
