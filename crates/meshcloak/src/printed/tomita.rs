//! All maximal cliques of a graph in sorted neighbour lists, by pivoting (Tomita et al. 2006): the
//! readable reference of the clique searches.
//!
//! Each search covers one node and its neighbours, renumbered from zero, so its data is small and
//! contiguous.

use super::graph::Lists;
use crate::constraint_graph::ConstraintGraph;

/// Finds the maximal cliques of one graph after the other with reused buffers.
#[derive(Debug, Default)]
pub(super) struct Tomita {
    cliques: Lists,
    /// Adjacency lists of the neighbours of one node, in local numbers.
    adjacency: Lists,
    /// Local number plus one of each neighbour; 0 for other nodes.
    number_of: Vec<u32>,
    /// Open, done and branch nodes of all levels of the recursion.
    levels: Vec<u32>,
    is_open: Vec<bool>,
    clique: Vec<u32>,
    /// Steps left in the budget of the present search.
    steps_left: u32,
    is_spent: bool,
    stats: SearchStats,
}

/// Totals of all searches.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SearchStats {
    pub(super) steps: u64,
    /// A search spent its budget.
    pub(super) truncated: bool,
}

/// Ranges of one level in `levels`: `open..done` extends the clique; for `done..end` all cliques
/// are already reported.
#[derive(Clone, Copy)]
struct Level {
    open: usize,
    done: usize,
    end: usize,
}

impl Tomita {
    /// Finds all maximal cliques. If a search spends its budget, some are missing, but every node is
    /// in at least one.
    pub(super) fn find(&mut self, graph: &Lists, budget: u32) -> (&Lists, SearchStats) {
        self.cliques.clear();
        self.number_of.resize(graph.len(), 0);
        self.stats = SearchStats::default();
        for node in 0..graph.len() as u32 {
            let neighbours = graph.of(node);
            let split = neighbours.partition_point(|&other| other < node);
            (self.steps_left, self.is_spent) = (budget, false);
            self.clique.clear();
            self.clique.push(node);
            if split < neighbours.len() {
                self.search_neighbours(graph, neighbours, split);
            } else if split == 0 {
                self.report();
            }
            self.stats.truncated |= self.is_spent;
        }
        if self.stats.truncated {
            self.add_missing(graph);
        }
        (&self.cliques, self.stats)
    }

