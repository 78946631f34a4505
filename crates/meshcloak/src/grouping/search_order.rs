//! Order in which roots are searched, and for each root its earlier and later neighbours and an upper
//! bound on the size of its sets.
//!
//! ```text
//! row of a node in Neighbours    3  7  8  12  15        ascending
//! the same entries of `split`    7  12 │ 3  8  15       earlier ones │ later ones, each ascending
//! earlier_len                    2
//! ```
//!
//! Each row is divided once, without a branch per neighbour: the order of two neighbours is
//! unpredictable. Bound, candidates and witnesses of a root then read one part of its row.

use super::root_searcher::SearchInput;
use rayon::prelude::*;
use std::ops::Range;

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
    split: Vec<u32>,
    earlier_len: Vec<u32>,
    /// Counting-sort offsets by degree.
    offsets: Vec<u32>,
}

/// Consecutive nodes, the unit of work of a thread.
struct Share<'a> {
    nodes: Range<usize>,
    max_size: &'a mut [u32],
    earlier_len: &'a mut [u32],
    /// Rows of the nodes.
    split: &'a mut [u32],
}

/// Smallest number of nodes for which a second thread is used.
const MIN_SHARE: usize = 1024;

impl SearchOrder {
    /// Computes order and bounds of a graph.
    pub(super) fn compute(&mut self, input: SearchInput<'_>) {
        self.sort_by_degree(input);
        let nodes = input.graph.len();
        self.max_size.resize(nodes, 0);
        self.earlier_len.resize(nodes, 0);
        self.split.resize(input.graph.entry_count(), 0);
        let SearchOrder { rank, max_size, split, earlier_len, .. } = self;
        let count = (nodes / MIN_SHARE).clamp(1, 4 * rayon::current_num_threads());
        let mut rest = Share { nodes: 0..nodes, max_size, earlier_len, split };
        let mut shares = Vec::with_capacity(count);
        for number in 1..count {
            shares.push(rest.split_front(input, nodes * number / count));
        }
        shares.push(rest);
        if let [share] = &mut shares[..] {
            share.fill(input, rank);
        } else {
            shares.par_iter_mut().for_each(|share| share.fill(input, rank));
        }
    }

    /// Counting sort by role and degree, then by number.
    fn sort_by_degree(&mut self, input: SearchInput<'_>) {
        let degrees = input.graph.degrees();
        let max_degree = degrees.iter().copied().max().unwrap_or(0);
        // Present nodes have the keys above the largest degree.
        let key = |node: usize| {
            let is_present = !input.asks(node as u32);
            (degrees[node] + u32::from(is_present) * (max_degree + 1)) as usize
        };
        self.offsets.clear();
        self.offsets.resize(2 * (max_degree as usize + 1) + 1, 0);
        (0..degrees.len()).for_each(|node| self.offsets[key(node) + 1] += 1);
        for smaller in 1..self.offsets.len() {
            self.offsets[smaller] += self.offsets[smaller - 1];
        }
        self.order.resize(degrees.len(), 0);
        self.rank.resize(degrees.len(), 0);
        for node in 0..degrees.len() {
            let offset = &mut self.offsets[key(node)];
            self.order[*offset as usize] = node as u32;
            self.rank[node] = *offset;
            *offset += 1;
        }
    }

    /// Returns the neighbours that come before a node, ascending.
    pub(super) fn earlier(&self, input: SearchInput<'_>, node: u32) -> &[u32] {
        let start = input.graph.row(node).start;
        &self.split[start..start + self.earlier_len[node as usize] as usize]
    }

    /// Returns the neighbours that come after a node, ascending.
    pub(super) fn later(&self, input: SearchInput<'_>, node: u32) -> &[u32] {
        let Range { start, end } = input.graph.row(node);
        &self.split[start + self.earlier_len[node as usize] as usize..end]
    }
}

