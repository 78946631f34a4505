//! Clique search of one root: collects its neighbourhood and runs the search with the narrowest
//! bit set that holds it.
//!
//! Later neighbours are the candidates, earlier ones the witnesses against non-maximal cliques.
//! Nodes whose k exceeds the bound of the root are left out. A root without any set is no witness
//! for other roots.
//!
//! ```text
//! nodes       set          without it     P1-3-5   P2-10-10
//! 1 … 63      [u64; 1]     (general case)
//! 64 … 128    [u64; 2]     Vec<u64>       +1 %     +38 %
//! 129 …       Vec<u64>     (any size)
//! ```
//!
//! Instructions of the search for all maximal cliques without the variant, on the city of the gates
//! with 10,000 users.

use super::clique_arena::CliqueArena;
use super::local_graph::{LocalGraph, Neighbourhood};
use super::neighbours::Neighbours;
use super::roles::Role;
use super::search_order::SearchOrder;

/// Input that all searches of a graph share.
#[derive(Clone, Copy)]
pub(super) struct SearchInput<'a> {
    pub(super) graph: &'a Neighbours,
    pub(super) k: &'a [u32],
    /// Role of each node; empty if all ask.
    pub(super) roles: &'a [Role],
    pub(super) budget: u32,
}

impl SearchInput<'_> {
    /// Returns whether a node asks.
    #[inline]
    pub(super) fn asks(&self, node: u32) -> bool {
        self.roles.get(node as usize).is_none_or(|role| role.asks())
    }
}

/// Number of earlier neighbours that are tested for domination.
const MAX_DOMINATORS: usize = 4;

/// Searches one root after the other with reused buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct RootSearcher {
    /// For each node its index in the present neighbourhood plus one; 0 if it is not in it.
    local: Vec<u32>,
    /// Earlier neighbours of the present root, then later ones, then the root.
    nodes: Vec<u32>,
    one_word: LocalGraph<[u64; 1]>,
    two_words: LocalGraph<[u64; 2]>,
    many_words: LocalGraph<Vec<u64>>,
}

/// Calls a method of the narrowest local graph that holds the neighbourhood, and returns its result.
macro_rules! with_local_graph {
    ($searcher:expr, $method:ident($earlier:expr, $($more:expr),*)) => {{
        let RootSearcher { local, nodes, one_word, two_words, many_words } = $searcher;
        let neighbourhood = Neighbourhood { nodes, earlier: $earlier, local };
        match nodes.len() {
            ..64 => one_word.$method(neighbourhood, $($more),*),
            64..=128 => two_words.$method(neighbourhood, $($more),*),
            _ => many_words.$method(neighbourhood, $($more),*),
        }
    }};
}

impl RootSearcher {
    /// Prepares the buffers for a graph.
    pub(super) fn begin(&mut self, nodes: usize) {
        self.local.clear();
        self.local.resize(nodes, 0);
    }

    /// Returns whether pruning leaves a set of the root and later nodes.
    pub(super) fn has_set(
        &mut self,
        input: SearchInput<'_>,
        order: &SearchOrder,
        root: u32,
    ) -> bool {
        if order.max_size[root as usize] == 0 {
            return false;
        }
        self.nodes.clear();
        self.collect_later(input, order, root);
        with_local_graph!(self, has_set(0, input))
    }

    /// Returns whether an earlier neighbour is adjacent to all later ones. Then no maximal clique
    /// begins at the root. Only [`MAX_DOMINATORS`] earlier neighbours are tested.
    pub(super) fn is_dominated(
        &mut self,
        input: SearchInput<'_>,
        order: &SearchOrder,
        root: u32,
    ) -> bool {
        let earlier = self.collect(input, order, root);
        self.has_dominator(input, order, earlier)
    }

    /// Finds the cliques whose first node is the root. Returns `false` if there is no set.
    pub(super) fn search(
        &mut self,
        input: SearchInput<'_>,
        order: &SearchOrder,
        root: u32,
        found: &mut CliqueArena,
    ) -> bool {
        if order.max_size[root as usize] == 0 {
            return false;
        }
        let earlier = self.collect(input, order, root);
        if self.has_dominator(input, order, earlier) {
            return true;
        }
        with_local_graph!(self, search(earlier, input, found))
    }

    fn has_dominator(&self, input: SearchInput<'_>, order: &SearchOrder, earlier: usize) -> bool {
        let later = &self.nodes[earlier..self.nodes.len() - 1];
        let dominates = |&node: &u32| {
            let mut row = order.later(input, node).iter();
            later.iter().all(|other| row.find(|node| *node >= other) == Some(other))
        };
        self.nodes[..earlier].iter().take(MAX_DOMINATORS).any(dominates)
    }

    /// Collects the neighbourhood of a root. Returns the number of earlier neighbours.
    fn collect(&mut self, input: SearchInput<'_>, order: &SearchOrder, root: u32) -> usize {
        self.nodes.clear();
        push_if(&mut self.nodes, order.earlier(input, root), |node| {
            order.max_size[node as usize] > 0
        });
        let earlier_count = self.nodes.len();
        self.collect_later(input, order, root);
        earlier_count
    }

    fn collect_later(&mut self, input: SearchInput<'_>, order: &SearchOrder, root: u32) {
        let size = order.max_size[root as usize];
        push_if(&mut self.nodes, order.later(input, root), |node| input.k[node as usize] <= size);
        self.nodes.push(root);
    }
}

/// Appends the nodes that match. Branchless compaction: every node is stored, the length advances
/// only for those that match.
#[inline]
fn push_if(list: &mut Vec<u32>, nodes: &[u32], matches: impl Fn(u32) -> bool) {
    let start = list.len();
    list.extend_from_slice(nodes);
    let mut end = start;
    for index in start..list.len() {
        let node = list[index];
        list[end] = node;
        end += usize::from(matches(node));
    }
    list.truncate(end);
}
