//! Order in which roots are searched, and an upper bound on the set size of each root.

use super::root_searcher::SearchInput;
use rayon::prelude::*;

/// Nodes by ascending degree, then by number. It keeps the number of later neighbours small. Nodes
/// that ask come before present ones: every set has one, so that no present node is a root.
#[derive(Clone, Debug, Default)]
pub(super) struct SearchOrder {
    /// Nodes in search order.
    pub(super) order: Vec<u32>,
    /// Index of each node in `order`.
    rank: Vec<u32>,
    /// Upper bound on the size of a set of the node and later nodes; 0 if there is no such set.
    pub(super) max_size: Vec<u32>,
    /// Counting-sort offsets by degree.
    offsets: Vec<u32>,
}

/// Later neighbour of a root.
#[derive(Clone, Copy)]
struct LaterNode {
    k: u32,
    counts_for_root: bool,
}

impl SearchOrder {
    /// Computes order and bounds of a graph.
    pub(super) fn compute(&mut self, input: SearchInput<'_>) {
        self.sort_by_degree(input);
        let mut max_size = std::mem::take(&mut self.max_size);
        max_size.resize(input.graph.len(), 0);
        max_size.par_iter_mut().with_min_len(1024).enumerate().for_each_init(
            Vec::new,
            |later, (node, max_size)| {
                *max_size = self.bound(input, node as u32, later);
            },
        );
        self.max_size = max_size;
    }

    /// Counting sort by role and degree, then by number.
    fn sort_by_degree(&mut self, input: SearchInput<'_>) {
        let nodes = 0..input.graph.len() as u32;
        let all = nodes.clone().map(|node| input.graph.of(node).len()).max().unwrap_or(0);
        // Present nodes have the keys above the largest degree.
        let degree = |node: u32| {
            let is_present = !input.asks(node);
            input.graph.of(node).len() + usize::from(is_present) * (all + 1)
        };
        let max_degree = nodes.clone().map(degree).max().unwrap_or(0);
        self.offsets.clear();
        self.offsets.resize(max_degree + 2, 0);
        nodes.clone().for_each(|node| self.offsets[degree(node) + 1] += 1);
        for smaller in 0..max_degree {
            self.offsets[smaller + 1] += self.offsets[smaller];
        }
        self.order.resize(nodes.len(), 0);
        self.rank.resize(nodes.len(), 0);
        for node in nodes {
            let offset = &mut self.offsets[degree(node)];
            self.order[*offset as usize] = node;
            self.rank[node as usize] = *offset;
            *offset += 1;
        }
    }

    /// Returns whether `node` comes after `other`.
    pub(super) fn is_after(&self, node: u32, other: u32) -> bool {
        self.rank[node as usize] > self.rank[other as usize]
    }

    /// Returns the upper bound for `root`: later neighbours are pruned by size to a fixpoint.
    fn bound(&self, input: SearchInput<'_>, root: u32, later: &mut Vec<LaterNode>) -> u32 {
        let SearchInput { graph, k, .. } = input;
        if !input.asks(root) {
            return 0;
        }
        let root_k = k[root as usize];
        later.clear();
        let flags = graph.counting_flags(root);
        let all = graph.of(root).iter().enumerate();
        let after = all.filter(|(_, node)| self.is_after(**node, root));
        later.extend(after.map(|(index, &node)| LaterNode {
            k: k[node as usize],
            counts_for_root: flags.is_none_or(|flags| flags[index]),
        }));
        loop {
            let size = later.len() as u32 + 1;
            if root_k > size || size == 1 {
                return 0;
            }
            later.retain(|node| node.k <= size);
            if later.len() as u32 + 1 == size {
                break;
            }
        }
        let have = later.iter().filter(|node| node.counts_for_root).count() as u32;
        let is_met = have + 1 >= root_k;
        if is_met { later.len() as u32 + 1 } else { 0 }
    }
}
