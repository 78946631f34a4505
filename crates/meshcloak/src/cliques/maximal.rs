//! All maximal cliques, by Tomita's pivoting over the nodes in order (Tomita et al. 2006).
//!
//! Each maximal clique is met once, at its first node: among the later neighbours, with the
//! earlier ones as witnesses that a clique without them is not maximal.

use super::bits::Bits;
use crate::constraint_graph::ConstraintGraph;

/// Calls `visit` with every maximal clique, its nodes in no particular order.
pub fn maximal_cliques(graph: &ConstraintGraph, mut visit: impl FnMut(&[u32])) {
    let mut rooms = Rooms::new(graph);
    for root in 0..graph.len() as u32 {
        let around = rooms.earlier[root as usize].len() + graph.later(root).len();
        match around {
            0 => visit(&[root]),
            1..=64 => rooms.visit_from::<[u64; 1]>(graph, root, &mut visit),
            65..=256 => rooms.visit_from::<[u64; 4]>(graph, root, &mut visit),
            _ => rooms.visit_from::<Vec<u64>>(graph, root, &mut visit),
        }
    }
}

struct Rooms {
    earlier: Vec<Vec<u32>>,
    local: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

impl Rooms {
    fn new(graph: &ConstraintGraph) -> Rooms {
        let mut earlier = vec![Vec::new(); graph.len()];
        for node in 0..graph.len() as u32 {
            for &later in graph.later(node) {
                earlier[later as usize].push(node);
            }
        }
        Rooms { earlier, local: vec![NOWHERE; graph.len()] }
    }

    /// The cliques whose first node is `root`.
    fn visit_from<B: Bits>(
        &mut self,
        graph: &ConstraintGraph,
        root: u32,
        visit: &mut impl FnMut(&[u32]),
    ) {
        let earlier = &self.earlier[root as usize];
        let around: Vec<u32> = earlier.iter().chain(graph.later(root)).copied().collect();
        for (place, &node) in around.iter().enumerate() {
            self.local[node as usize] = place as u32;
        }
        let mut neighbours = vec![B::empty(around.len()); around.len()];
        for (place, &node) in around.iter().enumerate() {
            for &later in graph.later(node) {
                let other = self.local[later as usize];
                if other != NOWHERE {
                    neighbours[place].insert(other as usize);
                    neighbours[other as usize].insert(place);
                }
            }
        }
        for &node in &around {
            self.local[node as usize] = NOWHERE;
        }
        let (mut open, mut done) = (B::empty(around.len()), B::empty(around.len()));
        for place in 0..around.len() {
            if place < earlier.len() { done.insert(place) } else { open.insert(place) }
        }
        let mut clique = vec![root];
        Expand { around: &around, neighbours: &neighbours, visit }.grow(&mut clique, open, done);
    }
}

struct Expand<'a, B, V> {
    around: &'a [u32],
    neighbours: &'a [B],
    visit: &'a mut V,
}

impl<B: Bits, V: FnMut(&[u32])> Expand<'_, B, V> {
    /// Extends `clique` by nodes of `open`; `done` are the nodes whose cliques were met already.
    fn grow(&mut self, clique: &mut Vec<u32>, mut open: B, mut done: B) {
        if open.count() == 0 {
            if done.count() == 0 {
                (self.visit)(clique);
            }
            return;
        }
        let pivots = open.iter().chain(done.iter());
        let by_degree = |&place: &usize| open.count_common(&self.neighbours[place]);
        let pivot = pivots.max_by_key(by_degree).expect("open is not empty");
        for next in open.without(&self.neighbours[pivot]).iter() {
            let near = &self.neighbours[next];
            clique.push(self.around[next]);
            let (further, witnesses) = (open.common(near), done.common(near));
            self.grow(clique, further, witnesses);
            clique.pop();
            open.remove(next);
            done.insert(next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;

    fn sorted(graph: &ConstraintGraph) -> Vec<Vec<u32>> {
        let mut cliques = Vec::new();
        maximal_cliques(graph, |clique| {
            let mut clique = clique.to_vec();
            clique.sort_unstable();
            cliques.push(clique);
        });
        cliques.sort();
        cliques
    }

    #[test]
    fn the_maximal_cliques_are_those_of_the_definition_each_once() {
        for seed in 0..600 {
            let graph = ConstraintGraph::random(seed);
            assert_eq!(sorted(&graph), naive::maximal_cliques(&graph), "seed {seed}");
        }
    }

    #[test]
    fn moon_and_mosers_graph_has_as_many_cliques_as_they_counted() {
        let graph = ConstraintGraph::from_fn(27, |a, b| a / 3 != b / 3);
        assert_eq!(sorted(&graph).len(), 3_usize.pow(9));
        let apart = ConstraintGraph::from_fn(5, |_, _| false);
        assert_eq!(sorted(&apart).len(), 5);
    }
}
