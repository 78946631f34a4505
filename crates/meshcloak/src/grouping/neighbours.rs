//! Both sides of every edge among those who can be served at all, and who of them counts for whom.

use crate::constraint_graph::ConstraintGraph;

/// For each node its neighbours, ascending; none of a node that cannot be served whatever is done.
///
/// A node's k is met by the members of its set that *count* for it. Without a past everyone
/// counts for everyone.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbours {
    starts: Vec<u32>,
    nodes: Vec<u32>,
    /// For each entry of `nodes` whether it counts for the node whose row it is in; empty if
    /// everyone counts for everyone.
    counts: Vec<bool>,
    /// Whether a node counts for itself.
    own: Vec<bool>,
    degree: Vec<u32>,
    hopeless: Vec<u32>,
    filled: Vec<u32>,
    mixed: Vec<u32>,
}

/// In `degree`: this node cannot be served.
const GONE: u32 = 1 << 31;

impl Neighbours {
    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.degree.len()
    }

    /// The neighbours of a node.
    pub(super) fn of(&self, node: u32) -> &[u32] {
        let start = self.starts[node as usize] as usize;
        &self.nodes[start..start + self.degree[node as usize] as usize]
    }

    /// Whether everyone counts for everyone.
    pub(super) fn everyone_counts(&self) -> bool {
        self.own.is_empty()
    }

    /// Which of them count for it; `None` if everyone counts for everyone.
    pub(super) fn counting(&self, node: u32) -> Option<&[bool]> {
        let start = self.starts[node as usize] as usize;
        let end = start + self.degree[node as usize] as usize;
        (!self.own.is_empty()).then(|| &self.counts[start..end])
    }

    /// Whether a node counts for itself.
    pub(super) fn counts_itself(&self, node: u32) -> bool {
        self.own.is_empty() || self.own[node as usize]
    }

    /// Whether a neighbour, or the node itself, counts for a node.
    pub(super) fn counts(&self, node: u32, other: u32) -> bool {
        match self.counting(node) {
            None => true,
            Some(_) if node == other => self.counts_itself(node),
            Some(row) => self.of(node).binary_search(&other).is_ok_and(|place| row[place]),
        }
    }

    /// Takes the edges of a graph in which everyone counts for everyone.
    pub(super) fn mirror(&mut self, graph: &ConstraintGraph) {
        let count = graph.len();
        self.counts.clear();
        self.own.clear();
        self.degree.clear();
        self.degree.resize(count, 0);
        for node in 0..count as u32 {
            self.degree[node as usize] += graph.later(node).len() as u32;
            for &later in graph.later(node) {
                self.degree[later as usize] += 1;
            }
        }
        self.starts.clear();
        self.starts.push(0);
        let mut end = 0;
        for &degree in &self.degree {
            end += degree;
            self.starts.push(end);
        }
        self.nodes.clear();
        self.nodes.resize(end as usize, 0);
        self.mixed.clear();
        self.mixed.resize(end as usize, 0);
        self.filled.clear();
        self.filled.extend_from_slice(&self.starts[..count]);
        let mut put = |filled: &mut [u32], node: u32, other: u32| {
            let slot = &mut filled[node as usize];
            self.mixed[*slot as usize] = other;
            *slot += 1;
        };
        for node in 0..count as u32 {
            for &later in graph.later(node) {
                put(&mut self.filled, node, later);
                put(&mut self.filled, later, node);
            }
        }
        // Once more from each node to its neighbours, in order: so the rows are in order.
        self.filled.clear();
        self.filled.extend_from_slice(&self.starts[..count]);
        for node in 0..count {
            for &other in &self.mixed[self.starts[node] as usize..self.starts[node + 1] as usize] {
                let slot = &mut self.filled[other as usize];
                self.nodes[*slot as usize] = node as u32;
                *slot += 1;
            }
        }
    }

    /// Asks who counts for every node that has enough neighbours: `past` is given a node, its
    /// neighbours and a flag for each, and says whether the node counts for itself.
    pub(super) fn remember(
        &mut self,
        k: &[u32],
        mut past: impl FnMut(u32, &[u32], &mut [bool]) -> bool,
    ) {
        self.counts.resize(self.nodes.len(), true);
        for (node, &k) in k.iter().enumerate() {
            let row = self.starts[node] as usize..self.starts[node + 1] as usize;
            let (nodes, counts) = (&self.nodes[row.clone()], &mut self.counts[row]);
            let enough = nodes.len() + 1 >= k as usize;
            self.own.push(enough && past(node as u32, nodes, counts));
        }
    }

    /// Removes whoever has fewer neighbours that count than her k needs, again and again.
    pub(super) fn peel(&mut self, k: &[u32]) {
        self.hopeless.clear();
        for node in 0..self.len() as u32 {
            let counting = match self.counting(node) {
                None => self.degree[node as usize],
                Some(row) => row.iter().filter(|counts| **counts).count() as u32,
            };
            let own = u32::from(self.counts_itself(node));
            // From here on: how many more than needed there are.
            match (counting + own).checked_sub(k[node as usize]) {
                Some(spare) => self.degree[node as usize] = spare,
                None => self.give_up(node),
            }
        }
        let mut next = 0;
        while let Some(&node) = self.hopeless.get(next) {
            next += 1;
            for place in self.whole(node) {
                let other = self.nodes[place];
                if self.degree[other as usize] & GONE != 0 || !self.counts_whole(other, node) {
                    continue;
                }
                match self.degree[other as usize].checked_sub(1) {
                    Some(spare) => self.degree[other as usize] = spare,
                    None => self.give_up(other),
                }
            }
        }
        self.tidy();
    }

    fn give_up(&mut self, node: u32) {
        self.degree[node as usize] = GONE;
        self.hopeless.push(node);
    }

    fn whole(&self, node: u32) -> std::ops::Range<usize> {
        self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize
    }

    /// As [`Neighbours::counts`], before rows are tidied up.
    fn counts_whole(&self, node: u32, other: u32) -> bool {
        let row = self.whole(node);
        let place = |row: std::ops::Range<usize>| {
            self.nodes[row.clone()].binary_search(&other).map(|place| row.start + place)
        };
        self.own.is_empty() || place(row).is_ok_and(|place| self.counts[place])
    }

    /// Rows without those who are gone.
    fn tidy(&mut self) {
        for node in 0..self.len() as u32 {
            if self.degree[node as usize] & GONE != 0 {
                continue;
            }
            let row = self.whole(node);
            let mut kept = row.start;
            for place in row.clone() {
                let other = self.nodes[place];
                if self.degree[other as usize] & GONE == 0 {
                    self.nodes[kept] = other;
                    if !self.own.is_empty() {
                        self.counts[kept] = self.counts[place];
                    }
                    kept += 1;
                }
            }
            self.degree[node as usize] = (kept - row.start) as u32;
        }
        for &node in &self.hopeless {
            self.degree[node as usize] = 0;
        }
    }
}
