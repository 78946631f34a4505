//! Offers of both bit-set widths equal those of a reference on lists of nodes. Declared under
//! `#[cfg(test)]` in `local_search.rs`.

use super::*;
use crate::constraint_graph::ConstraintGraph;
use crate::grouping::{FULL_WORTH, Grouping};
use crate::town::Town;
use rand::RngExt as _;

/// Reference for [`PoolOffers`]: sets are lists of nodes in clique order, every pair is looked up.
struct Reference<'a> {
    problem: Problem<'a>,
    groups: &'a Groups,
    nodes: &'a [u32],
}

impl Reference<'_> {
    fn group_of(&self, node: u32) -> u32 {
        self.groups.group_of[node as usize]
    }

    /// Nodes of `set` that `start` leads to along `arrow`.
    fn closure(set: &[u32], start: u32, arrow: impl Fn(u32, u32) -> bool) -> Vec<u32> {
        let mut found = vec![start];
        let mut next = 0;
        while let Some(&a) = found.get(next) {
            next += 1;
            let new = |b: &&u32| arrow(a, **b) && !found.contains(b);
            let new: Vec<u32> = set.iter().filter(new).copied().collect();
            found.extend(new);
        }
        found
    }

    /// Nodes of `set` whose k is met in their component.
    fn satisfied(&self, set: &[u32]) -> Vec<u32> {
        let graph = self.problem.graph;
        let (mut rest, mut satisfied) = (set.to_vec(), Vec::new());
        while let Some(&seed) = rest.first() {
            let to = Self::closure(&rest, seed, |a, b| graph.counts(a, b));
            let component = Self::closure(&to, seed, |a, b| graph.counts(b, a));
            let is_met = |a: &u32| {
                let have = component.iter().filter(|&&b| graph.counts(*a, b)).count();
                have >= self.problem.demands.k(*a) as usize
            };
            satisfied.extend(component.iter().copied().filter(is_met));
            rest.retain(|node| !component.contains(node));
        }
        set.iter().copied().filter(|node| satisfied.contains(node)).collect()
    }

    fn pruned(&self, mut set: Vec<u32>) -> Vec<u32> {
        loop {
            let satisfied = self.satisfied(&set);
            if satisfied == set {
                return set;
            }
            set = satisfied;
        }
    }

    fn free_worth(&self, set: &[u32]) -> i64 {
        let free = set.iter().filter(|&&node| self.group_of(node) == FREE);
        free.map(|&node| self.problem.demands.worth(node)).sum()
    }

    /// Removes the nodes of `set` that match, if the same free nodes are still served.
    fn without(&self, set: Vec<u32>, matches: impl Fn(u32) -> bool) -> Vec<u32> {
        let rest = set.iter().copied().filter(|&node| !matches(node)).collect();
        let trial = self.pruned(rest);
        let free = |set: &[u32]| set.iter().filter(|&&node| self.group_of(node) == FREE).count();
        if free(&trial) == free(&set) { trial } else { set }
    }

    /// Groups with members in the clique, in clique order.
    fn touched(&self) -> Vec<u32> {
        let mut touched = Vec::new();
        for group in self.nodes.iter().map(|&node| self.group_of(node)) {
            if group != FREE && !touched.contains(&group) {
                touched.push(group);
            }
        }
        touched
    }

    fn is_inside(&self, group: u32) -> bool {
        self.groups.members[group as usize].iter().all(|node| self.nodes.contains(node))
    }

    /// Members of `group` in the clique that the group can lose one after the other.
    fn spare(&self, group: u32) -> Vec<u32> {
        let mut remaining = self.groups.members[group as usize].clone();
        let mut spare = Vec::new();
        for &node in self.nodes.iter().filter(|&&node| self.group_of(node) == group) {
            let others: Vec<u32> = remaining.iter().copied().filter(|&a| a != node).collect();
            if self.satisfied(&others) == others {
                spare.push(node);
                remaining = others;
            }
        }
        spare
    }

    /// Worth of the members that the groups of taken nodes lose in addition.
    fn cost(&self, taken: &[u32]) -> i64 {
        let groups = self.touched().into_iter().filter(|&group| !self.is_inside(group));
        let lost = groups.map(|group| {
            let members = &self.groups.members[group as usize];
            let rest: Vec<u32> = members.iter().copied().filter(|a| !taken.contains(a)).collect();
            let kept = self.pruned(rest.clone());
            let dropped = rest.iter().filter(|node| !kept.contains(node));
            dropped.map(|&node| self.problem.demands.worth(node)).sum::<i64>()
        });
        lost.sum()
    }

    /// Gain and members of the offer of a pool.
    fn offer(
        &self,
        pool: impl Fn(u32) -> bool,
        base: &[u32],
        best: i64,
    ) -> Option<(i64, Vec<u32>)> {
        let pool = self.nodes.iter().copied().filter(|&node| pool(node)).collect();
        let mut set = self.pruned(pool);
        let served = self.free_worth(&set);
        if served <= best {
            return None;
        }
        for group in self.touched().into_iter().filter(|&group| self.is_inside(group)) {
            set = self.without(set, |node| self.group_of(node) == group);
        }
        for taken in set.clone().into_iter().filter(|node| !base.contains(node)) {
            if set.contains(&taken) {
                set = self.without(set, |node| node == taken);
            }
        }
        let gain = served - self.cost(&set);
        (gain > best).then_some((gain, set))
    }

    fn best_offer(&self) -> Vec<u32> {
        let in_base = |node: u32| {
            let group = self.group_of(node);
            group == FREE || self.is_inside(group)
        };
        let base: Vec<u32> = self.nodes.iter().copied().filter(|&node| in_base(node)).collect();
        let mut best = self.offer(in_base, &base, 0).unwrap_or_default();
        let served = self.pruned(base.clone());
        let mut free = self.nodes.iter().filter(|&&node| self.group_of(node) == FREE);
        if free.all(|node| served.contains(node)) {
            return best.1;
        }
        let partly: Vec<u32> =
            self.touched().into_iter().filter(|&group| !self.is_inside(group)).collect();
        let spare: Vec<u32> = partly.iter().flat_map(|&group| self.spare(group)).collect();
        for group in [FREE].into_iter().chain(partly) {
            let pool =
                |node: u32| in_base(node) || spare.contains(&node) || self.group_of(node) == group;
            best = self.offer(pool, &base, best.0).unwrap_or(best);
        }
        best.1
    }
}

