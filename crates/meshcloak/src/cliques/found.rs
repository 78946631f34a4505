//! What a search for largest cliques has found: for every node the best so far.

/// The largest cliques of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Largest {
    pub(super) sizes: Vec<u32>,
    chosen: Vec<u32>,
    ends: Vec<u32>,
    members: Vec<u32>,
    /// Steps of all searches together.
    pub steps: u64,
    /// The most steps that one search took.
    pub most_steps: u32,
    /// How many searches spent their budget.
    pub truncated: u32,
}

impl Largest {
    /// How many nodes the chosen clique of `node` has.
    pub fn size(&self, node: u32) -> u32 {
        self.sizes[node as usize]
    }

    /// The number of the clique chosen for `node`.
    pub fn chosen(&self, node: u32) -> u32 {
        self.chosen[node as usize]
    }

    /// How many cliques were kept; some may be chosen by nobody any more.
    pub fn clique_count(&self) -> usize {
        self.ends.len()
    }

    /// The nodes of a clique, ascending.
    pub fn members(&self, clique: u32) -> &[u32] {
        let clique = clique as usize;
        let start = if clique == 0 { 0 } else { self.ends[clique - 1] };
        &self.members[start as usize..self.ends[clique] as usize]
    }

    pub(super) fn begin(&mut self, nodes: usize) {
        self.sizes.clear();
        self.sizes.resize(nodes, 0);
        self.chosen.clear();
        self.chosen.resize(nodes, 0);
        self.ends.clear();
        self.members.clear();
        (self.steps, self.most_steps, self.truncated) = (0, 0, 0);
    }

    /// Keeps a clique, and gives it to each of its nodes whose own is smaller.
    pub(super) fn keep(&mut self, clique: impl Iterator<Item = u32>) {
        let start = self.members.len();
        self.members.extend(clique);
        self.members[start..].sort_unstable();
        let number = self.ends.len() as u32;
        let size = (self.members.len() - start) as u32;
        let mut wanted = false;
        for &member in &self.members[start..] {
            if self.sizes[member as usize] < size {
                self.sizes[member as usize] = size;
                self.chosen[member as usize] = number;
                wanted = true;
            }
        }
        if wanted {
            self.ends.push(self.members.len() as u32);
        } else {
            self.members.truncate(start);
        }
    }
}
