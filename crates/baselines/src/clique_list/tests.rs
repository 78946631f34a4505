//! After every change the list is that of the graph looked at afresh.

use super::{CliqueList, Increment};
use meshcloak::constraint_graph::ConstraintGraph;
use meshcloak::naive;
use meshcloak::printed::maximal_cliques;
use meshcloak::town::Town;
use rand::RngExt as _;

impl CliqueList {
    /// All cliques, sorted.
    fn sorted(&self) -> Vec<Vec<u32>> {
        let there = self.cliques.iter().filter(|members| !members.is_empty());
        let mut cliques: Vec<Vec<u32>> = there.cloned().collect();
        cliques.sort();
        cliques
    }

    /// Whether what is kept twice agrees.
    fn check(&self) {
        let there = self.cliques.iter().filter(|members| !members.is_empty());
        assert_eq!(there.clone().count(), self.len());
        assert_eq!(there.map(Vec::len).sum::<usize>(), self.size());
        for (node, holding) in self.holding.iter().enumerate() {
            let holds = |clique: &u32| self.members(*clique).contains(&(node as u32));
            assert!(holding.iter().all(holds), "{node}");
        }
        assert_eq!(self.holding.iter().map(Vec::len).sum::<usize>(), self.size());
    }
}

/// The maximal cliques among the `present` nodes of a graph, by the core.
fn afresh(edges: &[bool], nodes: u32, present: &[u32]) -> Vec<Vec<u32>> {
    let adjacent = |a: u32, b: u32| {
        let (a, b) = (present[a as usize], present[b as usize]);
        edges[(a.min(b) * nodes + a.max(b)) as usize]
    };
    let graph = ConstraintGraph::from_fn(present.len() as u32, adjacent);
    let mut cliques = Vec::new();
    maximal_cliques(&graph, |clique| {
        let mut clique: Vec<u32> = clique.iter().map(|&place| present[place as usize]).collect();
        clique.sort_unstable();
        cliques.push(clique);
    });
    cliques.sort();
    if present.len() <= 10 {
        let named = |clique: &Vec<u32>| clique.iter().map(|&n| present[n as usize]).collect();
        let mut slowly: Vec<Vec<u32>> = naive::maximal_cliques(&graph).iter().map(named).collect();
        slowly.sort();
        assert_eq!(cliques, slowly);
    }
    cliques
}

#[test]
fn after_every_arrival_and_departure_the_list_is_that_of_the_graph_looked_at_afresh() {
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
                if let Some(place) = present.iter().position(|&other| other == node) {
                    present.remove(place);
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
                let expected = afresh(&edges, nodes, &present);
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
fn fresh_cliques_are_those_that_hold_a_node_that_came() {
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
        list.remove_node(3);
        list.begin();
        assert!(list.fresh().is_empty());
        assert_eq!(list.sorted(), [vec![0, 1], vec![2]]);
    }
}

#[test]
fn a_crowd_in_one_place_is_one_clique() {
    for increment in [Increment::Node, Increment::Edge] {
        let mut list = CliqueList::default();
        let everyone: Vec<u32> = (0..300).collect();
        for node in 0..300 {
            list.add(node, &everyone[..node as usize], increment);
        }
        assert_eq!((list.len(), list.size(), list.edge_count()), (1, 300, 300 * 299 / 2));
    }
}
