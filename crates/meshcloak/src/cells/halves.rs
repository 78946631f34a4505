//! A part of the network in two, both connected, as equal as its streets allow.
//!
//! First by levels: with *a* and *b* two far ends of the part, streets in order of `d(a) − d(b)`.
//! Whoever is before somebody on the way from *a* has no larger value, so every beginning of that
//! order hangs together, and so does every end. Streets of one value stay together. Where that is
//! not balanced (stars, long dead ends), a branch of the tree of ways from *a* is cut off.

use super::network::Network;
use super::spread::{NONE, Spread};
use std::cmp::Reverse;

/// Halves parts of a network, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Halves {
    spreads: [Spread; 2],
    levels: Vec<(i64, u32)>,
    /// By node, the weight of all that is reached through it.
    below: Vec<u64>,
    /// By node, whether it is on the first side.
    first: Vec<bool>,
}

/// Where to cut a part that was put in order, and the weight before the cut.
#[derive(Clone, Copy)]
struct Cut {
    place: usize,
    weight: u64,
}

/// The weights of a part, of a good cell, and of a cell that is not too small.
#[derive(Clone, Copy)]
struct Sizes {
    total: u64,
    target: u64,
}

impl Sizes {
    fn allow(self, cut: Cut) -> bool {
        2 * cut.weight.min(self.total - cut.weight) >= self.target
    }

    /// How many cells there should be on the smaller side, and on both.
    fn cells(self) -> (u64, u64) {
        let cells = (2 * self.total + self.target) / (2 * self.target);
        (cells / 2, cells)
    }

    /// How far a cut is from giving whole numbers of cells.
    fn miss(self, weight: u64) -> u64 {
        let (small, cells) = self.cells();
        let ideal = (u128::from(self.total) * u128::from(small) / u128::from(cells)) as u64;
        weight.abs_diff(ideal).min(weight.abs_diff(self.total - ideal))
    }
}

impl Halves {
    pub(super) fn new(network: &Network) -> Halves {
        let nodes = network.node_count();
        Halves {
            spreads: [Spread::new(network), Spread::new(network)],
            levels: Vec::new(),
            below: vec![0; nodes],
            first: vec![false; nodes],
        }
    }

    /// The streets that hang together with one, ascending.
    pub(super) fn connected(&mut self, network: &Network, street: u32) -> Vec<u32> {
        self.spreads[0].run(network, street);
        let nodes = self.spreads[0].order().iter().copied();
        let mut streets: Vec<u32> = nodes.filter(|&node| network.is_street(node)).collect();
        streets.sort_unstable();
        streets
    }

    /// Puts a connected part into an order in which it can be cut, and says where; `None` if it
    /// is better left whole: it weighs less than one and a half cells, or every cut that was
    /// found leaves less than half a cell on one side.
    pub(super) fn split(
        &mut self,
        network: &Network,
        part: &mut [u32],
        target: u64,
    ) -> Option<usize> {
        let sizes = Sizes { total: network.weigh(part), target };
        if part.len() < 2 || 2 * sizes.total < 3 * target {
            return None;
        }
        let by_level = self.by_level(network, part, sizes);
        if sizes.allow(by_level) && 6 * sizes.miss(by_level.weight) <= sizes.total {
            return Some(by_level.place);
        }
        let by_branch = self.by_branch(network, part, sizes);
        if let Some(cut) = by_branch.filter(|&cut| sizes.allow(cut)) {
            return Some(cut.place);
        }
        part.copy_from_slice(&self.levels.iter().map(|level| level.1).collect::<Vec<u32>>());
        sizes.allow(by_level).then_some(by_level.place)
    }

    /// The part in order of levels, and the best cut between two of them.
    fn by_level(&mut self, network: &Network, part: &mut [u32], sizes: Sizes) -> Cut {
        let [b, a] = &mut self.spreads;
        b.run(network, part[0]);
        a.run(network, b.farthest(network));
        b.run(network, a.farthest(network));
        let level = |street: u32| a.distance(street) as i64 - b.distance(street) as i64;
        self.levels.clear();
        self.levels.extend(part.iter().map(|&street| (level(street), street)));
        self.levels.sort_unstable();
        let mut best = Cut { place: 0, weight: 0 };
        let mut weight = 0;
        for (place, &(level, street)) in self.levels.iter().enumerate() {
            let new = place > 0 && self.levels[place - 1].0 != level;
            if new && (best.place == 0 || sizes.miss(weight) < sizes.miss(best.weight)) {
                best = Cut { place, weight };
            }
            part[place] = street;
            weight += network.weight(street);
        }
        best
    }

    /// Branches at one terminal of the tree of ways, together as near to half as they can be, and
    /// then the others. If no street weighs more than a third, no side weighs less than a third.
    fn by_branch(&mut self, network: &Network, part: &mut [u32], sizes: Sizes) -> Option<Cut> {
        let Halves { spreads: [_, tree], below, first, .. } = self;
        for &node in tree.order() {
            below[node as usize] = network.weight(node);
            first[node as usize] = false;
        }
        let mut fork = None;
        for &node in tree.order().iter().rev() {
            if !network.is_street(node) && 3 * below[node as usize] >= sizes.total {
                fork = Some(node);
                break;
            }
            if tree.from(node) != NONE {
                below[tree.from(node) as usize] += below[node as usize];
            }
        }
        let weight = take_branches(network, tree, (below, first), (fork?, part[0], sizes.total));
        for &node in tree.order() {
            let from = tree.from(node);
            first[node as usize] |= from != NONE && first[from as usize];
        }
        part.sort_unstable_by_key(|&street| (!first[street as usize], street));
        let place = part.partition_point(|&street| first[street as usize]);
        Some(Cut { place, weight })
    }
}

/// Marks branches at a fork, heavy ones first, while that brings their weight nearer to half.
fn take_branches(
    network: &Network,
    tree: &Spread,
    (below, first): (&[u64], &mut [bool]),
    (fork, sample, total): (u32, u32, u64),
) -> u64 {
    let branches = network.beside(fork).iter().copied();
    let hers =
        |&street: &u32| network.part(street) == network.part(sample) && tree.from(street) == fork;
    let mut branches: Vec<u32> = branches.filter(hers).collect();
    branches.sort_unstable_by_key(|&street| (Reverse(below[street as usize]), street));
    branches.dedup();
    let mut weight = 0;
    for street in branches {
        let more = weight + below[street as usize];
        if (2 * more).abs_diff(total) < (2 * weight).abs_diff(total) {
            first[street as usize] = true;
            weight = more;
        }
    }
    weight
}
