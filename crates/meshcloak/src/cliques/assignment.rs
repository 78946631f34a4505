//! Result of the largest-clique search: the best clique found for each node.
//!
//! ```text
//! best        by node    size u32, clique u32
//! thresholds  by node    u8: max(best size, min size - 1), saturated; a clique must be larger
//! members     | clique 0 | clique 1 | …
//! ends               e0         e1            end of each clique in `members`
//! ```

/// Assignment of a clique to each node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CliqueAssignment {
    best: Vec<BestClique>,
    /// Bytes, since more of them fit into the cache.
    thresholds: Vec<u8>,
    /// Nodes whose clique is not enlarged; empty if there is none.
    settled: Vec<bool>,
    /// Nodes with a clique, until the assignment is merged.
    assigned: Vec<u32>,
    ends: Vec<u32>,
    members: Vec<u32>,
    /// Steps of all searches.
    pub steps: u64,
    /// Largest number of steps of one search.
    pub max_steps: u32,
    /// Number of searches that spent their budget, and of roots in crowds.
    pub truncated: u32,
}

/// Largest clique found for a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct BestClique {
    size: u32,
    clique: u32,
}

impl CliqueAssignment {
    /// Returns the size of the clique of `node`; 0 if it has none.
    pub fn size(&self, node: u32) -> u32 {
        self.best[node as usize].size
    }

    /// Returns the number of the clique of `node`, which must have one.
    pub fn clique_of(&self, node: u32) -> u32 {
        self.best[node as usize].clique
    }

    /// Returns the number of stored cliques. Some may be assigned to no node any more.
    pub fn clique_count(&self) -> usize {
        self.ends.len()
    }

    /// Returns the nodes of a clique.
    pub fn members(&self, clique: u32) -> &[u32] {
        let clique = clique as usize;
        let start = if clique == 0 { 0 } else { self.ends[clique - 1] };
        &self.members[start as usize..self.ends[clique] as usize]
    }

    /// Removes the assignment of all nodes.
    pub(super) fn clear(&mut self) {
        self.best.clear();
        self.assigned.clear();
    }

    /// Prepares a search on a graph of `nodes` nodes. Earlier results must be merged or cleared.
    pub(super) fn begin(&mut self, nodes: usize) {
        self.best.resize(nodes, BestClique::default());
        self.ends.clear();
        self.members.clear();
        self.settled.clear();
        (self.steps, self.max_steps, self.truncated) = (0, 0, 0);
    }

    /// Sets the thresholds of all nodes.
    pub(super) fn set_thresholds(&mut self, thresholds: &[u8]) {
        self.thresholds.clear();
        self.thresholds.extend_from_slice(thresholds);
    }

    /// Returns the size that a clique must exceed to be of use to a node, saturated to 255.
    #[inline]
    pub(super) fn threshold(&self, node: u32) -> u8 {
        self.thresholds[node as usize]
    }

    /// Returns whether a node has a clique that is not enlarged.
    #[inline]
    pub(super) fn is_settled(&self, node: u32) -> bool {
        self.settled.get(node as usize).is_some_and(|is_settled| *is_settled)
    }

    /// Settles a node: its clique is not enlarged.
    pub(super) fn settle(&mut self, node: u32) {
        self.settled.resize(self.best.len(), false);
        self.settled[node as usize] = true;
    }

    /// Assigns a clique to each of its nodes that has a smaller one and whose minimum it reaches.
    /// The clique is stored if there is such a node.
    pub(super) fn record(&mut self, clique: impl Iterator<Item = u32>, min_sizes: &[u16]) {
        let start = self.members.len();
        self.members.extend(clique);
        let number = self.ends.len() as u32;
        let size = (self.members.len() - start) as u32;
        let mut is_used = false;
        for index in start..self.members.len() {
            let node = self.members[index];
            if u32::from(min_sizes[node as usize]) <= size && self.size(node) < size {
                self.assign(node, size, number);
                is_used = true;
            }
        }
        if is_used {
            self.ends.push(self.members.len() as u32);
        } else {
            self.members.truncate(start);
        }
    }

    /// Stores a clique of `size` nodes: the root and a prefix of `others`.
    #[inline]
    pub(super) fn push_clique<const N: usize>(&mut self, root: u32, others: &[u32; N], size: u32) {
        let end = self.members.len() + size as usize;
        self.members.push(root);
        self.members.extend_from_slice(others); // a copy of constant length, then cut
        self.members.truncate(end);
        self.ends.push(end as u32);
    }

    /// Moves the result of another search into this one. Of cliques of equal size the present one
    /// stays.
    pub(super) fn merge(&mut self, other: &mut CliqueAssignment) {
        let clique_offset = self.ends.len() as u32;
        let member_offset = self.members.len() as u32;
        for node in other.assigned.drain(..) {
            let BestClique { size, clique } = std::mem::take(&mut other.best[node as usize]);
            let own = &mut self.best[node as usize];
            if own.size < size {
                *own = BestClique { size, clique: clique_offset + clique };
            }
        }
        self.members.extend_from_slice(&other.members);
        self.ends.extend(other.ends.iter().map(|end| member_offset + end));
        self.steps += other.steps;
        self.max_steps = self.max_steps.max(other.max_steps);
        self.truncated += other.truncated;
    }

    /// Assigns a clique above the threshold to a node.
    #[inline]
    pub(super) fn assign(&mut self, node: u32, size: u32, clique: u32) {
        let own = &mut self.best[node as usize];
        if own.size == 0 {
            self.assigned.push(node);
        }
        *own = BestClique { size, clique };
        self.thresholds[node as usize] = u8::try_from(size).unwrap_or(u8::MAX);
    }
}
