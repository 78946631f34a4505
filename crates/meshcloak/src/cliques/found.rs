//! What a search for largest cliques has found: for every node the best so far.

/// The largest cliques of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Largest {
    pub(super) sizes: Vec<u32>,
    chosen: Vec<u32>,
    /// The nodes that are in some clique.
    touched: Vec<u32>,
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
    /// How many nodes the chosen clique of `node` has; 0 if it has none.
    pub fn size(&self, node: u32) -> u32 {
        self.sizes[node as usize]
    }

    /// The number of the clique chosen for `node`, which must have one.
    pub fn chosen(&self, node: u32) -> u32 {
        self.chosen[node as usize]
    }

    /// How many cliques were kept; some may be chosen by nobody any more.
    pub fn clique_count(&self) -> usize {
        self.ends.len()
    }

    /// The nodes of a clique.
    pub fn members(&self, clique: u32) -> &[u32] {
        let clique = clique as usize;
        let start = if clique == 0 { 0 } else { self.ends[clique - 1] };
        &self.members[start as usize..self.ends[clique] as usize]
    }

    pub(super) fn begin(&mut self, nodes: usize) {
        for node in self.touched.drain(..) {
            self.sizes[node as usize] = 0;
        }
        self.sizes.resize(nodes, 0);
        self.chosen.resize(nodes, 0);
        self.ends.clear();
        self.members.clear();
        (self.steps, self.most_steps, self.truncated) = (0, 0, 0);
    }

    /// Keeps a clique, and gives it to each of its nodes for which it is enough and whose own is
    /// smaller.
    pub(super) fn keep(&mut self, clique: impl Iterator<Item = u32>, wanted: &[u16]) {
        let start = self.members.len();
        self.members.extend(clique);
        let number = self.ends.len() as u32;
        let size = (self.members.len() - start) as u32;
        let mut kept = false;
        for place in start..self.members.len() {
            let node = self.members[place];
            kept |= u32::from(wanted[node as usize]) <= size && self.offer(node, size, number);
        }
        if kept {
            self.ends.push(self.members.len() as u32);
        } else {
            self.members.truncate(start);
        }
    }

    /// Takes in what was found elsewhere. Of cliques of one size the one that was there first stays.
    pub(super) fn absorb(&mut self, other: &Largest) {
        let cliques = self.ends.len() as u32;
        let members = self.members.len() as u32;
        for &node in &other.touched {
            self.offer(node, other.size(node), cliques + other.chosen(node));
        }
        self.members.extend_from_slice(&other.members);
        self.ends.extend(other.ends.iter().map(|end| members + end));
        self.steps += other.steps;
        self.most_steps = self.most_steps.max(other.most_steps);
        self.truncated += other.truncated;
    }

    /// Gives a node a clique if its own is smaller.
    #[inline]
    fn offer(&mut self, node: u32, size: u32, clique: u32) -> bool {
        let own = &mut self.sizes[node as usize];
        if *own >= size {
            return false;
        }
        if *own == 0 {
            self.touched.push(node);
        }
        *own = size;
        self.chosen[node as usize] = clique;
        true
    }
}
