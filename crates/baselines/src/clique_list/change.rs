//! Updates of the maximal cliques on insertion of a node or an edge and on removal of a node.

use super::{CliqueList, Increment};

/// Nodes with more neighbours are inserted with all edges, even under [`Increment::Edge`], which
/// would read all neighbours once per neighbour. The list is the same.
const MAX_SINGLE_EDGES: usize = 64;

impl CliqueList {
    /// Inserts a node with edges to `neighbours`, which are distinct nodes of the graph.
    pub(crate) fn add(&mut self, node: u32, neighbours: &[u32], increment: Increment) {
        let nodes = neighbours.iter().fold(node, |max, &other| max.max(other)) as usize + 1;
        if self.holding.len() < nodes {
            self.holding.resize_with(nodes, Vec::new);
        }
        match increment {
            Increment::Edge if neighbours.len() <= MAX_SINGLE_EDGES => {
                self.insert(std::iter::once(node));
                neighbours.iter().for_each(|&other| self.add_edge(node, other));
            }
            _ if neighbours.is_empty() => self.insert(std::iter::once(node)),
            _ => self.add_node(node, neighbours),
        }
        self.edges += neighbours.len();
    }

    /// Inserts a node with all its edges.
    ///
    /// A new maximal clique is the node plus a maximal intersection of an old clique with the
    /// neighbours. An old clique that consists of neighbours is no longer maximal.
    fn add_node(&mut self, node: u32, neighbours: &[u32]) {
        self.neighbours.clear(self.holding.len());
        for (index, &neighbour) in neighbours.iter().enumerate() {
            self.neighbours.insert(neighbour as usize, index as u32);
        }
        self.visited.clear(self.cliques.len());
        self.sets.clear(neighbours.len());
        let mut outgrown = std::mem::take(&mut self.scratch);
        outgrown.clear();
        for &neighbour in neighbours {
            for &clique in &self.holding[neighbour as usize] {
                if self.visited.insert(clique as usize, ()) {
                    let members = &self.cliques[clique as usize];
                    let near =
                        members.iter().filter_map(|&member| self.neighbours.get(member as usize));
                    if self.sets.push(near) == members.len() {
                        outgrown.push(clique);
                    }
                }
            }
        }
        outgrown.drain(..).for_each(|clique| self.remove(clique));
        self.scratch = outgrown;
        self.insert_maximal(neighbours, &[node]);
    }

    /// Inserts an edge.
    ///
    /// A new maximal clique is both ends plus a maximal intersection of a clique of one end with the
    /// neighbours of the other.
    fn add_edge(&mut self, a: u32, b: u32) {
        let clique_count = |node: u32| self.holding[node as usize].len();
        let (a, b) = if clique_count(a) <= clique_count(b) { (a, b) } else { (b, a) };
        let mut outgrown = Vec::new();
        let common = self.collect_neighbours(b);
        self.sets.clear(common.len());
        for &clique in &self.holding[a as usize] {
            let members = &self.cliques[clique as usize];
            let near = members.iter().filter_map(|&member| self.neighbours.get(member as usize));
            if self.sets.push(near) + 1 == members.len() {
                outgrown.push(clique);
            }
        }
        self.scratch = self.collect_neighbours(a);
        for &clique in &self.holding[b as usize] {
            let members = &self.cliques[clique as usize];
            let near =
                |&member: &u32| member == b || self.neighbours.get(member as usize).is_some();
            if members.iter().all(near) {
                outgrown.push(clique);
            }
        }
        outgrown.into_iter().for_each(|clique| self.remove(clique));
        self.insert_maximal(&common, &[a, b]);
    }

    /// Returns the neighbours of a node and stores their indices in `neighbours`.
    fn collect_neighbours(&mut self, node: u32) -> Vec<u32> {
        self.neighbours.clear(self.holding.len());
        let mut around = std::mem::take(&mut self.scratch);
        around.clear();
        for &clique in &self.holding[node as usize] {
            for &member in &self.cliques[clique as usize] {
                if member != node && self.neighbours.get(member as usize).is_none() {
                    self.neighbours.insert(member as usize, around.len() as u32);
                    around.push(member);
                }
            }
        }
        around
    }

    /// Inserts a clique for each maximal set of indices into `nodes`, extended by `more`.
    fn insert_maximal(&mut self, nodes: &[u32], more: &[u32]) {
        let mut sets = std::mem::take(&mut self.sets);
        for set in 0..sets.find_maximal() {
            let near = sets.maximal(set).map(|index| nodes[index as usize]);
            self.insert(near.chain(more.iter().copied()));
        }
        self.sets = sets;
    }

    /// Removes a node. The rest of each of its cliques stays unless another clique contains it.
    pub(crate) fn remove_node(&mut self, node: u32) {
        let Some(holding) = self.holding.get(node as usize).filter(|list| !list.is_empty()) else {
            return;
        };
        let holding = holding.clone();
        let around = self.collect_neighbours(node);
        self.edges -= around.len();
        self.scratch = around;
        for clique in holding {
            if self.rest_is_contained(clique, node) {
                self.remove(clique);
            } else {
                self.cliques[clique as usize].retain(|&member| member != node);
                self.size -= 1;
                self.fresh.push(clique);
            }
        }
        self.holding[node as usize].clear();
    }

    /// Whether the clique without `node` is empty or contained in another clique.
    fn rest_is_contained(&self, clique: u32, node: u32) -> bool {
        let members = &self.cliques[clique as usize];
        let rest = || members.iter().filter(|&&member| member != node);
        let Some(&rarest) = rest().min_by_key(|&&member| self.holding[member as usize].len())
        else {
            return true;
        };
        let contains = |&other: &u32| {
            let others = &self.cliques[other as usize];
            other != clique
                && others.len() + 1 >= members.len()
                && rest().all(|member| others.binary_search(member).is_ok())
        };
        self.holding[rarest as usize].iter().any(contains)
    }
}
