//! Groups of crowds equal those of a reference on lists of nodes. Declared under `#[cfg(test)]` in
//! `crowds.rs`.

use super::*;
use crate::cliques::window::COMPARED;
use crate::grouping::{FULL_WORTH, Grouping, Role};
use crate::naive;
use crate::town::Town;
use rand::RngExt as _;

/// Nodes along a line, adjacent to those nearby, and what they demand.
struct Line {
    graph: ConstraintGraph,
    k: Vec<u32>,
    worth: Vec<u32>,
    roles: Vec<Role>,
    asks: Vec<bool>,
    /// Whether present nodes count for nodes that ask, and for present ones.
    present_counts: (bool, bool),
    /// Places that a node can reach: those up to that many nodes away. `None`: all.
    reach: Option<Vec<u32>>,
}

impl Line {
    /// Nodes have up to `3 * reach` neighbours on each side.
    fn new(seed: u64, nodes: u32, reach: u32) -> Line {
        let mut random = Town::generator(seed);
        let own: Vec<u32> = (0..nodes).map(|_| random.random_range(reach / 4..=reach)).collect();
        let is_near = |a: u32, b: u32| a.abs_diff(b) <= own[a as usize].min(own[b as usize]);
        let graph = ConstraintGraph::from_fn(nodes, |a, b| is_near(a, b) && (a * 7 + b) % 23 != 0);
        let max_k = if seed % 5 == 4 { 40 } else { 10 };
        let mut k: Vec<u32> = (0..nodes).map(|_| random.random_range(2..=10)).collect();
        k[nodes as usize / 2] = max_k;
        let worth = (0..nodes).map(|_| random.random_range(1..=FULL_WORTH)).collect();
        let asks: Vec<bool> =
            (0..nodes).map(|_| seed % 3 != 2 || random.random_bool(0.5)).collect();
        let present_counts = [(true, true), (false, true), (false, false)][seed as usize / 3 % 3];
        let role = |&asks: &bool| match asks {
            true => Role::ASKING,
            false => Role::present(present_counts.0, present_counts.1),
        };
        let roles = if seed % 3 == 2 { asks.iter().map(role).collect() } else { Vec::new() };
        let reach = (!seed.is_multiple_of(3)).then(|| {
            let one = |_| random.random_range(reach / 20..reach);
            (0..nodes).map(one).collect()
        });
        Line { graph: graph.reoriented(), k, worth, roles, asks, present_counts, reach }
    }

    fn demands(&self) -> Demands<'_> {
        Demands { k: &self.k, worth: &self.worth, roles: &self.roles }
    }

    /// Whether `b` is a place of `a`; every tenth node has left its own.
    fn counts(&self, a: u32, b: u32) -> bool {
        let is_near =
            |reach: &Vec<u32>| a.abs_diff(b) <= reach[a as usize] && (a != b || a % 10 != 3);
        self.reach.as_ref().is_none_or(is_near)
    }

    fn rules(&self) -> Vec<CountingRule<'_>> {
        let rule = |node: u32, neighbours: &[u32], counts: &mut [bool]| {
            for (&other, counts) in neighbours.iter().zip(counts) {
                *counts = self.counts(node, other);
            }
            self.counts(node, node)
        };
        let count = if self.reach.is_some() { rayon::current_num_threads() } else { 0 };
        (0..count).map(|_| Box::new(rule) as CountingRule<'_>).collect()
    }

    fn are_adjacent(&self, a: u32, b: u32) -> bool {
        self.graph.later(a).binary_search(&b).is_ok()
            || self.graph.later(b).binary_search(&a).is_ok()
    }

    /// The largest subset in which every k is met and a node asks.
    fn pruned(&self, mut set: Vec<u32>) -> Vec<u32> {
        loop {
            let places = naive::hiding_places(&set, &|a, b| self.counts(a, b));
            let (for_asking, for_present) = self.present_counts;
            let is_counted = |a: u32, b: u32| {
                let by_role = if self.asks[a as usize] { for_asking } else { for_present };
                self.asks[b as usize] || by_role
            };
            let is_met = |(&a, places): (&u32, &Vec<u32>)| {
                let counted = places.iter().filter(|&&b| is_counted(a, b)).count();
                self.counts(a, a) && counted >= self.k[a as usize] as usize
            };
            let kept = set.iter().zip(&places).filter(|&entry| is_met(entry));
            let kept: Vec<u32> = kept.map(|(&node, _)| node).collect();
            if kept.len() == set.len() {
                let has_asking = set.iter().any(|&node| self.asks[node as usize]);
                return if has_asking { set } else { Vec::new() };
            }
            set = kept;
        }
    }

    /// A greedy clique of nodes of `open`, ascending.
    fn clique(&self, mut open: Vec<u32>, max: usize) -> Vec<u32> {
        let mut clique = Vec::new();
        while clique.len() < max && !open.is_empty() {
            let asking = open.iter().copied().filter(|&node| self.asks[node as usize]);
            let asking: Vec<u32> = asking.collect();
            let choice = if asking.is_empty() { &open } else { &asking };
            let degree =
                |&&a: &&u32| open.iter().filter(|&&b| a != b && self.are_adjacent(a, b)).count();
            let next = *choice.iter().take(COMPARED).max_by_key(degree).expect("it has a node");
            clique.push(next);
            open.retain(|&node| node != next && self.are_adjacent(node, next));
        }
        clique.sort_unstable();
        clique
    }

    /// The rule by its definition.
    fn rule(&self) -> (usize, usize) {
        let edges: usize = (0..self.graph.len() as u32).map(|n| self.graph.later(n).len()).sum();
        let k: usize = self.k.iter().map(|&k| k as usize).sum();
        let sampled = (0..self.graph.len() as u32).step_by(16);
        let pairs: Vec<(u32, u32)> =
            sampled.flat_map(|a| self.graph.later(a).iter().map(move |&b| (a, b))).collect();
        let is_counted = |&&(a, b): &&(u32, u32)| self.counts(a, a) && self.counts(a, b);
        let counted = pairs.iter().filter(is_counted).count();
        let is_dense = edges * counted >= 5 * k * pairs.len();
        if is_dense { (40, 32) } else { (129, 96) }
    }

    /// Reference of [`Crowds::find`].
    fn groups(&self) -> Vec<Vec<u32>> {
        let (min_later, enough) = self.rule();
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for root in 0..self.graph.len() as u32 {
            let is_free = |node: &u32| !groups.iter().flatten().any(|other| other == node);
            let mut open: Vec<u32> = self.graph.later(root).to_vec();
            open.retain(is_free);
            let is_demanding = |node: &u32| self.k[*node as usize] > enough as u32 / 3;
            let is_root = is_free(&root) && self.asks[root as usize] && !is_demanding(&root);
            if !is_root || open.len() < min_later || open.iter().any(is_demanding) {
                continue;
            }
            let before = open.iter().filter(|&&node| node < root).count();
            let excess = open.len().saturating_sub(MAX_WINDOW);
            open.drain(..before.saturating_sub(MAX_WINDOW / 2).min(excess));
            open.truncate(MAX_WINDOW);
            let mut found = self.clique(open.clone(), enough.max(48) - 1);
            found.insert(0, root);
            let mut min_size = enough;
            while found.len() >= min_size {
                found.truncate(48);
                open.retain(|node| !found.contains(node));
                groups.extend(Some(self.pruned(found)).filter(|group| !group.is_empty()));
                (found, min_size) = (self.clique(open.clone(), 48), enough / 2);
            }
        }
        groups
    }
}

