//! The searches of one portion of the graph, one root after the other.

use super::adjacency::Adjacency;
use super::bits::Bits;
use super::branch::Branch;
use super::few::{self, Bars, Few};
use super::found::Largest;
use crate::constraint_graph::ConstraintGraph;
use std::ops::Range;

/// What is looked for.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub(super) graph: &'a ConstraintGraph,
    pub(super) wanted: &'a [u16],
    /// For each node one less than it wants, as far as eight bits can say.
    pub(super) bars: &'a [u8],
    pub(super) budget: u32,
}

/// The bar of a node that wants so many.
pub(super) fn bar_of(wanted: u16) -> u8 {
    u8::try_from(wanted.saturating_sub(1)).unwrap_or(u8::MAX)
}

/// The searches of one portion.
#[derive(Clone, Debug, Default)]
pub(super) struct Portion {
    adjacency: Adjacency,
    one: Room<[u64; 1]>,
    two: Room<[u64; 2]>,
    four: Room<[u64; 4]>,
    eight: Room<[u64; 8]>,
    sixteen: Room<[u64; 16]>,
    many: Room<Vec<u64>>,
    pub(super) largest: Largest,
    roots: Vec<u32>,
}

/// Room for the searches whose candidates fit one kind of set.
#[derive(Clone, Debug, Default)]
struct Room<B> {
    neighbours: Vec<B>,
    /// For each candidate the size that a clique must exceed to be of use to it.
    sizes: Vec<u32>,
}

/// From here on candidates are more than few.
const MORE: usize = few::MOST + 1;

/// Roots with more candidates than this count as equal.
const MOST_KINDS: usize = 255;

impl Portion {
    /// Lines the roots up, those with most candidates first: where a large clique
    /// is known, most of the smaller searches around it need not begin.
    fn line_up(&mut self, graph: &ConstraintGraph, roots: Range<u32>) {
        let kind = |count: usize| MOST_KINDS - count.min(MOST_KINDS);
        let mut starts = [0_u32; MOST_KINDS + 1];
        for count in graph.later_counts(roots.clone()) {
            starts[kind(count)] += 1;
        }
        let mut start = 0;
        for kind in &mut starts {
            start += std::mem::replace(kind, start);
        }
        self.roots.resize(roots.len(), 0);
        for (root, count) in roots.clone().zip(graph.later_counts(roots)) {
            let slot = &mut starts[kind(count)];
            self.roots[*slot as usize] = root;
            *slot += 1;
        }
    }

    pub(super) fn search(&mut self, task: Task<'_>, roots: Range<u32>) {
        let graph = task.graph;
        self.largest.begin(graph.len());
        self.largest.set_bars(task.bars);
        self.adjacency.begin(graph.len());
        self.line_up(graph, roots);
        for &root in &self.roots {
            let candidates = graph.later(root);
            let within = Within { task, root, candidates };
            let largest = &mut self.largest;
            match candidates.len() {
                ..=few::MOST => within.search_few(&mut self.adjacency, largest),
                size if !within.may_improve(largest, size as u32 + 1) => {}
                MORE..=64 => within.search(&mut self.adjacency, &mut self.one, largest),
                65..=128 => within.search(&mut self.adjacency, &mut self.two, largest),
                129..=256 => within.search(&mut self.adjacency, &mut self.four, largest),
                257..=512 => within.search(&mut self.adjacency, &mut self.eight, largest),
                513..=1024 => within.search(&mut self.adjacency, &mut self.sixteen, largest),
                _ => within.search(&mut self.adjacency, &mut self.many, largest),
            }
        }
    }
}

/// One search: the cliques whose first node is `root`.
struct Within<'a> {
    task: Task<'a>,
    root: u32,
    candidates: &'a [u32],
}

