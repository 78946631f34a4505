//! All maximal cliques of a graph given as sorted lists of neighbours (Tomita et al. 2006).
//!
//! Each search is about one node and its neighbours, numbered anew from zero, so that what it
//! reads is small and close together.

use super::graph::Lists;

/// Finds the maximal cliques of one graph after the other without allocating anew.
#[derive(Debug, Default)]
pub(super) struct Tomita {
    cliques: Lists,
    /// Among the neighbours of one node: who is whose neighbour, in their own numbers.
    near: Lists,
    /// The number of a neighbour plus one; zero for all others.
    number_of: Vec<u32>,
    /// Open, done and branch nodes of every level of the search, back to back.
    levels: Vec<u32>,
    is_open: Vec<bool>,
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

/// The nodes of a level: where in `levels` those begin that extend the clique, and those with
/// which every clique was found before, and where these end.
#[derive(Clone, Copy)]
struct Level {
    open: usize,
    done: usize,
    end: usize,
}

impl Tomita {
    /// Every maximal clique. Should a search spend its budget, some of those at its node are
    /// missing, but every node is in at least one that was found.
    pub(super) fn find(&mut self, graph: &Lists, budget: u32) -> (&Lists, Work) {
        self.cliques.clear();
        self.number_of.resize(graph.len(), 0);
        self.work = Work::default();
        for node in 0..graph.len() as u32 {
            let neighbours = graph.of(node);
            let split = neighbours.partition_point(|&other| other < node);
            (self.left, self.spent) = (budget, false);
            self.clique.clear();
            self.clique.push(node);
            if split < neighbours.len() {
                self.search_among(graph, neighbours, split);
            } else if split == 0 {
                self.report();
            }
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
            self.clique.clear();
            self.clique.push(node);
            for other in graph.of(node) {
                if self.clique.iter().all(|&member| graph.of(member).binary_search(other).is_ok()) {
                    self.clique.push(*other);
                }
            }
            self.report();
        }
    }

    /// The cliques of a node and its later neighbours, which begin at `split`.
    fn search_among(&mut self, graph: &Lists, neighbours: &[u32], split: usize) {
        for (number, &other) in neighbours.iter().enumerate() {
            self.number_of[other as usize] = number as u32 + 1;
        }
        self.near.clear();
        for &other in neighbours {
            let numbers = graph.of(other).iter().map(|&third| self.number_of[third as usize]);
            self.near.items.extend(numbers.filter(|&number| number > 0).map(|number| number - 1));
            self.near.end();
        }
        for &other in neighbours {
            self.number_of[other as usize] = 0;
        }
        let (split, end) = (split as u32, neighbours.len() as u32);
        self.levels.clear();
        self.levels.extend((split..end).chain(0..split));
        self.is_open.clear();
        self.is_open.resize(neighbours.len(), false);
        let done = (end - split) as usize;
        self.expand(Level { open: 0, done, end: end as usize }, neighbours);
    }

    /// Extends the clique by open nodes.
    fn expand(&mut self, level: Level, neighbours: &[u32]) {
        self.work.steps += 1;
        if self.left == 0 {
            self.spent = true;
            self.report();
            return;
        }
        self.left -= 1;
        let Level { open, mut done, end } = level;
        if open == done {
            if done == end {
                self.report();
            }
            return;
        }
        let Some(pivot) = self.pivot(level) else { return };
        let branches = self.levels.len();
        let near = self.near.of(pivot);
        for place in open..done {
            let node = self.levels[place];
            if near.binary_search(&node).is_err() {
                self.levels.push(node);
            }
        }
        let branches_end = self.levels.len();
        for branch in branches..branches_end {
            let node = self.levels[branch];
            let next = self.next_level(Level { open, done, end }, node);
            self.clique.push(neighbours[node as usize]);
            self.expand(next, neighbours);
            self.clique.pop();
            self.levels.truncate(branches_end);
            // From open to done: the last open node takes its place.
            let place = (open..done).find(|&place| self.levels[place] == node);
            done -= 1;
            self.levels.swap(place.expect("a branch is open"), done);
            if self.spent {
                return;
            }
        }
    }

    /// The node with the most open neighbours; none if a done node has them all, for then every
    /// clique here was found with it.
    fn pivot(&mut self, Level { open, done, end }: Level) -> Option<u32> {
        let Tomita { levels, is_open, near, .. } = self;
        levels[open..done].iter().for_each(|&node| is_open[node as usize] = true);
        let most = done - open;
        let (mut pivot, mut shared) = (levels[open], None);
        for place in (done..end).chain(open..done) {
            let node = levels[place];
            let count = near.of(node).iter().filter(|&&other| is_open[other as usize]).count();
            if shared.is_none_or(|shared| count > shared) {
                (pivot, shared) = (node, Some(count));
            }
            if count == most || place < done && count + 1 == most {
                break;
            }
        }
        levels[open..done].iter().for_each(|&node| is_open[node as usize] = false);
        (shared != Some(most)).then_some(pivot)
    }

    /// The open and done nodes that are neighbours of `node`.
    fn next_level(&mut self, Level { open, done, end }: Level, node: u32) -> Level {
        let start = self.levels.len();
        let near = self.near.of(node);
        for place in open..done {
            let other = self.levels[place];
            if near.binary_search(&other).is_ok() {
                self.levels.push(other);
            }
        }
        let middle = self.levels.len();
        for place in done..end {
            let other = self.levels[place];
            if near.binary_search(&other).is_ok() {
                self.levels.push(other);
            }
        }
        Level { open: start, done: middle, end: self.levels.len() }
    }

    fn report(&mut self) {
        self.cliques.items.extend(&self.clique);
        self.cliques.end();
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
