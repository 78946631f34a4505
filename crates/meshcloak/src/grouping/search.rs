//! Local search for disjoint groups that are worth most: each bin in turn is asked for a group
//! that serves more than it costs, from people who are free, from groups that lie in the bin
//! (the union of two groups in one clique is a group), and from others' groups.
//!
//! Every change raises the worth of what is served, so the search ends; and when no bin has
//! anything left to offer, no set of free people could be published, or be added to a group.

use super::bins::Bins;
pub(super) use super::groups::{FREE, Groups};
use super::levels::Levels;
use super::neighbours::Neighbours;
use super::pools::Pools;
use std::cmp::Reverse;
use std::collections::VecDeque;

/// What each node wants, and what it is worth to serve it now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wishes<'a> {
    pub(super) k: &'a [u32],
    pub(super) worth: &'a [u32],
}

impl Wishes<'_> {
    #[inline]
    pub(super) fn k(&self, node: u32) -> u32 {
        self.k[node as usize]
    }

    #[inline]
    pub(super) fn worth(&self, node: u32) -> i64 {
        i64::from(self.worth[node as usize])
    }
}

/// What a search is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene<'a> {
    pub(super) graph: &'a Neighbours,
    pub(super) bins: &'a Bins,
    pub(super) wishes: Wishes<'a>,
}

/// Room for searches.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    pub(super) groups: Groups,
    queue: VecDeque<u32>,
    queued: Vec<bool>,
    order: Vec<(Reverse<i64>, u32)>,
    levels: Levels,
    pools: Pools,
    shrunk: Vec<u32>,
    dropped: Vec<u32>,
    members: Vec<u32>,
    pub(super) steps: u64,
    pub(super) truncated: bool,
}

/// A bin is looked at so many times on average, at most.
const LOOKS: u64 = 64;

/// A group of those left over is not made larger than this.
const MOST_SWEPT: usize = 64;

impl Search {
    /// Finds groups.
    pub(super) fn run(&mut self, scene: Scene<'_>) {
        self.begin(scene);
        self.settle(scene);
        if self.truncated || scene.bins.truncated() {
            self.sweep(scene);
        }
    }

    fn begin(&mut self, Scene { graph, bins, wishes }: Scene<'_>) {
        let nodes = graph.len();
        self.groups.begin(nodes);
        self.levels.begin(nodes);
        self.pools.begin();
        (self.steps, self.truncated) = (0, false);
        self.queued.clear();
        self.queued.resize(bins.len(), true);
        // First those whose members are worth most on average: who can hardly wait.
        self.order.clear();
        self.order.extend((0..bins.len() as u32).map(|bin| {
            let nodes = bins.nodes(bin);
            let worth: i64 = nodes.iter().map(|&node| wishes.worth(node)).sum();
            (Reverse(worth / nodes.len() as i64), bin)
        }));
        self.order.sort_unstable();
        self.queue.clear();
        self.queue.extend(self.order.iter().map(|&(_, bin)| bin));
    }

    /// Looks at every bin in the queue until none has anything to offer.
    fn settle(&mut self, scene: Scene<'_>) {
        let most = LOOKS * scene.bins.len() as u64;
        while let Some(bin) = self.queue.pop_front() {
            self.queued[bin as usize] = false;
            self.steps += 1;
            if self.steps > most {
                self.truncated = true;
                return;
            }
            if self.look(scene, bin) {
                self.carry_out(scene);
            }
        }
    }

    /// Whether a bin has a group to offer by which something is gained; notes its members.
    fn look(&mut self, scene: Scene<'_>, bin: u32) -> bool {
        let found = match scene.graph.everyone_counts() {
            true => self.levels.look(scene, bin, &self.groups),
            false => self.pools.look(scene, bin, &self.groups),
        };
        self.members.clear();
        self.members.extend_from_slice(found.unwrap_or(&[]));
        found.is_some()
    }

