//! For every node a largest clique that contains it, by branch and bound.
//!
//! A clique is looked for at its first node, among that node's later neighbours. A branch is left
//! as soon as it cannot give any of its nodes a larger clique than that node has already. Each
//! such search has a budget of steps; one that spends it keeps the best found so far.

use super::bits::Bits;
use super::found::Largest;
use crate::constraint_graph::ConstraintGraph;

/// Finds largest cliques, one graph after the other, without allocating anew.
#[derive(Clone, Debug, Default)]
pub struct LargestCliques {
    local: Vec<u32>,
    one: Room<[u64; 1]>,
    four: Room<[u64; 4]>,
    many: Room<Vec<u64>>,
    largest: Largest,
}

/// Room for the searches whose candidates fit one kind of set.
#[derive(Clone, Debug, Default)]
struct Room<B> {
    neighbours: Vec<B>,
    clique: Vec<usize>,
}

const NOWHERE: u32 = u32::MAX;

impl LargestCliques {
    /// A largest clique for every node of `graph`; each search may take `budget` steps.
    pub fn find(&mut self, graph: &ConstraintGraph, budget: u32) -> &Largest {
        self.largest.begin(graph.len());
        self.local.clear();
        self.local.resize(graph.len(), NOWHERE);
        for root in 0..graph.len() as u32 {
            let candidates = graph.later(root);
            let within = Within { graph, root, candidates, budget };
            let (local, largest) = (&mut self.local, &mut self.largest);
            match candidates.len() {
                0 if largest.sizes[root as usize] > 0 => {}
                0 => largest.keep(std::iter::once(root)),
                size if !may_improve(largest, root, candidates, size as u32 + 1) => {}
                1..=64 => within.search(local, &mut self.one, largest),
                65..=256 => within.search(local, &mut self.four, largest),
                _ => within.search(local, &mut self.many, largest),
            }
        }
        &self.largest
    }
}

/// Whether a clique of `size` would be larger than what some of these nodes have.
fn may_improve(largest: &Largest, root: u32, candidates: &[u32], size: u32) -> bool {
    let smaller = |&node: &u32| largest.sizes[node as usize] < size;
    smaller(&root) || candidates.iter().any(smaller)
}

/// One search: the cliques whose first node is `root`.
struct Within<'a> {
    graph: &'a ConstraintGraph,
    root: u32,
    candidates: &'a [u32],
    budget: u32,
}

impl Within<'_> {
    fn search<B: Bits>(&self, local: &mut [u32], room: &mut Room<B>, largest: &mut Largest) {
        let count = self.candidates.len();
        room.neighbours.clear();
        room.neighbours.resize(count, B::empty(count));
        for (place, &node) in self.candidates.iter().enumerate() {
            local[node as usize] = place as u32;
        }
        let mut all = B::empty(count);
        for (place, &node) in self.candidates.iter().enumerate() {
            all.insert(place);
            for &later in self.graph.later(node) {
                let other = local[later as usize];
                if other != NOWHERE {
                    room.neighbours[place].insert(other as usize);
                    room.neighbours[other as usize].insert(place);
                }
            }
        }
        for &node in self.candidates {
            local[node as usize] = NOWHERE;
        }
        let mut branch = Branch {
            candidates: self.candidates,
            root: self.root,
            neighbours: &room.neighbours,
            clique: &mut room.clique,
            largest,
            steps: 0,
            budget: self.budget,
        };
        branch.clique.clear();
        branch.grow(all);
        let steps = branch.steps;
        largest.steps += u64::from(steps);
        largest.most_steps = largest.most_steps.max(steps);
        largest.truncated += u32::from(steps > self.budget);
    }
}

struct Branch<'a, B> {
    candidates: &'a [u32],
    root: u32,
    neighbours: &'a [B],
    clique: &'a mut Vec<usize>,
    largest: &'a mut Largest,
    steps: u32,
    budget: u32,
}

/// How many words of bits a step may look at.
const WORDS_OF_A_STEP: u32 = 256;

/// After this many steps a search is hard enough for the better bound to be worth its cost.
const EASY: u32 = 24;

