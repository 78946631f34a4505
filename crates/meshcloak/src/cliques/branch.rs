//! Branch and bound among the later neighbours of one node, as sets of bits.

use super::bits::Bits;
use super::found::Largest;

/// A search within the later neighbours of one node, and how far it has come.
pub(super) struct Branch<'a, B> {
    pub(super) candidates: &'a [u32],
    pub(super) root: u32,
    pub(super) neighbours: &'a [B],
    pub(super) sizes: &'a mut [u32],
    pub(super) root_size: u32,
    pub(super) largest: &'a mut Largest,
    pub(super) wanted: &'a [u16],
    pub(super) steps: u32,
    pub(super) budget: u32,
}

/// What is open when those adjacent to all of it are taken.
struct Rest {
    /// Who misses fewest of the others.
    pivot: usize,
    /// Whether somebody might get a larger clique than she has: one with a node of the rest has at
    /// most its neighbours.
    may_improve: bool,
}

/// How many words of bits a step may look at.
const WORDS_OF_A_STEP: u32 = 256;

/// After this many steps a search is hard enough for the better bound to be worth its cost.
pub(super) const EASY: u32 = 24;

impl<B: Bits> Branch<'_, B> {
    /// Looks for cliques that extend the present one, of `size` with the root, by some of `open`,
    /// all of which are adjacent to all of it.
    pub(super) fn grow(&mut self, mut clique: B, mut size: u32, mut open: B) {
        let count = open.count();
        // A step among many candidates counts as the many small ones that it costs.
        let words = self.candidates.len().div_ceil(64) as u32;
        self.steps += 1 + count * words / WORDS_OF_A_STEP;
        if count == 0 || self.steps > self.budget {
            self.keep(&clique, size);
            return;
        }
        let least = self.least(&clique, &open);
        if size + count <= least {
            return;
        }
        let rest = self.take_universal(&mut clique, &mut size, &mut open, least);
        let Some(Rest { pivot, may_improve }) = rest else {
            self.keep(&clique, size); // all were adjacent to one another
            return;
        };
        if !may_improve {
            return;
        }
        // A maximal clique has the pivot, or somebody who is not its neighbour.
        let mut branches = open.without(&self.neighbours[pivot]);
        if self.steps > EASY {
            let beyond = self.beyond_colours(&open, least.saturating_sub(size));
            if beyond.count() < branches.count() {
                branches = beyond;
            }
        }
        if branches.has(pivot) {
            branches.remove(pivot);
            self.step_into(pivot, &clique, size, &mut open);
        }
        for next in branches.iter() {
            if self.steps > self.budget {
                return;
            }
            self.step_into(next, &clique, size, &mut open);
        }
    }

    /// Moves the nodes that are adjacent to all others of `open` into the clique: every largest one
    /// has them. Those with too few neighbours for a clique of more than `least` are dropped. Tells
    /// of the rest, if there is one.
    fn take_universal(
        &self,
        clique: &mut B,
        size: &mut u32,
        open: &mut B,
        least: u32,
    ) -> Option<Rest> {
        let (mut pivot, mut fewest, mut may_improve) = (None, u32::MAX, false);
        let all = open.clone();
        let most = *size + all.count() + 1;
        for place in all.iter() {
            let missed = all.count_without(&self.neighbours[place]);
            if missed == 1 {
                clique.insert(place); // only herself
                open.remove(place);
                *size += 1;
                continue;
            }
            if most - missed <= least {
                open.remove(place);
                continue;
            }
            may_improve |= self.sizes[place] < most - missed;
            if missed < fewest {
                (pivot, fewest) = (Some(place), missed);
            }
        }
        let smaller = |size: u32| size < most.saturating_sub(fewest);
        may_improve |=
            smaller(self.root_size) || clique.iter().any(|place| smaller(self.sizes[place]));
        pivot.map(|pivot| Rest { pivot, may_improve })
    }

    /// Takes `next` into the clique, looks further, and sets it aside.
    fn step_into(&mut self, next: usize, clique: &B, size: u32, open: &mut B) {
        let mut larger = clique.clone();
        larger.insert(next);
        self.grow(larger, size + 1, open.common(&self.neighbours[next]));
        open.remove(next);
    }

    /// A clique must be larger than this to be of use to any of these nodes.
    fn least(&self, clique: &B, open: &B) -> u32 {
        let places = open.iter().chain(clique.iter());
        places.map(|place| self.sizes[place]).fold(self.root_size, u32::min)
    }

    /// Whom of `open` so many colours leave over. Each colour is a set of nodes without an edge,
    /// taken greedily: so a clique of more nodes than there are colours has one that is left over.
    fn beyond_colours(&self, open: &B, colours: u32) -> B {
        let mut rest = open.clone();
        for _ in 0..colours {
            let mut free = rest.clone();
            while let Some(place) = free.first() {
                free.remove(place);
                rest.remove(place);
                free = free.without(&self.neighbours[place]);
            }
        }
        rest
    }

    fn keep(&mut self, clique: &B, size: u32) {
        for place in clique.iter() {
            self.sizes[place] = self.sizes[place].max(size);
        }
        self.root_size = self.root_size.max(size);
        let nodes = clique.iter().map(|place| self.candidates[place]);
        self.largest.keep(std::iter::once(self.root).chain(nodes), self.wanted);
    }
}
