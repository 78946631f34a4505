//! The searches of one portion of the graph, one root after the other.

use super::adjacency::Adjacency;
use super::bits::Bits;
use super::branch::Branch;
use super::found::Largest;
use crate::constraint_graph::ConstraintGraph;
use std::ops::Range;

/// What is looked for.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub(super) graph: &'a ConstraintGraph,
    pub(super) wanted: &'a [u16],
    pub(super) budget: u32,
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

/// Roots with more candidates than this count as equal.
const MOST_KINDS: usize = 255;

impl Portion {
    /// Lines the roots up that have candidates at all, those with most first: where a large clique
    /// is known, most of the smaller searches around it need not begin.
    fn line_up(&mut self, graph: &ConstraintGraph, roots: Range<u32>) {
        let kind = |root: u32| MOST_KINDS - graph.later(root).len().min(MOST_KINDS);
        let mut starts = [0_u32; MOST_KINDS + 2];
        for root in roots.clone() {
            starts[kind(root) + 1] += 1;
        }
        for next in 1..starts.len() {
            starts[next] += starts[next - 1];
        }
        self.roots.resize(roots.len(), 0);
        for root in roots {
            let slot = &mut starts[kind(root)];
            self.roots[*slot as usize] = root;
            *slot += 1;
        }
    }

    pub(super) fn search(&mut self, task: Task<'_>, roots: Range<u32>) {
        let graph = task.graph;
        self.largest.begin(graph.len());
        self.adjacency.begin(graph.len());
        self.line_up(graph, roots);
        for &root in &self.roots {
            let candidates = graph.later(root);
            let within = Within { task, root, candidates };
            let largest = &mut self.largest;
            match candidates.len() {
                size if !within.may_improve(largest, size as u32 + 1) => {}
                0 => largest.keep(std::iter::once(root), task.wanted),
                1 => largest.keep([root, candidates[0]].into_iter(), task.wanted),
                2..=64 => within.search(&mut self.adjacency, &mut self.one, largest),
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
        largest.sizes[node as usize].max(too_few)
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
        largest.steps += u64::from(steps);
        largest.most_steps = largest.most_steps.max(steps);
        largest.truncated += u32::from(steps > self.task.budget);
    }
}