impl<B: Bits> Branch<'_, B> {
    /// Looks for cliques that extend the present one by some of `open`, all of which are
    /// adjacent to all of it.
    fn grow(&mut self, mut open: B) {
        let size = 1 + self.clique.len() as u32;
        let count = open.count();
        // A step among many candidates counts as the many small ones that it costs.
        self.steps += 1 + count * open.words().len() as u32 / WORDS_OF_A_STEP;
        if count == 0 || self.steps > self.budget {
            self.keep(&B::empty(0));
            return;
        }
        if size + count <= self.lowest(&open) {
            return;
        }
        let (pivot, least) = self.pivot(&open);
        if least == count - 1 {
            self.keep(&open); // all of them are adjacent to one another
            return;
        }
        if self.steps > EASY && size + self.colours(&open) <= self.lowest(&open) {
            return;
        }
        let mut branches = open.without(&self.neighbours[pivot]);
        branches.remove(pivot);
        self.step_into(pivot, &mut open);
        for next in branches.iter() {
            if self.steps > self.budget {
                return;
            }
            self.step_into(next, &mut open);
        }
    }

    /// Takes `next` into the clique, looks further, and sets it aside.
    fn step_into(&mut self, next: usize, open: &mut B) {
        self.clique.push(next);
        self.grow(open.common(&self.neighbours[next]));
        self.clique.pop();
        open.remove(next);
    }

    /// The smallest size that any of these nodes, or of the present ones, has by now.
    fn lowest(&self, open: &B) -> u32 {
        let places = self.clique.iter().copied().chain(open.iter());
        let sizes = places.map(|place| self.largest.sizes[self.candidates[place] as usize]);
        sizes.fold(self.largest.sizes[self.root as usize], u32::min)
    }

    /// The node with the most neighbours among `open`, and how few any node of it has there.
    fn pivot(&self, open: &B) -> (usize, u32) {
        let degree = |place| (open.count_common(&self.neighbours[place]), place);
        let first = open.first().map_or((0, 0), degree);
        let (most, least) =
            open.iter().map(degree).fold((first, first.0), |(most, least), next| {
                (if next.0 > most.0 { next } else { most }, least.min(next.0))
            });
        (most.1, least)
    }

    /// No clique among `open` is larger than the number of colours by which no two neighbours
    /// share one: each colour is a set of nodes without an edge, taken greedily.
    fn colours(&self, open: &B) -> u32 {
        let mut rest = open.clone();
        let mut colours = 0;
        while rest.count() > 0 {
            colours += 1;
            let mut free = rest.clone();
            while let Some(place) = free.first() {
                free.remove(place);
                rest.remove(place);
                free = free.without(&self.neighbours[place]);
            }
        }
        colours
    }

    fn keep(&mut self, more: &B) {
        let Branch { candidates, root, clique, largest, .. } = self;
        let places = clique.iter().copied().chain(more.iter());
        largest.keep(std::iter::once(*root).chain(places.map(|place| candidates[place])));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;

    fn compare(graph: &ConstraintGraph, what: &str) {
        let mut finder = LargestCliques::default();
        let largest = finder.find(graph, 20_000).clone();
        assert_eq!(largest.truncated, 0, "{what}");
        let cliques = naive::maximal_cliques(graph);
        for node in 0..graph.len() as u32 {
            let sizes = cliques.iter().filter(|c| c.contains(&node)).map(Vec::len);
            let expected = sizes.max().unwrap();
            let members = largest.members(largest.chosen(node));
            assert_eq!(largest.size(node) as usize, expected, "{what}, node {node}");
            assert_eq!(members.len(), expected, "{what}, node {node}");
            assert!(members.contains(&node) && naive::is_clique(graph, members), "{what}");
        }
    }

    #[test]
    fn every_node_gets_a_clique_as_large_as_the_largest_of_all_maximal_ones() {
        for seed in 0..600 {
            compare(&ConstraintGraph::random(seed), &format!("seed {seed}"));
        }
    }

    #[test]
    fn hard_graphs_are_solved_where_colours_show_the_bound() {
        // Everyone adjacent to all but the one opposite: 2^(n/2) maximal cliques of n/2.
        for people in [6, 20, 60, 200_u32] {
            let opposite = |a: u32, b: u32| b - a == people / 2;
            let graph = ConstraintGraph::from_fn(people, |a, b| !opposite(a, b));
            let mut finder = LargestCliques::default();
            let largest = finder.find(&graph, 20_000);
            assert_eq!(largest.truncated, 0, "{people}");
            assert!((0..people).all(|node| largest.size(node) == people / 2), "{people}");
        }
        // Moon and Moser: groups of three strangers, everyone else adjacent.
        let graph = ConstraintGraph::from_fn(90, |a, b| a / 3 != b / 3);
        let mut finder = LargestCliques::default();
        assert!((0..90).all(|node| finder.find(&graph, 20_000).size(node) == 30));
    }

    #[test]
    fn a_spent_budget_leaves_cliques_and_says_so() {
        let graph = ConstraintGraph::random(599);
        let mut finder = LargestCliques::default();
        let largest = finder.find(&graph, 1).clone();
        assert!(largest.truncated > 0);
        for node in 0..graph.len() as u32 {
            let members = largest.members(largest.chosen(node));
            assert!(members.contains(&node) && naive::is_clique(&graph, members));
        }
    }
}
