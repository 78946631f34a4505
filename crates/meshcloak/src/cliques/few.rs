//! Branch and bound among few later neighbours, as nearly all searches are: what [`Branch`] does,
//! step for step, with sets of one small word and without room to fetch.
//!
//! [`Branch`]: super::branch::Branch

use super::branch::EASY;
use super::found::Largest;

/// So many candidates are few.
pub(super) const MOST: usize = 16;

/// A search within the later neighbours of one node, and how far it has come.
pub(super) struct Few<'a> {
    pub(super) root: u32,
    pub(super) candidates: &'a [u32],
    /// Of each candidate the neighbours among them, and itself.
    pub(super) rows: [u16; MOST],
    pub(super) bars: Bars,
    pub(super) largest: &'a mut Largest,
    pub(super) steps: u32,
    pub(super) budget: u32,
}

/// The sizes that a clique must exceed to be of use to the nodes of a search.
pub(super) struct Bars {
    root: u8,
    candidates: [u8; MOST],
}

impl Bars {
    /// The bars of a root and its candidates, should a clique of all of them be of use to any.
    #[inline]
    pub(super) fn passed(largest: &Largest, root: u32, nodes: &[u32]) -> Option<Bars> {
        let mut bars = Bars { root: largest.bar(root), candidates: [0; MOST] };
        let mut least = bars.root;
        for (place, &node) in nodes.iter().enumerate() {
            let bar = largest.bar(node);
            bars.candidates[place % MOST] = bar;
            least = least.min(bar);
        }
        (usize::from(least) <= nodes.len()).then_some(bars)
    }

    /// A clique must be larger than this to be of use to the root or any of these.
    fn least(&self, places: u32) -> u32 {
        let bars = ones(places).map(|place| self.candidates[place]);
        u32::from(bars.fold(self.root, u8::min))
    }
}

/// The places in a set, ascending.
#[inline]
fn ones(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (set != 0).then(|| set.trailing_zeros() as usize % MOST);
        set &= set.wrapping_sub(1);
        place
    })
}

impl Few<'_> {
    /// Looks for all cliques that are of use.
    #[inline]
    pub(super) fn search(&mut self) {
        self.grow(0, 1, (1 << self.candidates.len()) - 1);
    }

    #[inline]
    fn row(&self, place: usize) -> u32 {
        u32::from(self.rows[place])
    }

    /// Looks for cliques that extend the present one, of `size` with the root, by some of `open`,
    /// all of which are adjacent to all of it.
    fn grow(&mut self, clique: u32, size: u32, open: u32) {
        self.steps += 1;
        if self.steps > self.budget {
            self.keep(clique, size);
            return;
        }
        // Adjacent to all others is whoever is in the rows of all.
        let (mut universal, mut most) = (open, size);
        for place in ones(open) {
            universal &= self.row(place);
            most += 1;
        }
        if universal == open {
            self.keep(clique | open, most);
            return;
        }
        let least = self.bars.least(clique | open);
        if most <= least {
            return;
        }
        let (clique, size) = (clique | universal, size + universal.count_ones());
        let (mut rest, mut pivot, mut fewest, mut may_improve) = (0, 0, u32::MAX, false);
        for place in ones(open & !universal) {
            let missed = (open & !self.row(place)).count_ones();
            if most - missed > least {
                rest |= 1 << place;
                may_improve |= u32::from(self.bars.candidates[place]) < most - missed;
                if missed < fewest {
                    (pivot, fewest) = (place, missed);
                }
            }
        }
        if rest == 0 {
            self.keep(clique, size);
            return;
        }
        if !may_improve && self.bars.least(clique) >= most - fewest {
            return;
        }
        let branches = self.branches(rest, pivot, least.saturating_sub(size));
        let first = branches & 1 << pivot;
        for next in ones(first).chain(ones(branches & !first)) {
            if self.steps > self.budget {
                return;
            }
            rest &= !(1 << next);
            self.grow(clique | 1 << next, size + 1, rest & self.row(next));
        }
    }

    /// Whom of `open` to step into: a maximal clique has the pivot, or somebody who is not its
    /// neighbour; one of more than so many `colours` has somebody whom they leave over.
    fn branches(&self, open: u32, pivot: usize, colours: u32) -> u32 {
        let branches = open & !self.row(pivot) | 1 << pivot;
        if self.steps > EASY {
            let beyond = self.beyond_colours(open, colours);
            if beyond.count_ones() < branches.count_ones() {
                return beyond;
            }
        }
        branches
    }

    /// Whom of `open` so many colours leave over.
    fn beyond_colours(&self, open: u32, colours: u32) -> u32 {
        let mut rest = open;
        for _ in 0..colours {
            let mut free = rest;
            while free != 0 {
                let place = free.trailing_zeros() as usize % MOST;
                rest &= !(1 << place);
                free &= !self.row(place);
            }
        }
        rest
    }

    /// Keeps a clique if it is of use to any of its nodes.
    fn keep(&mut self, clique: u32, size: u32) {
        let number = self.largest.clique_count() as u32;
        let bar = size as u8;
        let mut kept = self.bars.root < bar;
        if kept {
            self.bars.root = bar;
            self.largest.give(self.root, size, number);
        }
        let (mut members, mut count) = ([0; MOST], 0);
        for place in ones(clique) {
            let node = self.candidates[place];
            members[count % MOST] = node;
            count += 1;
            if self.bars.candidates[place] < bar {
                self.bars.candidates[place] = bar;
                self.largest.give(node, size, number);
                kept = true;
            }
        }
        if kept {
            self.largest.close(self.root, &members, size);
        }
    }
}
