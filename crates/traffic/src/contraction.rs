//! Construction of a [`Hierarchy`]: nodes are contracted in order of importance, and shortcuts
//! preserve the shortest paths between the remaining nodes. Deterministic.

use crate::hierarchy::{ArcLists, Hierarchy, HierarchyArc, NO_MIDDLE, NodeCosts};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Maximum number of settled nodes of a witness search; a superfluous shortcut costs less than a
/// long search.
const MAX_SETTLED: usize = 60;

/// Graph during contraction.
pub(crate) struct Contraction {
    leaving: Vec<Vec<HierarchyArc>>,
    arriving: Vec<Vec<HierarchyArc>>,
    /// Number of levels of contracted nodes below each node.
    level: Vec<u32>,
    /// Buffers of the witness searches.
    witness: NodeCosts,
    up: Vec<Vec<HierarchyArc>>,
    down: Vec<Vec<HierarchyArc>>,
    order: Vec<u32>,
}

impl Contraction {
    /// Creates a graph of arcs `(from, to, cost)`. Of parallel arcs the cheapest is kept; loops are
    /// dropped.
    pub(crate) fn new(nodes: usize, arcs: impl Iterator<Item = (u32, u32, u64)>) -> Contraction {
        let mut contraction = Contraction {
            leaving: vec![Vec::new(); nodes],
            arriving: vec![Vec::new(); nodes],
            level: vec![0; nodes],
            witness: NodeCosts::new(nodes),
            up: vec![Vec::new(); nodes],
            down: vec![Vec::new(); nodes],
            order: Vec::with_capacity(nodes),
        };
        for (from, to, cost) in arcs.filter(|arc| arc.0 != arc.1) {
            contraction.join(from, to, HierarchyArc { node: to, middle: NO_MIDDLE, cost });
        }
        contraction
    }

    /// Contracts in order of priority, updated lazily.
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

    /// Contracts in the given order.
    pub(crate) fn run_in_order(mut self, order: &[u32]) -> Hierarchy {
        for &node in order {
            self.contract(node);
        }
        self.finish()
    }

    fn finish(self) -> Hierarchy {
        Hierarchy {
            up: ArcLists::new(&self.up),
            down: ArcLists::new(&self.down),
            order: self.order,
        }
    }

    /// Edge difference plus level; nodes with low priority are contracted first.
    fn priority(&mut self, node: u32) -> i64 {
        let index = node as usize;
        let degree = self.leaving[index].len() + self.arriving[index].len();
        let shortcuts = self.shortcuts(node).len();
        2 * shortcuts as i64 - degree as i64 + i64::from(self.level[index])
    }

    fn contract(&mut self, node: u32) {
        for (from, to, cost) in self.shortcuts(node) {
            self.join(from, to, HierarchyArc { node: to, middle: node, cost });
        }
        let index = node as usize;
        let (up, down) =
            (std::mem::take(&mut self.leaving[index]), std::mem::take(&mut self.arriving[index]));
        let level = self.level[index] + 1;
        for arc in &up {
            self.arriving[arc.node as usize].retain(|other| other.node != node);
        }
        for arc in &down {
            self.leaving[arc.node as usize].retain(|other| other.node != node);
        }
        for arc in up.iter().chain(&down) {
            let above = &mut self.level[arc.node as usize];
            *above = level.max(*above);
        }
        (self.up[index], self.down[index]) = (up, down);
        self.order.push(node);
    }

    /// Shortcuts `(from, to, cost)` that replace the shortest paths through `node`.
    fn shortcuts(&mut self, node: u32) -> Vec<(u32, u32, u64)> {
        let mut found = Vec::new();
        let (before, after) = (&self.arriving[node as usize], &self.leaving[node as usize]);
        for enter in before {
            let through = after.iter().filter(|leave| leave.node != enter.node);
            let Some(farthest) = through.clone().map(|leave| enter.cost + leave.cost).max() else {
                continue;
            };
            search_witnesses(&mut self.witness, &self.leaving, enter.node, node, farthest);
            for leave in through {
                let cost = enter.cost + leave.cost;
                if self.witness.cost[leave.node as usize] > cost {
                    found.push((enter.node, leave.node, cost));
                }
            }
        }
        found
    }

    /// Adds an arc, or lowers the cost of an existing one.
    fn join(&mut self, from: u32, to: u32, arc: HierarchyArc) {
        let merge = |arcs: &mut Vec<HierarchyArc>, arc: HierarchyArc| match arcs
            .iter_mut()
            .find(|a| a.node == arc.node)
        {
            Some(known) if known.cost <= arc.cost => {}
            Some(known) => *known = arc,
            None => arcs.push(arc),
        };
        merge(&mut self.leaving[from as usize], arc);
        merge(&mut self.arriving[to as usize], HierarchyArc { node: from, ..arc });
    }
}

/// Bounded Dijkstra search from `from` that avoids `without`: `witness.cost` holds upper bounds of the
/// costs.
fn search_witnesses(
    witness: &mut NodeCosts,
    leaving: &[Vec<HierarchyArc>],
    from: u32,
    without: u32,
    farthest: u64,
) {
    witness.clear();
    witness.lower(from, 0);
    let mut settled = 0;
    while let Some(Reverse((cost, node))) = witness.queue.pop() {
        if cost > witness.cost[node as usize] {
            continue;
        }
        settled += 1;
        if cost > farthest || settled > MAX_SETTLED {
            return;
        }
        for arc in leaving[node as usize].iter().filter(|arc| arc.node != without) {
            witness.lower(arc.node, cost + arc.cost);
        }
    }
}
