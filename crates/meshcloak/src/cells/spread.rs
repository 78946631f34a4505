//! How far the streets of a part are from one of them, and by which tree of ways (Dijkstra).

use super::network::Network;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Distances from one street, and the order in which streets and terminals were reached.
#[derive(Clone, Debug)]
pub(super) struct Spread {
    /// By node, the run that came near it last, and the one that reached it last.
    seen: Vec<u32>,
    reached: Vec<u32>,
    run: u32,
    distance: Vec<u64>,
    from: Vec<u32>,
    order: Vec<u32>,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
}

/// Where the tree begins there is no node before.
pub(super) const NONE: u32 = u32::MAX;

impl Spread {
    pub(super) fn new(network: &Network) -> Spread {
        let nodes = network.node_count();
        Spread {
            seen: vec![0; nodes],
            reached: vec![0; nodes],
            run: 0,
            distance: vec![0; nodes],
            from: vec![NONE; nodes],
            order: Vec::new(),
            heap: BinaryHeap::new(),
        }
    }

    /// Spreads from a street over its part of the network.
    pub(super) fn run(&mut self, network: &Network, start: u32) {
        self.run += 1;
        self.order.clear();
        self.meet(start, 0, NONE);
        while let Some(Reverse((distance, node))) = self.heap.pop() {
            if self.reached[node as usize] == self.run {
                continue;
            }
            self.reached[node as usize] = self.run;
            self.order.push(node);
            let is_street = network.is_street(node);
            for &next in network.beside(node) {
                let street = if is_street { node } else { next };
                if network.part(street) == network.part(start) {
                    self.meet(next, distance + network.length(street), node);
                }
            }
        }
    }

    fn meet(&mut self, node: u32, distance: u64, from: u32) {
        let place = node as usize;
        if self.seen[place] != self.run || distance < self.distance[place] {
            self.seen[place] = self.run;
            self.distance[place] = distance;
            self.from[place] = from;
            self.heap.push(Reverse((distance, node)));
        }
    }

    /// The nodes that were reached, nearest first.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    /// How far a node is that was reached.
    pub(super) fn distance(&self, node: u32) -> u64 {
        self.distance[node as usize]
    }

    /// The node before, on the way to one that was reached.
    pub(super) fn from(&self, node: u32) -> u32 {
        self.from[node as usize]
    }

    /// The farthest street that was reached.
    pub(super) fn farthest(&self, network: &Network) -> u32 {
        let streets = self.order.iter().rev().copied();
        streets.into_iter().find(|&node| network.is_street(node)).unwrap_or(0)
    }
}
