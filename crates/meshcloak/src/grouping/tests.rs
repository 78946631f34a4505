//! Groups are disjoint cliques in which every k is met. They are maximal, and their total worth is
//! close to the optimum.

use super::*;
use crate::constraint_graph::ConstraintGraph;
use crate::naive;
use crate::town::Town;
use rand::RngExt as _;

/// Graph with demands; `counts[a][b]`: b counts for a.
struct Case {
    graph: ConstraintGraph,
    k: Vec<u32>,
    worth: Vec<u32>,
    counts: Vec<Vec<bool>>,
    /// Empty if all nodes ask.
    roles: Vec<Role>,
}

fn case(seed: u64, relation: Relation) -> Case {
    let graph = ConstraintGraph::random(seed);
    let mut random = Town::generator(seed + 10_000);
    let nodes = graph.len();
    let k = (0..nodes).map(|_| random.random_range(2..=5)).collect();
    let worth = (0..nodes).map(|_| random.random_range(1..=FULL_WORTH)).collect();
    let density = random.random_range(0.4..0.95);
    let mut one = || relation == Relation::All || random.random_bool(density);
    let counts = (0..nodes).map(|_| (0..nodes).map(|_| one()).collect()).collect();
    Case { graph, k, worth, counts, roles: Vec::new() }
}

/// Nodes along a line, adjacent to those nearby: searches of several chunks share nodes.
fn line(seed: u64) -> Case {
    let mut random = Town::generator(seed);
    let nodes = 600;
    let reach: Vec<u32> =
        (0..nodes).map(|_| random.random_range(2..40 + 20 * seed as u32)).collect();
    let graph =
        ConstraintGraph::from_fn(nodes, |a, b| b - a <= reach[a as usize].min(reach[b as usize]));
    let k = (0..nodes).map(|_| random.random_range(2..=6)).collect();
    let worth = (0..nodes).map(|_| random.random_range(1..=FULL_WORTH)).collect();
    let mut one = || random.random_bool(0.5);
    let counts = (0..nodes).map(|_| (0..nodes).map(|_| one()).collect()).collect();
    Case { graph, k, worth, counts, roles: Vec::new() }
}

/// One counting rule per thread; none if all nodes count.
fn rules(case: &Case, relation: Relation) -> Vec<CountingRule<'_>> {
    let rule = |node: u32, neighbours: &[u32], counts: &mut [bool]| {
        let row = &case.counts[node as usize];
        for (&other, counts) in neighbours.iter().zip(counts) {
            *counts = row[other as usize];
        }
        row[node as usize]
    };
    let threads = if relation == Relation::All { 0 } else { rayon::current_num_threads() };
    (0..threads).map(|_| Box::new(rule) as CountingRule<'_>).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    /// All nodes count for all others.
    All,
    /// Some nodes do not count for some others.
    Restricted,
}

impl Case {
    fn demands(&self) -> Demands<'_> {
        Demands { k: &self.k, worth: &self.worth, roles: &self.roles }
    }
}

/// Returns the groups of a case, after checking that they are valid and maximal.
fn group(case: &Case, relation: Relation, what: &str) -> Vec<Vec<u32>> {
    let mut grouping = Grouping::default();
    grouping.find(&case.graph, case.demands(), &mut rules(case, relation), 20_000);
    assert!(!grouping.truncated(), "{what}");
    let counts = |a: u32, b: u32| case.counts[a as usize][b as usize];
    let groups: Vec<Vec<u32>> =
        grouping.groups().filter(|group| !group.is_empty()).map(<[u32]>::to_vec).collect();
    let mut free: Vec<u32> = (0..case.graph.len() as u32).collect();
    for group in &groups {
        assert!(naive::is_clique(&case.graph, group), "{what}: {group:?} is not a clique");
        assert!(
            naive::is_satisfied(group, &case.k, &counts),
            "{what}: {group:?} does not meet a k"
        );
        let before = free.len();
        free.retain(|node| !group.contains(node));
        assert_eq!(before - free.len(), group.len(), "{what}: {group:?} is not disjoint");
    }
    for set in 1..1_usize << free.len() {
        let chosen = free.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1);
        let more: Vec<u32> = chosen.map(|(_, &node)| node).collect();
        for group in groups.iter().chain([&Vec::new()]) {
            let larger = [&group[..], &more].concat();
            let possible = naive::is_clique(&case.graph, &larger)
                && naive::is_satisfied(&larger, &case.k, &counts);
            assert!(!possible, "{what}: {more:?} could be added to {group:?}");
        }
    }
    groups
}

