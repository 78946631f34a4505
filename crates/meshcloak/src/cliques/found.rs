//! What a search for largest cliques has found: for every node the best so far.

/// The largest cliques of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Largest {
    best: Vec<Best>,
    /// Where cliques are looked for, of each node the size that one must exceed to be of use to
    /// it, as far as eight bits can say: what it has, and one less than it wants.
    bars: Vec<u8>,
    /// The nodes that are in some clique, until it is absorbed.
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

/// The best clique of a node so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Best {
    size: u32,
    clique: u32,
}

impl Largest {
    /// How many nodes the chosen clique of `node` has; 0 if it has none.
    pub fn size(&self, node: u32) -> u32 {
        self.best[node as usize].size
    }

    /// The number of the clique chosen for `node`, which must have one.
    pub fn chosen(&self, node: u32) -> u32 {
        self.best[node as usize].clique
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

    /// Forgets who has which clique.
    pub(super) fn clear(&mut self) {
        self.best.clear();
        self.touched.clear();
    }

    /// Makes room for the cliques of so many nodes; what was found before was absorbed or cleared.
    pub(super) fn begin(&mut self, nodes: usize) {
        self.best.resize(nodes, Best::default());
        self.ends.clear();
        self.members.clear();
        (self.steps, self.most_steps, self.truncated) = (0, 0, 0);
    }

    /// Sets the bars, one for each node.
    pub(super) fn set_bars(&mut self, bars: &[u8]) {
        self.bars.clear();
        self.bars.extend_from_slice(bars);
    }

    /// A clique for a node must be larger than this, as far as eight bits can say.
    #[inline]
    pub(super) fn bar(&self, node: u32) -> u8 {
        self.bars[node as usize]
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
            if u32::from(wanted[node as usize]) <= size && self.size(node) < size {
                self.give(node, size, number);
                kept = true;
            }
        }
        if kept {
            self.ends.push(self.members.len() as u32);
        } else {
            self.members.truncate(start);
        }
    }

    /// Closes a clique of few that was given to some of its nodes: the root, and as many of
    /// `others` as make up its size.
    #[inline]
    pub(super) fn close<const FEW: usize>(&mut self, root: u32, others: &[u32; FEW], size: u32) {
        let end = self.members.len() + size as usize;
        self.members.push(root);
        self.members.extend_from_slice(others); // all, since so many are copied fastest
        self.members.truncate(end);
        self.ends.push(end as u32);
    }

    /// Takes in what was found elsewhere, after which nothing is there. Of cliques of one size the
    /// one that was here first stays.
    pub(super) fn absorb(&mut self, other: &mut Largest) {
        let cliques = self.ends.len() as u32;
        let members = self.members.len() as u32;
        for node in other.touched.drain(..) {
            let Best { size, clique } = std::mem::take(&mut other.best[node as usize]);
            let own = &mut self.best[node as usize];
            if own.size < size {
                *own = Best { size, clique: cliques + clique };
            }
        }
        self.members.extend_from_slice(&other.members);
        self.ends.extend(other.ends.iter().map(|end| members + end));
        self.steps += other.steps;
        self.most_steps = self.most_steps.max(other.most_steps);
        self.truncated += other.truncated;
    }

    /// Gives a node a clique that is enough for it and larger than its own.
    #[inline]
    pub(super) fn give(&mut self, node: u32, size: u32, clique: u32) {
        let own = &mut self.best[node as usize];
        if own.size == 0 {
            self.touched.push(node);
        }
        *own = Best { size, clique };
        self.bars[node as usize] = u8::try_from(size).unwrap_or(u8::MAX);
    }
}
