//! Comparison of the maintained list with a full enumeration after every change.

use super::{CliqueList, Increment};
use meshcloak::constraint_graph::ConstraintGraph;
use meshcloak::naive;
use meshcloak::printed::maximal_cliques;
use meshcloak::town::Town;
use rand::RngExt as _;

impl CliqueList {
    /// All cliques, sorted.
    fn sorted(&self) -> Vec<Vec<u32>> {
        let cliques = self.cliques.iter().filter(|members| !members.is_empty());
        let mut cliques: Vec<Vec<u32>> = cliques.cloned().collect();
        cliques.sort();
        cliques
    }

    /// Asserts that cliques and the index by node agree.
    fn check(&self) {
        let cliques = self.cliques.iter().filter(|members| !members.is_empty());
        assert_eq!(cliques.clone().count(), self.len());
        assert_eq!(cliques.map(Vec::len).sum::<usize>(), self.size());
        for (node, holding) in self.holding.iter().enumerate() {
            let holds = |clique: &u32| self.members(*clique).contains(&(node as u32));
            assert!(holding.iter().all(holds), "{node}");
        }
        assert_eq!(self.holding.iter().map(Vec::len).sum::<usize>(), self.size());
    }
}

/// Maximal cliques among the `present` nodes, enumerated by the core.
fn enumerate(edges: &[bool], nodes: u32, present: &[u32]) -> Vec<Vec<u32>> {
    let adjacent = |a: u32, b: u32| {
        let (a, b) = (present[a as usize], present[b as usize]);
        edges[(a.min(b) * nodes + a.max(b)) as usize]
    };
    let graph = ConstraintGraph::from_fn(present.len() as u32, adjacent);
    let mut cliques = Vec::new();
    maximal_cliques(&graph, |clique| {
        let mut clique: Vec<u32> = clique.iter().map(|&index| present[index as usize]).collect();
        clique.sort_unstable();
        cliques.push(clique);
    });
    cliques.sort();
    if present.len() <= 10 {
        let named = |clique: &Vec<u32>| clique.iter().map(|&n| present[n as usize]).collect();
        let mut reference: Vec<Vec<u32>> =
            naive::maximal_cliques(&graph).iter().map(named).collect();
        reference.sort();
        assert_eq!(cliques, reference);
    }
    cliques
}

#[test]
fn after_every_change_the_list_equals_a_full_enumeration() {
    let mut compared = 0;
    for increment in [Increment::Node, Increment::Edge] {
        let mut list = CliqueList::default();
        for seed in 0..120 {
            let mut random = Town::generator(seed);
            let nodes = random.random_range(1..=4 + seed as u32 / 4);
            let density = random.random_range(0.1..0.9);
            let edges: Vec<bool> =
                (0..nodes * nodes).map(|_| random.random_bool(density)).collect();
            list.clear();
            let mut present: Vec<u32> = Vec::new();
            for _ in 0..nodes * 3 {
                let node = random.random_range(0..nodes);
                if let Some(index) = present.iter().position(|&other| other == node) {
                    present.remove(index);
                    list.remove_node(node);
                } else {
                    let near = |&&other: &&u32| {
                        edges[(node.min(other) * nodes + node.max(other)) as usize]
                    };
                    let neighbours: Vec<u32> = present.iter().filter(near).copied().collect();
                    list.add(node, &neighbours, increment);
                    present.push(node);
                }
                list.check();
                present.sort_unstable();
                let expected = enumerate(&edges, nodes, &present);
                assert_eq!(list.sorted(), expected, "seed {seed} {increment:?}");
                let pairs = present.iter().flat_map(|&a| present.iter().map(move |&b| (a, b)));
                let adjacent = |&(a, b): &(u32, u32)| a < b && edges[(a * nodes + b) as usize];
                assert_eq!(list.edge_count(), pairs.filter(adjacent).count());
                compared += expected.len();
            }
        }
    }
    assert!(compared > 30_000, "only {compared} cliques were compared");
}

#[test]
fn fresh_cliques_are_those_with_an_inserted_or_removed_node() {
    for increment in [Increment::Node, Increment::Edge] {
        let mut list = CliqueList::default();
        list.add(0, &[], increment);
        list.add(1, &[0], increment);
        list.add(2, &[], increment);
        list.begin();
        list.add(3, &[2, 1, 0], increment);
        let fresh: Vec<u32> = list.fresh().to_vec();
        let mut fresh: Vec<&[u32]> = fresh.iter().map(|&clique| list.members(clique)).collect();
        fresh.sort_unstable();
        assert_eq!(fresh, [&[0, 1, 3][..], &[2, 3]]);
        list.begin();
        assert!(list.fresh().is_empty());
        list.remove_node(3);
        assert_eq!(list.fresh().len(), 2);
        assert_eq!(list.sorted(), [vec![0, 1], vec![2]]);
    }
}

#[test]
fn a_complete_graph_is_one_clique() {
    for increment in [Increment::Node, Increment::Edge] {
        let mut list = CliqueList::default();
        let all: Vec<u32> = (0..300).collect();
        for node in 0..300 {
            list.add(node, &all[..node as usize], increment);
        }
        assert_eq!((list.len(), list.size(), list.edge_count()), (1, 300, 300 * 299 / 2));
    }
}