fn compare(relation: Relation, share: f64) {
    let (mut found, mut best) = (0, 0);
    for seed in 0..600 {
        let case = case(seed, relation);
        let groups = group(&case, relation, &format!("seed {seed}"));
        let worth = |node: &u32| u64::from(case.worth[*node as usize]);
        let sum: u64 = groups.iter().flatten().map(worth).sum();
        let counts = |a: u32, b: u32| case.counts[a as usize][b as usize];
        let optimum = naive::best_groups(&case.graph, &case.k, &case.worth, &counts);
        assert!(sum <= optimum, "seed {seed}: {sum} of {optimum}");
        found += sum;
        best += optimum;
    }
    assert!(found as f64 > share * best as f64, "{found} of {best}");
}

#[test]
fn groups_are_valid_maximal_and_close_to_the_optimum() {
    compare(Relation::All, 0.96);
}

#[test]
fn groups_of_a_restricted_relation_are_valid_maximal_and_close_to_the_optimum() {
    compare(Relation::Restricted, 0.95);
}

#[test]
fn a_reused_grouping_equals_a_new_one() {
    let mut warm = Grouping::default();
    for seed in 0..400 {
        let relation = [Relation::All, Relation::Restricted][seed as usize / 3 % 2];
        let case = case(seed * 3, relation);
        let mut cold = Grouping::default();
        for grouping in [&mut warm, &mut cold] {
            let rules = &mut rules(&case, relation);
            grouping.find(&case.graph, case.demands(), rules, 20_000);
        }
        for node in 0..case.graph.len() as u32 {
            let members = |grouping: &Grouping| {
                grouping.group_of(node).map(|group| grouping.group(group).to_vec())
            };
            assert_eq!(members(&warm), members(&cold), "seed {seed}");
        }
    }
}

#[test]
fn hard_graphs_end_within_their_budget() {
    // Cocktail-party graph: each node is adjacent to all but the opposite one. It has 2^(n/2)
    // maximal cliques.
    for node_count in [20, 60, 400_u32] {
        let graph = ConstraintGraph::from_fn(node_count, |a, b| b - a != node_count / 2);
        let (k, worth) = (vec![3; node_count as usize], vec![FULL_WORTH; node_count as usize]);
        let mut grouping = Grouping::default();
        grouping.find(&graph, Demands { k: &k, worth: &worth, roles: &[] }, &mut [], 2_000);
        let served = grouping.groups().map(<[u32]>::len).sum::<usize>();
        assert_eq!(served, node_count as usize);
    }
    let complete = ConstraintGraph::from_fn(3_000, |_, _| true);
    let (k, worth) = (vec![3; 3_000], vec![1; 3_000]);
    let mut grouping = Grouping::default();
    grouping.find(&complete, Demands { k: &k, worth: &worth, roles: &[] }, &mut [], 20_000);
    assert!(grouping.truncated(), "a crowd");
    assert!(grouping.groups().all(|group| group.len() <= 64));
    assert_eq!(grouping.groups().map(<[u32]>::len).sum::<usize>(), 3_000);
}

/// Reference for pruning: removes nodes whose k is not met until there are none.
fn kept(case: &Case) -> Vec<u32> {
    let mut kept: Vec<u32> = (0..case.graph.len() as u32).collect();
    let adjacent =
        |a: u32, b: u32| case.graph.later(a).contains(&b) || case.graph.later(b).contains(&a);
    loop {
        let is_short = |&a: &u32| {
            let counts = |b: &&u32| case.counts[a as usize][**b as usize];
            let row = kept.iter().filter(|&&b| a == b || adjacent(a, b)).filter(counts);
            row.count() < case.k[a as usize] as usize || !case.counts[a as usize][a as usize]
        };
        let Some(index) = kept.iter().position(is_short) else { return kept };
        kept.remove(index);
    }
}

#[test]
fn pruning_equals_the_reference_and_rows_hold_the_remaining_nodes() {
    let (mut kept_count, mut pruned_count) = (0, 0);
    let cases = (0..300).map(|seed| case(seed, Relation::Restricted)).chain((0..3).map(line));
    for case in cases {
        let mut neighbours = Neighbours::default();
        neighbours.load((&case.graph).into(), &case.k, &[]);
        neighbours.apply_rules(&mut rules(&case, Relation::Restricted));
        neighbours.prune_by_count(&case.k);
        neighbours.compact();
        let kept = kept(&case);
        for a in 0..case.graph.len() as u32 {
            let is_kept = |node: u32| kept.binary_search(&node).is_ok();
            let near = |b: u32| {
                let edge = case.graph.later(a).contains(&b) || case.graph.later(b).contains(&a);
                edge && is_kept(a) && is_kept(b)
            };
            let row: Vec<u32> = (0..case.graph.len() as u32).filter(|&b| near(b)).collect();
            assert_eq!(neighbours.of(a), row);
            let counts = |b: &&u32| case.counts[a as usize][**b as usize];
            let counting: Vec<u32> = row.iter().filter(counts).copied().collect();
            assert_eq!(neighbours.counting_neighbours(a), counting);
            assert!(row.iter().all(|&b| neighbours.counts(a, b) == counting.contains(&b)));
        }
        kept_count += kept.len();
        pruned_count += case.graph.len() - kept.len();
    }
    assert!(kept_count > 500 && pruned_count > 500, "{kept_count} kept, {pruned_count} pruned");
}