#[test]
fn groups_of_crowds_equal_the_reference() {
    let (mut groups, mut none, mut pruned, mut wide, mut dense) = (0, 0, 0, 0, 0);
    let mut crowds = Crowds::default();
    for seed in 0..45 {
        let line = Line::new(seed, 300 + 15 * seed as u32, [60, 260, 500][seed as usize / 5 % 3]);
        let graph = Subgraph::from(&line.graph);
        crowds.clear();
        crowds.find(graph, line.demands(), &mut line.rules());
        let found: Vec<Vec<u32>> = crowds.groups().map(<[u32]>::to_vec).collect();
        assert_eq!(found, line.groups(), "seed {seed}");
        let rest = crowds.rest(graph);
        for node in 0..rest.len() as u32 {
            let is_free = |node: u32| !found.iter().flatten().any(|&other| other == node);
            let later = line.graph.later(node).iter().copied();
            let expected: Vec<u32> =
                later.filter(|&other| is_free(node) && is_free(other)).collect();
            assert_eq!(rest.later(node), expected, "seed {seed}, node {node}");
        }
        groups += found.len();
        none += usize::from(found.is_empty());
        pruned += found.iter().filter(|group| group.len() < 16).count();
        dense += usize::from(line.rule().0 == 40);
        wide += (0..rest.len() as u32).filter(|&n| line.graph.later(n).len() > MAX_WINDOW).count();
    }
    assert!(groups > 100 && none > 5 && pruned > 5, "{groups} {none} {pruned}");
    assert!(wide > 100 && (5..40).contains(&dense), "{wide} {dense}");
}

#[test]
fn groups_with_crowds_are_disjoint_valid_and_independent_of_threads() {
    let (mut served, mut joined) = (0, 0);
    for seed in 0..9 {
        let line = Line::new(seed, 700, 300);
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut grouping = Grouping::default();
                grouping.find(&line.graph, line.demands(), &mut line.rules(), 50);
                assert!(grouping.truncated(), "a batch with a crowd counts as truncated");
                grouping.groups().map(<[u32]>::to_vec).collect::<Vec<_>>()
            })
        };
        let groups = run(1);
        assert_eq!(groups, run(3), "seed {seed}");
        let mut members: Vec<u32> = groups.concat();
        members.sort_unstable();
        assert!(members.is_sorted_by(|a, b| a < b), "seed {seed}: groups overlap");
        for group in &groups {
            assert!(naive::is_clique(&line.graph, group), "seed {seed}");
            assert_eq!(line.pruned(group.clone()), *group, "seed {seed}: a k is not met");
        }
        served += members.len();
        let mut crowds = Crowds::default();
        crowds.find(Subgraph::from(&line.graph), line.demands(), &mut line.rules());
        let formed: Vec<&[u32]> = crowds.groups().collect();
        let of_crowd =
            |group: &&Vec<u32>| formed.iter().any(|own| own.iter().all(|n| group.contains(n)));
        for group in groups.iter().filter(|group| !group.is_empty()).filter(of_crowd) {
            joined += group.len()
                - formed
                    .iter()
                    .filter(|own| group.contains(&own[0]))
                    .map(|own| own.len())
                    .sum::<usize>();
            let free = (0..700).filter(|node| members.binary_search(node).is_err());
            for node in free.filter(|_| group.len() < MAX_JOINED && line.reach.is_none()) {
                let larger = [&group[..], &[node]].concat();
                let fits = naive::is_clique(&line.graph, &larger);
                assert!(!fits, "seed {seed}: {node} could be added to {group:?}");
            }
        }
    }
    assert!(served > 5_000 && joined > 20, "{served} {joined}");
}
