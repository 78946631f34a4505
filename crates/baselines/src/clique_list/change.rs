//! What becomes of the maximal cliques when a node or an edge comes, or a node goes.

use super::{CliqueList, Increment};

/// Somebody with more neighbours than this comes in one piece whatever was asked for: edge by
/// edge her clique would be written anew for each of them.
const MOST_EDGES_ONE_BY_ONE: usize = 1 << 10;

impl CliqueList {
    /// A node comes, adjacent to `neighbours`, all of which are there, each once.
    pub(crate) fn add(&mut self, node: u32, neighbours: &[u32], increment: Increment) {
        let nodes = neighbours.iter().fold(node, |most, &other| most.max(other)) as usize + 1;
        if self.holding.len() < nodes {
            self.holding.resize_with(nodes, Vec::new);
        }
        match increment {
            Increment::Edge if neighbours.len() <= MOST_EDGES_ONE_BY_ONE => {
                self.insert(std::iter::once(node));
                neighbours.iter().for_each(|&other| self.add_edge(node, other));
            }
            _ if neighbours.is_empty() => self.insert(std::iter::once(node)),
            _ => self.add_node(node, neighbours),
        }
        self.edges += neighbours.len();
    }

    /// A clique that holds the new node is a clique among its neighbours, and those are parts of
    /// what was there: the largest such parts, each with the node, are the new maximal cliques. A
    /// clique all of which are neighbours is no longer maximal.
    fn add_node(&mut self, node: u32, neighbours: &[u32]) {
        self.marks.clear(self.holding.len());
        for (place, &neighbour) in neighbours.iter().enumerate() {
            self.marks.insert(neighbour as usize, place as u32);
        }
        self.visited.clear(self.cliques.len());
        self.pool.begin(neighbours.len());
        let mut outgrown = std::mem::take(&mut self.room);
        outgrown.clear();
        for &neighbour in neighbours {
            for &clique in &self.holding[neighbour as usize] {
                if self.visited.insert(clique as usize, ()) {
                    let members = &self.cliques[clique as usize];
                    let near = members.iter().filter_map(|&member| self.marks.get(member as usize));
                    if self.pool.add(near) == members.len() {
                        outgrown.push(clique);
                    }
                }
            }
        }
        outgrown.drain(..).for_each(|clique| self.remove(clique));
        self.room = outgrown;
        self.insert_kept(neighbours, &[node]);
    }

    /// A clique that holds both ends holds, besides, a clique among their common neighbours: the
    /// largest such parts of the cliques of one end make the new ones.
    fn add_edge(&mut self, a: u32, b: u32) {
        let fewer = |node: u32| self.holding[node as usize].len();
        let (a, b) = if fewer(a) <= fewer(b) { (a, b) } else { (b, a) };
        let mut outgrown = Vec::new();
        let common = self.around(b);
        self.pool.begin(common.len());
        for &clique in &self.holding[a as usize] {
            let members = &self.cliques[clique as usize];
            let near = members.iter().filter_map(|&member| self.marks.get(member as usize));
            if self.pool.add(near) + 1 == members.len() {
                outgrown.push(clique);
            }
        }
        self.room = self.around(a);
        for &clique in &self.holding[b as usize] {
            let members = &self.cliques[clique as usize];
            let near = |&member: &u32| member == b || self.marks.get(member as usize).is_some();
            if members.iter().all(near) {
                outgrown.push(clique);
            }
        }
        outgrown.into_iter().for_each(|clique| self.remove(clique));
        self.insert_kept(&common, &[a, b]);
    }

    /// The neighbours of a node, which are marked with their places.
    fn around(&mut self, node: u32) -> Vec<u32> {
        self.marks.clear(self.holding.len());
        let mut around = std::mem::take(&mut self.room);
        around.clear();
        for &clique in &self.holding[node as usize] {
            for &member in &self.cliques[clique as usize] {
                if member != node && self.marks.get(member as usize).is_none() {
                    self.marks.insert(member as usize, around.len() as u32);
                    around.push(member);
                }
            }
        }
        around
    }

    /// The largest sets of the pool, which are of places in `nodes`, become cliques with `more`.
    fn insert_kept(&mut self, nodes: &[u32], more: &[u32]) {
        let mut pool = std::mem::take(&mut self.pool);
        for place in 0..pool.keep_maximal() {
            let near = pool.kept(place).map(|place| nodes[place as usize]);
            self.insert(near.chain(more.iter().copied()));
        }
        self.pool = pool;
    }

    /// A node goes: of each of its cliques the rest stays, unless another clique contains it.
    pub(crate) fn remove_node(&mut self, node: u32) {
        let Some(holding) = self.holding.get(node as usize).filter(|list| !list.is_empty()) else {
            return;
        };
        let holding = holding.clone();
        let around = self.around(node);
        self.edges -= around.len();
        self.room = around;
        for clique in holding {
            if self.rest_is_contained(clique, node) {
                self.remove(clique);
            } else {
                self.cliques[clique as usize].retain(|&member| member != node);
                self.size -= 1;
            }
        }
        self.holding[node as usize].clear();
    }

    /// Whether what is left of a clique without `node` lies within another clique, or is nothing.
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
