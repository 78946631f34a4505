//! Splits a part of the network into two connected parts of about equal weight.
//!
//! First by level: with *a* and *b* two distant streets of the part, streets are sorted by
//! `d(a) − d(b)`. The predecessor of a street on its shortest path from *a* has no larger value, so
//! every prefix of that order is connected, and by symmetry every suffix. Streets of equal value are
//! not separated. If the best such cut is not balanced (stars, long dead ends), branches of the
//! shortest-path tree from *a* are cut off instead.

use super::network::Network;
use super::shortest_path_tree::{NO_PARENT, ShortestPathTree};
use std::cmp::Reverse;

/// Scratch buffers for splitting parts.
#[derive(Clone, Debug)]
pub(super) struct Bisection {
    trees: [ShortestPathTree; 2],
    /// Level and street, sorted.
    levels: Vec<(i64, u32)>,
    /// Weight of the subtree of each node.
    subtree: Vec<u64>,
    /// Whether each node is on the first side.
    is_first: Vec<bool>,
}

/// A cut of a sorted part: index of the first street after it, and the weight before it.
#[derive(Clone, Copy)]
struct Cut {
    index: usize,
    weight: u64,
}

/// Weight of a part, and target weight of a cell.
#[derive(Clone, Copy)]
struct PartWeights {
    total: u64,
    target: u64,
}

impl PartWeights {
    /// Returns whether both sides of a cut have at least half the target weight.
    fn allow(self, cut: Cut) -> bool {
        2 * cut.weight.min(self.total - cut.weight) >= self.target
    }

    /// Returns the ideal number of cells on the smaller side, and on both sides.
    fn cells(self) -> (u64, u64) {
        let cells = (2 * self.total + self.target) / (2 * self.target);
        (cells / 2, cells)
    }

    /// Returns the deviation of a cut from whole numbers of cells.
    fn deviation(self, weight: u64) -> u64 {
        let (small, cells) = self.cells();
        let ideal = (u128::from(self.total) * u128::from(small) / u128::from(cells)) as u64;
        weight.abs_diff(ideal).min(weight.abs_diff(self.total - ideal))
    }
}

impl Bisection {
    pub(super) fn new(network: &Network) -> Bisection {
        let nodes = network.node_count();
        Bisection {
            trees: [ShortestPathTree::default(), ShortestPathTree::default()],
            levels: Vec::new(),
            subtree: vec![0; nodes],
            is_first: vec![false; nodes],
        }
    }

    /// Returns the connected component of a street, ascending.
    pub(super) fn component(&mut self, network: &Network, street: u32) -> Vec<u32> {
        self.trees[0].grow(network, street);
        let nodes = self.trees[0].order().iter().copied();
        let mut streets: Vec<u32> = nodes.filter(|&node| network.is_street(node)).collect();
        streets.sort_unstable();
        streets
    }

    /// Sorts a connected part such that it can be cut, and returns the index of the cut. Returns
    /// `None` if it weighs less than one and a half cells, or if every cut found leaves less than
    /// half a cell on one side.
    pub(super) fn split(
        &mut self,
        network: &Network,
        part: &mut [u32],
        target: u64,
    ) -> Option<usize> {
        let weights = PartWeights { total: network.total_weight(part), target };
        if part.len() < 2 || 2 * weights.total < 3 * target {
            return None;
        }
        let by_level = self.by_level(network, part, weights);
        if weights.allow(by_level) && 6 * weights.deviation(by_level.weight) <= weights.total {
            return Some(by_level.index);
        }
        let by_branch = self.by_branch(network, part, weights);
        if let Some(cut) = by_branch.filter(|&cut| weights.allow(cut)) {
            return Some(cut.index);
        }
        for (street, level) in part.iter_mut().zip(&self.levels) {
            *street = level.1;
        }
        weights.allow(by_level).then_some(by_level.index)
    }

    /// Sorts the part by level and returns the best cut between two levels.
    fn by_level(&mut self, network: &Network, part: &mut [u32], weights: PartWeights) -> Cut {
        let [b, a] = &mut self.trees;
        b.grow(network, part[0]);
        a.grow(network, b.farthest(network));
        b.grow(network, a.farthest(network));
        let level = |street: u32| a.distance(street) as i64 - b.distance(street) as i64;
        self.levels.clear();
        self.levels.extend(part.iter().map(|&street| (level(street), street)));
        self.levels.sort_unstable();
        let mut best = Cut { index: 0, weight: 0 };
        let mut weight = 0;
        for (index, &(level, street)) in self.levels.iter().enumerate() {
            let is_new = index > 0 && self.levels[index - 1].0 != level;
            let is_better = || weights.deviation(weight) < weights.deviation(best.weight);
            if is_new && (best.index == 0 || is_better()) {
                best = Cut { index, weight };
            }
            part[index] = street;
            weight += network.weight(street);
        }
        best
    }

    /// Moves branches at one terminal of the shortest-path tree, together as close to half the weight
    /// as possible, to the front. If no street weighs more than a third, no side weighs less than a
    /// third.
    fn by_branch(
        &mut self,
        network: &Network,
        part: &mut [u32],
        weights: PartWeights,
    ) -> Option<Cut> {
        let Bisection { trees: [_, tree], subtree, is_first, .. } = self;
        for &node in tree.order() {
            subtree[node as usize] = network.weight(node);
            is_first[node as usize] = false;
        }
        let mut fork = None;
        for &node in tree.order().iter().rev() {
            if !network.is_street(node) && 3 * subtree[node as usize] >= weights.total {
                fork = Some(node);
                break;
            }
            if tree.parent(node) != NO_PARENT {
                subtree[tree.parent(node) as usize] += subtree[node as usize];
            }
        }
        let fork = fork?;
        let is_branch = |&street: &u32| {
            network.part(street) == network.part(part[0]) && tree.parent(street) == fork
        };
        let branches = network.adjacent(fork).iter().copied().filter(is_branch).collect();
        let (chosen, weight) = choose_branches(branches, subtree, weights.total);
        chosen.into_iter().for_each(|street| is_first[street as usize] = true);
        for &node in tree.order() {
            let parent = tree.parent(node);
            is_first[node as usize] |= parent != NO_PARENT && is_first[parent as usize];
        }
        part.sort_unstable_by_key(|&street| (!is_first[street as usize], street));
        let index = part.partition_point(|&street| is_first[street as usize]);
        Some(Cut { index, weight })
    }
}

/// Chooses branches, heavy ones first, while that brings their weight closer to half of `total`;
/// returns them and their weight.
fn choose_branches(mut branches: Vec<u32>, subtree: &[u64], total: u64) -> (Vec<u32>, u64) {
    branches.sort_unstable_by_key(|&street| (Reverse(subtree[street as usize]), street));
    branches.dedup();
    let mut weight = 0;
    branches.retain(|&street| {
        let heavier = weight + subtree[street as usize];
        let is_closer = (2 * heavier).abs_diff(total) < (2 * weight).abs_diff(total);
        if is_closer {
            weight = heavier;
        }
        is_closer
    });
    (branches, weight)
}