#[test]
fn offers_of_one_word_and_of_many_words_equal_the_reference() {
    let (mut offers, mut none, mut large) = (0, 0, 0);
    for seed in 0..60 {
        let mut random = Town::generator(seed);
        let (nodes, reach) = [(120, 12), (160, 30), (300, 120)][seed as usize % 3];
        let graph = ConstraintGraph::from_fn(nodes, |a, b| b - a <= reach && (a * b) % 7 != 3);
        let k: Vec<u32> = (0..nodes).map(|_| random.random_range(2..=9)).collect();
        let worth: Vec<u32> = (0..nodes).map(|_| random.random_range(1..=FULL_WORTH)).collect();
        let counting = |_: u32, _: &[u32], flags: &mut [bool]| {
            flags.iter_mut().for_each(|flag| *flag = random.random_bool(0.6));
            random.random_bool(0.9)
        };
        let mut grouping = Grouping::default();
        let demands = Demands { k: &k, worth: &worth, roles: &[] };
        grouping.survey(&graph, demands, &mut [Box::new(counting)], 300);
        let Grouping { neighbours, cliques, search, .. } = &mut grouping;
        let problem = Problem { graph: neighbours, cliques, demands };
        let mut many_words = PoolOffers::default();
        search.begin(problem);
        while let Some(clique) = search.queue.pop_front() {
            search.is_queued[clique as usize] = false;
            let offered = search.find_offer(problem, clique);
            let what = format!("seed {seed}, clique {clique}");
            let wide = many_words.best_offer_of_many_words(problem, clique, &search.groups);
            assert_eq!(search.members, wide, "{what}");
            let (groups, nodes) = (&search.groups, problem.cliques.nodes(clique));
            assert_eq!(wide, Reference { problem, groups, nodes }.best_offer(), "{what}");
            large += usize::from(nodes.len() > 64);
            if offered {
                offers += 1;
                search.accept(problem);
                assert_groups_are_satisfied(problem, &search.groups, &what);
            } else {
                none += 1;
            }
        }
    }
    assert!(offers > 500 && none > 500 && large > 50, "{offers} {none} {large}");
}

fn assert_groups_are_satisfied(problem: Problem<'_>, groups: &Groups, what: &str) {
    let reference = Reference { problem, groups, nodes: &[] };
    for (group, members) in (0..).zip(&groups.members[..groups.used]) {
        assert_eq!(reference.satisfied(members), *members, "{what}, group {group}");
        assert!(members.iter().all(|&node| groups.group_of[node as usize] == group), "{what}");
    }
}