    /// Where bins were left out: each who is still free gathers those around her who are free.
    fn sweep(&mut self, scene: Scene<'_>) {
        let Scene { graph, wishes, .. } = scene;
        for node in 0..graph.len() as u32 {
            if self.groups.group_of[node as usize] != FREE {
                continue;
            }
            self.members.clear();
            self.members.push(node);
            for &other in graph.of(node) {
                let adjacent = |&member: &u32| graph.of(member).binary_search(&other).is_ok();
                let free = self.groups.group_of[other as usize] == FREE;
                if free && self.members.iter().all(adjacent) {
                    self.members.push(other);
                }
                if self.members.len() == MOST_SWEPT {
                    break;
                }
            }
            let members = &mut self.members;
            let have =
                |members: &[u32], a: u32| members.iter().filter(|&&b| graph.counts(a, b)).count();
            let misses = |members: &[u32], a: u32| have(members, a) < wishes.k(a) as usize;
            while let Some(place) = members.iter().position(|&a| misses(members, a)) {
                members.swap_remove(place);
            }
            if !self.members.is_empty() {
                self.carry_out(scene);
            }
        }
        self.queue.clear();
    }

    /// Makes `members` a group; other groups lose them, and whoever then misses someone.
    fn carry_out(&mut self, scene: Scene<'_>) {
        let Scene { bins, wishes, .. } = scene;
        let groups = &mut self.groups;
        let group = groups.open();
        self.shrunk.clear();
        for &node in &self.members {
            let old = std::mem::replace(&mut groups.group_of[node as usize], group);
            if old != FREE && !self.shrunk.contains(&old) {
                self.shrunk.push(old);
            }
        }
        for &old in &self.shrunk {
            groups.shrink(old, scene, &mut self.dropped);
        }
        let members = &mut groups.members[group as usize];
        members.extend_from_slice(&self.members);
        members.sort_unstable_by_key(|&node| (Reverse(wishes.k(node)), node));
        groups.count(group, scene.graph);
        let shrunk = self.shrunk.iter().flat_map(|&group| &groups.members[group as usize]);
        for &node in self.members.iter().chain(&self.dropped).chain(shrunk) {
            for &bin in bins.of(node) {
                if !std::mem::replace(&mut self.queued[bin as usize], true) {
                    self.queue.push_back(bin);
                }
            }
        }
        self.dropped.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint_graph::ConstraintGraph;
    use crate::grouping::{FULL_WORTH, Grouping};
    use crate::town::Town;
    use rand::RngExt as _;

    #[test]
    fn words_offer_what_pools_of_any_size_do() {
        let (mut offers, mut none, mut large) = (0, 0, 0);
        for seed in 0..60 {
            let mut random = Town::generator(seed);
            let (nodes, reach) = [(120, 12), (160, 30), (300, 120)][seed as usize % 3];
            let graph = ConstraintGraph::from_fn(nodes, |a, b| b - a <= reach && (a * b) % 7 != 3);
            let k: Vec<u32> = (0..nodes).map(|_| random.random_range(2..=9)).collect();
            let worth: Vec<u32> = (0..nodes).map(|_| random.random_range(1..=FULL_WORTH)).collect();
            let past = |_: u32, _: &[u32], counts: &mut [bool]| {
                counts.iter_mut().for_each(|counts| *counts = random.random_bool(0.6));
                random.random_bool(0.9)
            };
            let mut grouping = Grouping::default();
            grouping.survey(&graph, &k, &mut [Box::new(past)], 300);
            let Grouping { neighbours, bins, search } = &mut grouping;
            let scene = Scene { graph: neighbours, bins, wishes: Wishes { k: &k, worth: &worth } };
            let mut twin = Pools::default();
            search.begin(scene);
            while let Some(bin) = search.queue.pop_front() {
                search.queued[bin as usize] = false;
                let offered = search.look(scene, bin);
                let expected = twin.look_at_many(scene, bin, &search.groups).unwrap_or(&[]);
                assert_eq!(search.members, expected, "seed {seed}, bin {bin}");
                large += usize::from(scene.bins.nodes(bin).len() > 64);
                if offered {
                    offers += 1;
                    search.carry_out(scene);
                } else {
                    none += 1;
                }
                for (node, &group) in (0..).zip(&search.groups.group_of) {
                    let counting = |&&other: &&u32| scene.graph.counts(node, other);
                    if group != FREE {
                        let members = search.groups.members[group as usize].iter();
                        let have = members.filter(counting).count() as u32;
                        assert_eq!(search.groups.have[node as usize], have, "seed {seed} {node}");
                    }
                }
            }
        }
        assert!(offers > 500 && none > 500 && large > 50, "{offers} {none} {large}");
    }
}