    /// Adds a greedy clique for each node that is in none: its cliques belong to the search of an
    /// earlier node, which spent its budget.
    fn add_missing(&mut self, graph: &Lists) {
        let mut is_covered = vec![false; graph.len()];
        self.cliques.items.iter().for_each(|&node| is_covered[node as usize] = true);
        for node in (0..graph.len() as u32).filter(|&node| !is_covered[node as usize]) {
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

    /// Reports the cliques of a node and its later neighbours, which begin at `split`.
    fn search_neighbours(&mut self, graph: &Lists, neighbours: &[u32], split: usize) {
        for (number, &other) in neighbours.iter().enumerate() {
            self.number_of[other as usize] = number as u32 + 1;
        }
        self.adjacency.clear();
        for &other in neighbours {
            let numbers = graph.of(other).iter().map(|&third| self.number_of[third as usize]);
            self.adjacency
                .items
                .extend(numbers.filter(|&number| number > 0).map(|number| number - 1));
            self.adjacency.end();
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

    /// Reports the maximal cliques that extend the present one by open nodes.
    fn expand(&mut self, level: Level, neighbours: &[u32]) {
        self.stats.steps += 1;
        if self.steps_left == 0 {
            self.is_spent = true;
            self.report();
            return;
        }
        self.steps_left -= 1;
        let Level { open, mut done, end } = level;
        if open == done {
            if done == end {
                self.report();
            }
            return;
        }
        let Some(pivot) = self.pivot(level) else { return };
        let branches = self.levels.len();
        let near = self.adjacency.of(pivot);
        for index in open..done {
            let node = self.levels[index];
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
            // Moves the node from open to done: swaps it with the last open node.
            let index = (open..done).find(|&index| self.levels[index] == node);
            done -= 1;
            self.levels.swap(index.expect("a branch node is open"), done);
            if self.is_spent {
                return;
            }
        }
    }

    /// Returns the node with the most open neighbours; `None` if a done node is adjacent to all open
    /// nodes: then no clique of this level is maximal.
    fn pivot(&mut self, Level { open, done, end }: Level) -> Option<u32> {
        let Tomita { levels, is_open, adjacency, .. } = self;
        levels[open..done].iter().for_each(|&node| is_open[node as usize] = true);
        let open_count = done - open;
        let (mut pivot, mut shared) = (levels[open], None);
        for index in (done..end).chain(open..done) {
            let node = levels[index];
            let count = adjacency.of(node).iter().filter(|&&other| is_open[other as usize]).count();
            if shared.is_none_or(|shared| count > shared) {
                (pivot, shared) = (node, Some(count));
            }
            if count == open_count || index < done && count + 1 == open_count {
                break;
            }
        }
        levels[open..done].iter().for_each(|&node| is_open[node as usize] = false);
        (shared != Some(open_count)).then_some(pivot)
    }

    /// Appends the level of the open and done nodes adjacent to `node`.
    fn next_level(&mut self, Level { open, done, end }: Level, node: u32) -> Level {
        let start = self.levels.len();
        let near = self.adjacency.of(node);
        for index in open..done {
            let other = self.levels[index];
            if near.binary_search(&other).is_ok() {
                self.levels.push(other);
            }
        }
        let middle = self.levels.len();
        for index in done..end {
            let other = self.levels[index];
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

/// Calls `visit` with every maximal clique of a graph, in unspecified order: for tests.
#[doc(hidden)]
pub fn maximal_cliques(graph: &ConstraintGraph, visit: impl FnMut(&[u32])) {
    let mut tomita = Tomita::default();
    let (cliques, _) = tomita.find(&neighbour_lists(graph), u32::MAX);
    (0..cliques.len() as u32).map(|number| cliques.of(number)).for_each(visit);
}

/// Returns all neighbours of each node, ascending.
fn neighbour_lists(graph: &ConstraintGraph) -> Lists {
    let mut rows = vec![Vec::new(); graph.len()];
    for node in 0..graph.len() as u32 {
        for &later in graph.later(node) {
            rows[node as usize].push(later);
            rows[later as usize].push(node);
        }
    }
    let mut lists = Lists::default();
    for mut row in rows {
        row.sort_unstable();
        lists.items.append(&mut row);
        lists.end();
    }
    lists
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;

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
    fn the_maximal_cliques_equal_the_definition() {
        let mut tomita = Tomita::default();
        for seed in 0..600 {
            let graph = ConstraintGraph::random(seed);
            let found = sorted(tomita.find(&neighbour_lists(&graph), 20_000).0);
            assert_eq!(found, naive::maximal_cliques(&graph), "seed {seed}");
            assert!(!tomita.stats.truncated);
        }
    }

    #[test]
    fn a_spent_budget_still_yields_a_clique_of_every_node() {
        let mut tomita = Tomita::default();
        let mut truncated = 0;
        for seed in 0..600 {
            let graph = ConstraintGraph::random(seed);
            let budget = seed as u32 % 4;
            let found = sorted(tomita.find(&neighbour_lists(&graph), budget).0);
            assert!(found.iter().all(|clique| naive::is_clique(&graph, clique)), "seed {seed}");
            for node in 0..graph.len() as u32 {
                assert!(found.iter().any(|clique| clique.contains(&node)), "seed {seed} {node}");
            }
            assert!(tomita.stats.steps <= graph.len() as u64 * u64::from(budget + 1));
            truncated += usize::from(tomita.stats.truncated);
        }
        assert!(truncated > 100, "{truncated}");
    }

    #[test]
    fn the_cocktail_party_graph_ends_within_its_budget() {
        let graph = ConstraintGraph::from_fn(200, |a, b| b - a != 100);
        let mut tomita = Tomita::default();
        let found = sorted(tomita.find(&neighbour_lists(&graph), 2_000).0);
        assert!(found.iter().any(|clique| clique.len() == 100));
        assert!(tomita.stats.truncated && tomita.stats.steps <= 200 * 2_001);
    }

    #[test]
    fn the_moon_moser_graph_has_the_proven_number_of_cliques() {
        let count = |graph: &ConstraintGraph| {
            let mut count = 0;
            maximal_cliques(graph, |_| count += 1);
            count
        };
        assert_eq!(count(&ConstraintGraph::from_fn(27, |a, b| a / 3 != b / 3)), 3_usize.pow(9));
        assert_eq!(count(&ConstraintGraph::from_fn(5, |_, _| false)), 5);
    }
}