impl<'a> Share<'a> {
    /// Splits off the nodes before `end`.
    fn split_front(&mut self, input: SearchInput<'_>, end: usize) -> Share<'a> {
        let start = std::mem::replace(&mut self.nodes.start, end);
        let row_start = |node: usize| input.graph.row(node as u32).start;
        let entries = row_start(end) - row_start(start);
        Share {
            nodes: start..end,
            max_size: self.max_size.split_off_mut(..end - start).unwrap_or_default(),
            earlier_len: self.earlier_len.split_off_mut(..end - start).unwrap_or_default(),
            split: self.split.split_off_mut(..entries).unwrap_or_default(),
        }
    }

    /// Divides the rows and computes the bounds.
    fn fill(&mut self, input: SearchInput<'_>, rank: &[u32]) {
        let first = self.nodes.start;
        let base = if self.nodes.is_empty() { 0 } else { input.graph.row(first as u32).start };
        let (mut later, mut counting) = (Vec::new(), Vec::new());
        for node in self.nodes.clone() {
            let row = input.graph.of(node as u32);
            if row.is_empty() {
                (self.earlier_len[node - first], self.max_size[node - first]) = (0, 0);
                continue;
            }
            let start = input.graph.row(node as u32).start - base;
            let out = &mut self.split[start..start + row.len()];
            if later.len() < row.len() {
                later.resize(row.len(), 0);
            }
            let own = rank[node];
            let (mut earlier_len, mut later_len) = (0, 0);
            for &other in row {
                let is_earlier = rank[other as usize] < own;
                out[earlier_len] = other;
                later[later_len] = other;
                earlier_len += usize::from(is_earlier);
                later_len += usize::from(!is_earlier);
            }
            out[earlier_len..].copy_from_slice(&later[..later_len]);
            self.earlier_len[node - first] = earlier_len as u32;
            let later = &mut later[..later_len];
            self.max_size[node - first] = bound(input, node as u32, later, &mut counting);
        }
    }
}

/// Returns the upper bound for `root`: `later`, its later neighbours, are pruned by size to a fixpoint.
/// Their numbers are overwritten by their k; `counting` is a scratch buffer.
fn bound(input: SearchInput<'_>, root: u32, later: &mut [u32], counting: &mut Vec<u32>) -> u32 {
    let SearchInput { graph, k, .. } = input;
    let root_k = k[root as usize];
    if !input.asks(root) || later.is_empty() || root_k as usize > later.len() + 1 {
        return 0;
    }
    if !graph.all_count() {
        return restricted_bound(input, root, later, counting);
    }
    later.iter_mut().for_each(|entry| *entry = k[*entry as usize]);
    largest_size(later, root_k)
}

/// Returns the largest size for which that many of the root and nodes with these k have at most that
/// k; 0 if it is 1 or less than the k of the root.
fn largest_size(later_k: &[u32], root_k: u32) -> u32 {
    let mut size = later_k.len() as u32 + 1;
    loop {
        if root_k > size || size == 1 {
            return 0;
        }
        let kept = later_k.iter().map(|&k| u32::from(k <= size)).sum::<u32>() + 1;
        if kept == size {
            return size;
        }
        size = kept;
    }
}

/// The same if not all nodes count: enough of the remaining ones must count for the root.
fn restricted_bound(
    input: SearchInput<'_>,
    root: u32,
    later: &mut [u32],
    counting: &mut Vec<u32>,
) -> u32 {
    let k = |node: u32| input.k[node as usize];
    let mut next = 0;
    counting.clear();
    let flags = input.graph.counting_flags(root).unwrap_or_default();
    for (&node, &counts) in input.graph.of(root).iter().zip(flags) {
        // The later neighbours ascend like the row.
        if later.get(next) == Some(&node) {
            next += 1;
            counting.extend(counts.then(|| k(node)));
        }
    }
    later.iter_mut().for_each(|entry| *entry = k(*entry));
    let size = largest_size(later, k(root));
    let have = counting.iter().filter(|&&k| k <= size).count() as u32;
    if have + 1 >= k(root) { size } else { 0 }
}
