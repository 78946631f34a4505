//! Dijkstra's algorithm over the streets and terminals of a part: distances and the tree of paths.

use super::network::Network;
use crate::stamps::Stamps;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Shortest-path tree from one street, and the order in which its nodes were reached.
#[derive(Clone, Debug, Default)]
pub(super) struct ShortestPathTree {
    nodes: Stamps<TreeNode>,
    reached: Stamps<()>,
    order: Vec<u32>,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct TreeNode {
    distance: u64,
    parent: u32,
}

/// Parent of the root.
pub(super) const NO_PARENT: u32 = u32::MAX;

impl ShortestPathTree {
    /// Computes the tree of the part of the network that holds the street `root`.
    pub(super) fn grow(&mut self, network: &Network, root: u32) {
        self.nodes.clear(network.node_count());
        self.reached.clear(network.node_count());
        self.order.clear();
        self.relax(root, 0, NO_PARENT);
        while let Some(Reverse((distance, node))) = self.heap.pop() {
            if !self.reached.insert(node as usize, ()) {
                continue;
            }
            self.order.push(node);
            let is_street = network.is_street(node);
            for &next in network.adjacent(node) {
                let street = if is_street { node } else { next };
                if network.part(street) == network.part(root) {
                    self.relax(next, distance + network.length(street), node);
                }
            }
        }
    }

    fn relax(&mut self, node: u32, distance: u64, parent: u32) {
        if self.nodes.get(node as usize).is_none_or(|known| distance < known.distance) {
            self.nodes.insert(node as usize, TreeNode { distance, parent });
            self.heap.push(Reverse((distance, node)));
        }
    }

    /// Returns the nodes of the tree, nearest first.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Returns the distance of a node of the tree from the root.
    pub(super) fn distance(&self, node: u32) -> u64 {
        self.node(node).distance
    }

    /// Returns the parent of a node of the tree; [`NO_PARENT`] for the root.
    pub(super) fn parent(&self, node: u32) -> u32 {
        self.node(node).parent
    }

    fn node(&self, node: u32) -> TreeNode {
        self.nodes.peek(node as usize).1
    }

    /// Returns the farthest street of the tree.
    pub(super) fn farthest(&self, network: &Network) -> u32 {
        let mut farthest_first = self.order.iter().rev().copied();
        farthest_first.find(|&node| network.is_street(node)).unwrap_or(0)
    }
}
