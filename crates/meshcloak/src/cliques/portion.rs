//! The searches of one portion of the graph, one root after the other.

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
    /// For each node its place among the candidates of the search at hand.
    places: Vec<u32>,
    /// The same where there are few, in a byte.
    near: Vec<u8>,
    one: Room<[u64; 1]>,
    four: Room<[u64; 4]>,
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

const NOWHERE: u32 = u32::MAX;

/// Few candidates are as many as fit one word.
const FEW: usize = 64;

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
        self.places.resize(graph.len(), NOWHERE);
        self.near.resize(graph.len(), FEW as u8);
        self.line_up(graph, roots);
        for &root in &self.roots {
            let candidates = graph.later(root);
            let within = Within { task, root, candidates };
            let largest = &mut self.largest;
            match candidates.len() {
                size if !within.may_improve(largest, size as u32 + 1) => {}
                0 => largest.keep(std::iter::once(root), task.wanted),
                1 => largest.keep([root, candidates[0]].into_iter(), task.wanted),
                2..=FEW => {
                    within.connect_few(&mut self.near, &mut self.one.neighbours);
                    within.search(&mut self.one, largest);
                }
                65..=256 => {
                    within.connect(&mut self.places, &mut self.four.neighbours);
                    within.search(&mut self.four, largest);
                }
                _ => {
                    within.connect(&mut self.places, &mut self.many.neighbours);
                    within.search(&mut self.many, largest);
                }
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

    fn search<B: Bits>(&self, room: &mut Room<B>, largest: &mut Largest) {
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

    /// Which candidates are neighbours of each other, where there are few: without a branch for
    /// each neighbour of theirs, of which half are candidates.
    fn connect_few(&self, near: &mut [u8], neighbours: &mut Vec<[u64; 1]>) {
        neighbours.clear();
        neighbours.resize(self.candidates.len(), [0]);
        for (place, &node) in (0..).zip(self.candidates) {
            near[node as usize] = place;
        }
        let last = self.candidates.last().copied().unwrap_or(0);
        for (place, &node) in self.candidates.iter().enumerate() {
            let mut later = 0;
            for &other in self.task.graph.later(node).iter().take_while(|&&other| other <= last) {
                let other = near[other as usize];
                later |= u64::from(other < FEW as u8) << (other % FEW as u8);
            }
            neighbours[place][0] |= later;
            for other in Bits::iter(&[later]) {
                neighbours[other][0] |= 1 << place;
            }
        }
        for &node in self.candidates {
            near[node as usize] = FEW as u8;
        }
    }

    /// Which candidates are neighbours of each other.
    fn connect<B: Bits>(&self, places: &mut [u32], neighbours: &mut Vec<B>) {
        let count = self.candidates.len();
        neighbours.clear();
        let nobody = B::empty(count);
        neighbours.resize(count, nobody.clone());
        for (place, &node) in self.candidates.iter().enumerate() {
            places[node as usize] = place as u32;
        }
        let last = self.candidates.last().copied().unwrap_or(0);
        for (place, &node) in self.candidates.iter().enumerate() {
            let mut row = nobody.clone();
            for &later in self.task.graph.later(node).iter().take_while(|&&later| later <= last) {
                let other = places[later as usize];
                row.insert_if(other != NOWHERE, other as usize);
            }
            for other in row.iter() {
                neighbours[place].insert(other);
                neighbours[other].insert(place);
            }
        }
        for &node in self.candidates {
            places[node as usize] = NOWHERE;
        }
    }
}
