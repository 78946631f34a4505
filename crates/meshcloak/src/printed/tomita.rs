//! All maximal cliques of a graph given as sorted lists of neighbours, on vectors (Tomita et al.
//! 2006): expand a clique by its open nodes, but not by neighbours of a pivot.

use super::graph::Lists;

/// Finds the maximal cliques of one graph after the other.
#[derive(Debug, Default)]
pub(super) struct Tomita {
    cliques: Lists,
    clique: Vec<u32>,
    left: u32,
    spent: bool,
    work: Work,
}

/// What all searches together did.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Work {
    pub(super) steps: u64,
    /// Whether a search spent its budget.
    pub(super) truncated: bool,
}

impl Tomita {
    /// Every maximal clique. Should a search spend its budget, some of those at its node are
    /// missing, but every node is in at least one that was found.
    pub(super) fn find(&mut self, graph: &Lists, budget: u32) -> (&Lists, Work) {
        self.cliques.clear();
        self.work = Work::default();
        for node in 0..graph.len() as u32 {
            let neighbours = graph.of(node);
            let split = neighbours.partition_point(|&other| other < node);
            (self.left, self.spent) = (budget, false);
            self.clique.push(node);
            self.expand(graph, neighbours[split..].to_vec(), neighbours[..split].to_vec());
            self.clique.clear();
            self.work.truncated |= self.spent;
        }
        if self.work.truncated {
            self.lost(graph);
        }
        (&self.cliques, self.work)
    }

    /// A clique for each node without one: its search left its cliques to that of an earlier node,
    /// which spent its budget before it came to them.
    fn lost(&mut self, graph: &Lists) {
        let mut found = vec![false; graph.len()];
        self.cliques.items.iter().for_each(|&node| found[node as usize] = true);
        for node in (0..graph.len() as u32).filter(|&node| !found[node as usize]) {
            self.clique.push(node);
            for other in graph.of(node) {
                if self.clique.iter().all(|&member| graph.of(member).binary_search(other).is_ok()) {
                    self.clique.push(*other);
                }
            }
            self.report();
            self.clique.clear();
        }
    }

    /// Extends the clique by nodes of `open`; cliques with a node of `done` were found before.
    fn expand(&mut self, graph: &Lists, mut open: Vec<u32>, mut done: Vec<u32>) {
        self.work.steps += 1;
        if self.left == 0 {
            self.spent = true;
            self.report();
            return;
        }
        self.left -= 1;
        if open.is_empty() {
            if done.is_empty() {
                self.report();
            }
            return;
        }
        let shared = |node: &&u32| common_count(&open, graph.of(**node));
        let pivot = *open.iter().chain(&done).max_by_key(shared).expect("open is not empty");
        let near_pivot = graph.of(pivot);
        let branches: Vec<u32> =
            open.iter().copied().filter(|node| near_pivot.binary_search(node).is_err()).collect();
        for node in branches {
            let near = graph.of(node);
            self.clique.push(node);
            self.expand(graph, common(&open, near), common(&done, near));
            self.clique.pop();
            if self.spent {
                return;
            }
            open.retain(|&other| other != node);
            done.insert(done.partition_point(|&other| other < node), node);
        }
    }

    fn report(&mut self) {
        self.cliques.items.extend(&self.clique);
        self.cliques.end();
    }
}

/// What two sorted lists have in common.
fn common(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut both = Vec::with_capacity(a.len().min(b.len()));
    meet(a, b, |node| both.push(node));
    both
}

fn common_count(a: &[u32], b: &[u32]) -> usize {
    let mut count = 0;
    meet(a, b, |_| count += 1);
    count
}

/// Calls `visit` with everything that is in both of two sorted lists.
fn meet(a: &[u32], b: &[u32], mut visit: impl FnMut(u32)) {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                visit(a[i]);
                i += 1;
                j += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint_graph::ConstraintGraph;
    use crate::naive;

    /// All neighbours of each node, ascending.
    fn lists(graph: &ConstraintGraph) -> Lists {
        let mut lists = Lists::default();
        for node in 0..graph.len() as u32 {
            let earlier = (0..node).filter(|&other| graph.later(other).contains(&node));
            lists.items.extend(earlier.chain(graph.later(node).iter().copied()));
            lists.end();
        }
        lists
    }

    fn sorted(cliques: &Lists) -> Vec<Vec<u32>> {
        let sort = |number| {
            let mut clique = cliques.of(number).to_vec();
            clique.sort_unstable();
            clique
        };
        let mut cliques: Vec<Vec<u32>> = (0..cliques.len() as u32).map(sort).collect();
        cliques.sort();
        cliques
    }

    #[test]
    fn the_maximal_cliques_are_those_of_the_definition_each_once() {
        let mut tomita = Tomita::default();
        for seed in 0..600 {
            let graph = ConstraintGraph::random(seed);
            let found = sorted(tomita.find(&lists(&graph), 20_000).0);
            assert_eq!(found, naive::maximal_cliques(&graph), "seed {seed}");
            assert!(!tomita.work.truncated);
        }
    }

    #[test]
    fn a_search_that_spends_its_budget_still_finds_a_clique_of_every_node() {
        let mut tomita = Tomita::default();
        let mut truncated = 0;
        for seed in 0..600 {
            let graph = ConstraintGraph::random(seed);
            let budget = seed as u32 % 4;
            let found = sorted(tomita.find(&lists(&graph), budget).0);
            assert!(found.iter().all(|clique| naive::is_clique(&graph, clique)), "seed {seed}");
            for node in 0..graph.len() as u32 {
                assert!(found.iter().any(|clique| clique.contains(&node)), "seed {seed} {node}");
            }
            assert!(tomita.work.steps <= graph.len() as u64 * u64::from(budget + 1));
            truncated += usize::from(tomita.work.truncated);
        }
        assert!(truncated > 100, "{truncated}");
    }

    #[test]
    fn a_ring_where_everyone_knows_all_but_the_one_opposite_ends_within_its_budget() {
        let graph = ConstraintGraph::from_fn(200, |a, b| b - a != 100);
        let mut tomita = Tomita::default();
        let found = sorted(tomita.find(&lists(&graph), 2_000).0);
        assert!(found.iter().any(|clique| clique.len() == 100));
        assert!(tomita.work.truncated && tomita.work.steps <= 200 * 2_001);
    }
}