impl Within<'_> {
    /// Whether a clique of `size` would be enough for some of these nodes, and larger than theirs.
    fn may_improve(&self, largest: &Largest, size: u32) -> bool {
        let improves = |&node: &u32| self.bar(largest, node) < size;
        improves(&self.root) || self.candidates.iter().any(improves)
    }

    /// A clique for a node must be larger than this.
    #[inline]
    fn bar(&self, largest: &Largest, node: u32) -> u32 {
        let too_few = u32::from(self.task.wanted[node as usize]).saturating_sub(1);
        largest.size(node).max(too_few)
    }

    fn search<B: Bits>(
        &self,
        adjacency: &mut Adjacency,
        room: &mut Room<B>,
        largest: &mut Largest,
    ) {
        adjacency.connect(self.task.graph, self.candidates, &mut room.neighbours);
        room.sizes.clear();
        room.sizes.extend(self.candidates.iter().map(|&node| self.bar(largest, node)));
        let count = self.candidates.len();
        let mut branch = Branch {
            candidates: self.candidates,
            root: self.root,
            neighbours: &room.neighbours,
            sizes: &mut room.sizes,
            root_size: self.bar(largest, self.root),
            wanted: self.task.wanted,
            largest,
            steps: 0,
            budget: self.task.budget,
        };
        branch.grow(B::empty(count), 1, B::first_numbers(count));
        let steps = branch.steps;
        self.count(steps, largest);
    }

    /// Searches among no more than a few candidates.
    fn search_few(&self, adjacency: &mut Adjacency, largest: &mut Largest) {
        let (root, candidates) = (self.root, self.candidates);
        let Some(bars) = Bars::passed(largest, root, candidates) else {
            return;
        };
        match candidates {
            [] => largest.keep(std::iter::once(root), self.task.wanted),
            &[other] => largest.keep([root, other].into_iter(), self.task.wanted),
            _ => {
                let rows = adjacency.connect_few(self.task.graph, candidates);
                let budget = self.task.budget;
                let mut few = Few { root, candidates, rows, bars, largest, steps: 0, budget };
                few.search();
                let steps = few.steps;
                self.count(steps, largest);
            }
        }
    }

    /// Counts the steps of a search.
    fn count(&self, steps: u32, largest: &mut Largest) {
        largest.steps += u64::from(steps);
        largest.most_steps = largest.most_steps.max(steps);
        largest.truncated += u32::from(steps > self.task.budget);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A root that is adjacent to all others, which are or are not to one another.
    fn around_a_root(others: u32, seed: u32) -> ConstraintGraph {
        let share = seed % 10 + 1;
        let mixed = |a: u32, b: u32| (a * 31 + b * 17 + a * b * 7 + seed * 13) % 11 < share;
        ConstraintGraph::from_fn(others + 1, |a, b| a == 0 || mixed(a, b)).turned()
    }

    #[test]
    fn few_candidates_are_searched_step_for_step_as_many_would_be() {
        let (adjacency, one) = (&mut Adjacency::default(), &mut Room::<[u64; 1]>::default());
        let (mut most_steps, mut truncated) = (0, 0);
        for (others, seed, budget) in (2..=few::MOST as u32).flat_map(|others| {
            (0..200).map(move |seed| (others, seed, [20_000, 20_000, 6, 1][seed as usize % 4]))
        }) {
            let graph = &around_a_root(others, seed);
            let wanted: Vec<u16> =
                (0..=others).map(|node| ((node * 5 + seed / 3) % (seed % 7 + 1)) as u16).collect();
            let bars: Vec<u8> = wanted.iter().map(|&wanted| bar_of(wanted)).collect();
            let task = Task { graph, wanted: &wanted, bars: &bars, budget };
            let within = Within { task, root: 0, candidates: graph.later(0) };
            let mut expected = Largest::default();
            expected.begin(graph.len());
            expected.set_bars(&bars);
            let mut largest = expected.clone();
            adjacency.begin(graph.len());
            if within.may_improve(&expected, others + 1) {
                within.search(adjacency, one, &mut expected);
            }
            within.search_few(adjacency, &mut largest);
            assert_eq!(largest, expected, "{others} around, seed {seed}");
            most_steps = most_steps.max(largest.most_steps);
            truncated += largest.truncated;
        }
        assert!(most_steps > 30 && truncated > 100, "{most_steps}, {truncated}");
    }
}
