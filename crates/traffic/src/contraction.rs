//! Contraction: terminals are taken out of the graph one by one, the least important first, and
//! shortcuts keep every shortest way between those that remain. What is left is a [`Hierarchy`].
//!
//! Everything is in a fixed order, so the same graph gives the same hierarchy.

use crate::hierarchy::{Arc, Arcs, Hierarchy, NO_MIDDLE};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A search for a way around a terminal gives up after settling this many others: an extra
/// shortcut costs little, a long search much.
const PATIENCE: usize = 60;

/// A graph from which terminals are being taken out.
pub(crate) struct Contraction {
    leaving: Vec<Vec<Arc>>,
    arriving: Vec<Vec<Arc>>,
    /// How many layers of contracted terminals lie below each.
    level: Vec<u32>,
    around: Around,
    up: Vec<Vec<Arc>>,
    down: Vec<Vec<Arc>>,
    order: Vec<u32>,
}

impl Contraction {
    /// The graph of that many nodes with these arcs `(from, to, cost)`; of parallel ones the
    /// cheapest counts, loops do not.
    pub(crate) fn new(nodes: usize, arcs: impl Iterator<Item = (u32, u32, u64)>) -> Contraction {
        let mut contraction = Contraction {
            leaving: vec![Vec::new(); nodes],
            arriving: vec![Vec::new(); nodes],
            level: vec![0; nodes],
            around: Around { cost: vec![u64::MAX; nodes], ..Around::default() },
            up: vec![Vec::new(); nodes],
            down: vec![Vec::new(); nodes],
            order: Vec::with_capacity(nodes),
        };
        for (from, to, cost) in arcs.filter(|arc| arc.0 != arc.1) {
            contraction.join(from, to, Arc { node: to, middle: NO_MIDDLE, cost });
        }
        contraction
    }

    /// Contracts in an order of its own: few shortcuts, and evenly over the map.
    pub(crate) fn run(mut self) -> Hierarchy {
        let nodes = 0..self.level.len() as u32;
        let mut queue: BinaryHeap<Reverse<(i64, u32)>> =
            nodes.map(|node| Reverse((self.priority(node), node))).collect();
        while let Some(Reverse((_, node))) = queue.pop() {
            let now = (self.priority(node), node);
            match queue.peek() {
                Some(&Reverse(next)) if next < now => queue.push(Reverse(now)),
                _ => self.contract(node),
            }
        }
        self.finish()
    }

    /// Contracts in a given order.
    pub(crate) fn run_in_order(mut self, order: &[u32]) -> Hierarchy {
        for &node in order {
            self.contract(node);
        }
        self.finish()
    }

    fn finish(self) -> Hierarchy {
        Hierarchy { up: Arcs::new(&self.up), down: Arcs::new(&self.down), order: self.order }
    }

    /// Terminals that need few shortcuts for the arcs they take along go first.
    fn priority(&mut self, node: u32) -> i64 {
        let index = node as usize;
        let degree = self.leaving[index].len() + self.arriving[index].len();
        let shortcuts = self.shortcuts(node).len();
        2 * shortcuts as i64 - degree as i64 + i64::from(self.level[index])
    }

    fn contract(&mut self, node: u32) {
        for (from, to, cost) in self.shortcuts(node) {
            self.join(from, to, Arc { node: to, middle: node, cost });
        }
        let index = node as usize;
        let (up, down) =
            (std::mem::take(&mut self.leaving[index]), std::mem::take(&mut self.arriving[index]));
        let level = self.level[index] + 1;
        for arc in &up {
            self.arriving[arc.node as usize].retain(|back| back.node != node);
        }
        for arc in &down {
            self.leaving[arc.node as usize].retain(|there| there.node != node);
        }
        for arc in up.iter().chain(&down) {
            let above = &mut self.level[arc.node as usize];
            *above = level.max(*above);
        }
        (self.up[index], self.down[index]) = (up, down);
        self.order.push(node);
    }

    /// The arcs `(from, to, cost)` without which ways through `node` would be lost with it.
    fn shortcuts(&mut self, node: u32) -> Vec<(u32, u32, u64)> {
        let mut found = Vec::new();
        let (before, after) = (&self.arriving[node as usize], &self.leaving[node as usize]);
        for enter in before {
            let through = after.iter().filter(|leave| leave.node != enter.node);
            let Some(farthest) = through.clone().map(|leave| enter.cost + leave.cost).max() else {
                continue;
            };
            self.around.search(&self.leaving, enter.node, node, farthest);
            for leave in through {
                let cost = enter.cost + leave.cost;
                if self.around.cost[leave.node as usize] > cost {
                    found.push((enter.node, leave.node, cost));
                }
            }
        }
        found
    }

    /// Adds an arc, or makes the one that is there cheaper.
    fn join(&mut self, from: u32, to: u32, arc: Arc) {
        let put = |arcs: &mut Vec<Arc>, arc: Arc| match arcs.iter_mut().find(|a| a.node == arc.node)
        {
            Some(known) if known.cost <= arc.cost => {}
            Some(known) => *known = arc,
            None => arcs.push(arc),
        };
        put(&mut self.leaving[from as usize], arc);
        put(&mut self.arriving[to as usize], Arc { node: from, ..arc });
    }
}

/// A short search for a way around a terminal.
#[derive(Default)]
struct Around {
    cost: Vec<u64>,
    touched: Vec<u32>,
    queue: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Around {
    /// Leaves in `cost` what was found: exact or too high, never too low.
    fn search(&mut self, leaving: &[Vec<Arc>], from: u32, without: u32, farthest: u64) {
        for node in self.touched.drain(..) {
            self.cost[node as usize] = u64::MAX;
        }
        self.queue.clear();
        self.lower(from, 0);
        let mut settled = 0;
        while let Some(Reverse((cost, node))) = self.queue.pop() {
            if cost > self.cost[node as usize] {
                continue;
            }
            settled += 1;
            if cost > farthest || settled > PATIENCE {
                return;
            }
            for arc in leaving[node as usize].iter().filter(|arc| arc.node != without) {
                self.lower(arc.node, cost + arc.cost);
            }
        }
    }

    fn lower(&mut self, node: u32, cost: u64) {
        let known = &mut self.cost[node as usize];
        if cost < *known {
            if *known == u64::MAX {
                self.touched.push(node);
            }
            *known = cost;
            self.queue.push(Reverse((cost, node)));
        }
    }
}
