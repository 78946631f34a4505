//! A contraction hierarchy: a graph in which every cheapest way climbs, then descends, so that a
//! search from both ends meets after looking at very little of the map.
//!
//! Made by `contraction`; knows only nodes and costs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The arc is one of the graph itself.
pub(crate) const NO_MIDDLE: u32 = u32::MAX;

/// An arc, seen from one of its ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arc {
    /// The other end.
    pub node: u32,
    /// The node that a shortcut leads through, or [`NO_MIDDLE`].
    pub middle: u32,
    pub cost: u64,
}

/// Arcs grouped by node.
#[derive(Debug)]
pub(crate) struct Arcs {
    starts: Vec<u32>,
    arcs: Vec<Arc>,
}

/// The arcs that climb from each node, and those that descend to it.
#[derive(Debug)]
pub(crate) struct Hierarchy {
    pub up: Arcs,
    pub down: Arcs,
    /// All nodes, the least important first.
    pub order: Vec<u32>,
}

/// What a search needs and leaves behind.
pub(crate) struct Search {
    sides: [Side; 2],
    stack: Vec<(u32, u32, u32)>,
}

struct Side {
    cost: Vec<u64>,
    /// The node a node was reached from, and the middle of the arc; itself at the root.
    parent: Vec<(u32, u32)>,
    touched: Vec<u32>,
    queue: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Arcs {
    pub(crate) fn new(lists: &[Vec<Arc>]) -> Arcs {
        let mut starts = vec![0];
        let mut arcs = Vec::new();
        for list in lists {
            arcs.extend_from_slice(list);
            starts.push(arcs.len() as u32);
        }
        Arcs { starts, arcs }
    }

    fn of(&self, node: u32) -> &[Arc] {
        let index = node as usize;
        &self.arcs[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    fn to(&self, node: u32, other: u32) -> u32 {
        let found = self.of(node).iter().find(|arc| arc.node == other);
        found.map_or(NO_MIDDLE, |arc| arc.middle)
    }
}

impl Hierarchy {
    pub(crate) fn search(&self) -> Search {
        let nodes = self.order.len();
        let side = || Side {
            cost: vec![u64::MAX; nodes],
            parent: vec![(0, 0); nodes],
            touched: Vec::new(),
            queue: BinaryHeap::new(),
        };
        Search { sides: [side(), side()], stack: Vec::new() }
    }

    /// The cost of the cheapest way from one of `from` to one of `to`, each with what it costs to
    /// get there; its nodes go into `way`. `None` if there is none.
    pub(crate) fn cheapest(
        &self,
        search: &mut Search,
        from: impl Iterator<Item = (u32, u64)>,
        to: impl Iterator<Item = (u32, u64)>,
        way: &mut Vec<u32>,
    ) -> Option<u64> {
        let [forth, back] = &mut search.sides;
        forth.begin(from);
        back.begin(to);
        let mut best: Option<(u64, u32)> = None;
        loop {
            let open = |side: &Side| {
                let next = side.queue.peek().map(|entry| entry.0.0);
                next.is_some_and(|cost| best.is_none_or(|(found, _)| cost < found))
            };
            let (forth_open, back_open) = (open(forth), open(back));
            if forth_open {
                forth.step(&self.up, &self.down, back, &mut best);
            }
            if back_open {
                back.step(&self.down, &self.up, forth, &mut best);
            }
            if !forth_open && !back_open {
                break;
            }
        }
        let (cost, meeting) = best?;
        self.unpack(search, meeting, way);
        Some(cost)
    }

    /// The nodes of the way that meets at `meeting`, shortcuts replaced by what they stand for.
    fn unpack(&self, search: &mut Search, meeting: u32, way: &mut Vec<u32>) {
        way.clear();
        let Search { sides: [forth, back], stack } = search;
        stack.clear();
        let mut node = meeting;
        // The stack gives back its last entry first: the climb is pushed from the meeting down.
        while forth.parent[node as usize].0 != node {
            let (before, middle) = forth.parent[node as usize];
            stack.push((before, node, middle));
            node = before;
        }
        way.push(node);
        self.unpack_arcs(stack, way);
        let mut node = meeting;
        while back.parent[node as usize].0 != node {
            let (after, middle) = back.parent[node as usize];
            stack.push((node, after, middle));
            self.unpack_arcs(stack, way);
            node = after;
        }
    }

    fn unpack_arcs(&self, stack: &mut Vec<(u32, u32, u32)>, way: &mut Vec<u32>) {
        while let Some((from, to, middle)) = stack.pop() {
            if middle == NO_MIDDLE {
                way.push(to);
            } else {
                stack.push((middle, to, self.up.to(middle, to)));
                stack.push((from, middle, self.down.to(middle, from)));
            }
        }
    }
}

impl Side {
    fn begin(&mut self, roots: impl Iterator<Item = (u32, u64)>) {
        for node in self.touched.drain(..) {
            self.cost[node as usize] = u64::MAX;
        }
        self.queue.clear();
        for (node, cost) in roots {
            self.lower(node, cost, (node, NO_MIDDLE));
        }
    }

    /// Settles the next node: does it meet the other side, and where does it lead?
    fn step(&mut self, ahead: &Arcs, behind: &Arcs, other: &Side, best: &mut Option<(u64, u32)>) {
        let Some(Reverse((cost, node))) = self.queue.pop() else { return };
        if cost > self.cost[node as usize] {
            return;
        }
        let there = other.cost[node as usize];
        if there != u64::MAX && best.is_none_or(|known| (cost + there, node) < known) {
            *best = Some((cost + there, node));
        }
        // Stall on demand: a higher node already knows a cheaper way here, so this one is no use.
        let is_stalled = behind.of(node).iter().any(|arc| {
            let above = self.cost[arc.node as usize];
            above != u64::MAX && above + arc.cost < cost
        });
        if !is_stalled {
            for arc in ahead.of(node) {
                self.lower(arc.node, cost + arc.cost, (node, arc.middle));
            }
        }
    }

    fn lower(&mut self, node: u32, cost: u64, parent: (u32, u32)) {
        let known = &mut self.cost[node as usize];
        if cost < *known {
            if *known == u64::MAX {
                self.touched.push(node);
            }
            *known = cost;
            self.parent[node as usize] = parent;
            self.queue.push(Reverse((cost, node)));
        }
    }
}