/// Complete result of a grouping.
#[derive(Debug, PartialEq)]
struct GroupingResult {
    groups: Vec<Vec<u32>>,
    clique_count: usize,
    steps: u64,
    truncated: bool,
}

fn result(case: &Case, relation: Relation, budget: u32, threads: usize) -> GroupingResult {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut grouping = Grouping::default();
        grouping.find(&case.graph, case.demands(), &mut rules(case, relation), budget);
        GroupingResult {
            groups: grouping.groups().map(<[u32]>::to_vec).collect(),
            clique_count: grouping.clique_count(),
            steps: grouping.steps(),
            truncated: grouping.truncated(),
        }
    })
}

/// Cliques and steps of a survey with a restricted relation, and whether it was truncated.
fn surveyed(case: &Case, budget: u32, threads: usize) -> (Vec<Vec<u32>>, u64, bool) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut grouping = Grouping::default();
        let rules = &mut rules(case, Relation::Restricted);
        let demands = Demands { k: &case.k, worth: &[], roles: &[] };
        grouping.survey(&case.graph, demands, rules, budget);
        let cliques = 0..grouping.clique_count() as u32;
        let cliques = cliques.map(|clique| grouping.cliques.nodes(clique).to_vec()).collect();
        (cliques, grouping.steps(), grouping.truncated())
    })
}

#[test]
fn a_truncated_survey_of_a_restricted_relation_does_not_depend_on_threads() {
    // Components of forty nodes. The first case exceeds the memory limit, the second the budget.
    for (node_count, budget) in [(1_000_u32, 2_000), (200, 20)] {
        let graph = ConstraintGraph::from_fn(node_count, |a, b| a / 40 == b / 40 && b - a != 20);
        let k: Vec<u32> = (0..node_count).map(|node| 2 + node % 7).collect();
        let counts = |a: u32, b: u32| a == b || (a * 7 + b * 3) % 11 != 5;
        let row = |a: u32| (0..node_count).map(|b| counts(a, b)).collect();
        let counts = (0..node_count).map(row).collect();
        let case = Case { graph, k, worth: Vec::new(), counts, roles: Vec::new() };
        let [one, two] = [1, 3].map(|threads| surveyed(&case, budget, threads));
        let members = one.0.iter().map(Vec::len).sum::<usize>();
        assert_eq!(members > pivot_search::MAX_MEMBERS, budget > 20, "{members}");
        assert!(one.2 && one == two, "{node_count}");
    }
}

#[test]
fn groups_of_a_restricted_relation_do_not_depend_on_threads() {
    let mut cases: Vec<Case> = (0..40).map(|seed| case(seed, Relation::Restricted)).collect();
    cases.extend((0..6).map(line));
    for case in &cases {
        let one = result(case, Relation::Restricted, 20_000, 1);
        assert_eq!(one, result(case, Relation::Restricted, 20_000, 2));
        assert_eq!(one, result(case, Relation::Restricted, 20_000, 8));
    }
}

#[test]
fn truncated_groups_do_not_depend_on_threads() {
    // The first case exceeds the budget of a search, the second the memory limit.
    for (node_count, budget) in [(300, 20), (400, 2_000)] {
        let graph = ConstraintGraph::from_fn(node_count, |a, b| b - a != node_count / 2);
        let k: Vec<u32> = (0..node_count).map(|node| 2 + node % 7).collect();
        let worth: Vec<u32> = (0..node_count).map(|node| 1 + node * 7919 % 1_000).collect();
        let counts = vec![vec![true; node_count as usize]; node_count as usize];
        let case = Case { graph, k, worth, counts, roles: Vec::new() };
        let one = result(&case, Relation::All, budget, 1);
        assert!(one.truncated, "{node_count} nodes were not truncated");
        assert_eq!(one, result(&case, Relation::All, budget, 2), "{node_count}");
        assert_eq!(one, result(&case, Relation::All, budget, 5), "{node_count}");
    }
}
