//! Contraction hierarchy: every cheapest path consists of an upward and a downward part, so a
//! bidirectional search settles few nodes. Built by `contraction`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Marks arcs of the original graph.
pub(crate) const NO_MIDDLE: u32 = u32::MAX;

/// An arc as seen from one of its ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HierarchyArc {
    /// The other end.
    pub node: u32,
    /// Contracted node of a shortcut, or [`NO_MIDDLE`].
    pub middle: u32,
    pub cost: u64,
}

/// Arcs grouped by node, in compressed sparse row form.
#[derive(Debug)]
pub(crate) struct ArcLists {
    starts: Vec<u32>,
    arcs: Vec<HierarchyArc>,
}

/// Upward arcs of each node and downward arcs to it.
#[derive(Debug)]
pub(crate) struct Hierarchy {
    pub up: ArcLists,
    pub down: ArcLists,
    /// Nodes in order of contraction.
    pub order: Vec<u32>,
}

/// Buffers of a bidirectional search.
pub(crate) struct HierarchySearch {
    sides: [SearchSide; 2],
    stack: Vec<(u32, u32, u32)>,
}

/// One direction of the search.
struct SearchSide {
    nodes: NodeCosts,
    /// Predecessor of a node and middle of the arc; a root is its own predecessor.
    parent: Vec<(u32, u32)>,
}

/// Tentative costs of a Dijkstra search and the queue of its open nodes.
pub(crate) struct NodeCosts {
    /// By node; `u64::MAX` if not reached.
    pub cost: Vec<u64>,
    touched: Vec<u32>,
    pub queue: BinaryHeap<Reverse<(u64, u32)>>,
}

impl NodeCosts {
    pub(crate) fn new(nodes: usize) -> NodeCosts {
        NodeCosts { cost: vec![u64::MAX; nodes], touched: Vec::new(), queue: BinaryHeap::new() }
    }

    /// Forgets the last search, at the cost of the nodes it reached.
    pub(crate) fn clear(&mut self) {
        for node in self.touched.drain(..) {
            self.cost[node as usize] = u64::MAX;
        }
        self.queue.clear();
    }

    /// Lowers the cost of a node and opens it; returns whether the cost was higher before.
    pub(crate) fn lower(&mut self, node: u32, cost: u64) -> bool {
        let known = &mut self.cost[node as usize];
        let is_lower = cost < *known;
        if is_lower {
            if *known == u64::MAX {
                self.touched.push(node);
            }
            *known = cost;
            self.queue.push(Reverse((cost, node)));
        }
        is_lower
    }
}

impl ArcLists {
    pub(crate) fn new(lists: &[Vec<HierarchyArc>]) -> ArcLists {
        let mut starts = vec![0];
        let mut arcs = Vec::new();
        for list in lists {
            arcs.extend_from_slice(list);
            starts.push(arcs.len() as u32);
        }
        ArcLists { starts, arcs }
    }

    fn of(&self, node: u32) -> &[HierarchyArc] {
        let index = node as usize;
        &self.arcs[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// Middle of the arc between two nodes.
    fn middle(&self, node: u32, other: u32) -> u32 {
        let found = self.of(node).iter().find(|arc| arc.node == other);
        found.map_or(NO_MIDDLE, |arc| arc.middle)
    }
}

impl Hierarchy {
    pub(crate) fn search(&self) -> HierarchySearch {
        let nodes = self.order.len();
        let side = || SearchSide { nodes: NodeCosts::new(nodes), parent: vec![(0, 0); nodes] };
        HierarchySearch { sides: [side(), side()], stack: Vec::new() }
    }

    /// Finds the cheapest path from one of `from` to one of `to`, given with initial costs. Returns
    /// its cost and stores its nodes in `path`; `None` if there is no path.
    pub(crate) fn cheapest(
        &self,
        search: &mut HierarchySearch,
        from: impl Iterator<Item = (u32, u64)>,
        to: impl Iterator<Item = (u32, u64)>,
        path: &mut Vec<u32>,
    ) -> Option<u64> {
        let [forward, backward] = &mut search.sides;
        forward.begin(from);
        backward.begin(to);
        let mut best: Option<(u64, u32)> = None;
        loop {
            let open = |side: &SearchSide| {
                let next = side.nodes.queue.peek().map(|entry| entry.0.0);
                next.is_some_and(|cost| best.is_none_or(|(found, _)| cost < found))
            };
            let (forward_open, backward_open) = (open(forward), open(backward));
            if forward_open {
                forward.step(&self.up, &self.down, backward, &mut best);
            }
            if backward_open {
                backward.step(&self.down, &self.up, forward, &mut best);
            }
            if !forward_open && !backward_open {
                break;
            }
        }
        let (cost, meeting) = best?;
        self.unpack(search, meeting, path);
        Some(cost)
    }

    /// Stores the nodes of the path through `meeting`, with shortcuts expanded.
    fn unpack(&self, search: &mut HierarchySearch, meeting: u32, path: &mut Vec<u32>) {
        path.clear();
        let HierarchySearch { sides: [forward, backward], stack } = search;
        stack.clear();
        let mut node = meeting;
        // The stack is last in, first out: the upward part is pushed from the meeting node down.
        while forward.parent[node as usize].0 != node {
            let (before, middle) = forward.parent[node as usize];
            stack.push((before, node, middle));
            node = before;
        }
        path.push(node);
        self.unpack_arcs(stack, path);
        let mut node = meeting;
        while backward.parent[node as usize].0 != node {
            let (after, middle) = backward.parent[node as usize];
            stack.push((node, after, middle));
            self.unpack_arcs(stack, path);
            node = after;
        }
    }

    fn unpack_arcs(&self, stack: &mut Vec<(u32, u32, u32)>, path: &mut Vec<u32>) {
        while let Some((from, to, middle)) = stack.pop() {
            if middle == NO_MIDDLE {
                path.push(to);
            } else {
                stack.push((middle, to, self.up.middle(middle, to)));
                stack.push((from, middle, self.down.middle(middle, from)));
            }
        }
    }
}

impl SearchSide {
    fn begin(&mut self, roots: impl Iterator<Item = (u32, u64)>) {
        self.nodes.clear();
        for (node, cost) in roots {
            self.lower(node, cost, (node, NO_MIDDLE));
        }
    }

    /// Settles the next node, updates the best meeting node and relaxes its arcs.
    fn step(
        &mut self,
        ahead: &ArcLists,
        behind: &ArcLists,
        other: &SearchSide,
        best: &mut Option<(u64, u32)>,
    ) {
        let Some(Reverse((cost, node))) = self.nodes.queue.pop() else { return };
        if cost > self.nodes.cost[node as usize] {
            return;
        }
        let rest = other.nodes.cost[node as usize];
        if rest != u64::MAX && best.is_none_or(|known| (cost + rest, node) < known) {
            *best = Some((cost + rest, node));
        }
        // Stall on demand: a path through a higher node is cheaper.
        let is_stalled = behind.of(node).iter().any(|arc| {
            let above = self.nodes.cost[arc.node as usize];
            above != u64::MAX && above + arc.cost < cost
        });
        if !is_stalled {
            for arc in ahead.of(node) {
                self.lower(arc.node, cost + arc.cost, (node, arc.middle));
            }
        }
    }

    fn lower(&mut self, node: u32, cost: u64, parent: (u32, u32)) {
        if self.nodes.lower(node, cost) {
            self.parent[node as usize] = parent;
        }
    }
}
