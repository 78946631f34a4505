//! Groups are disjoint cliques in which every k is met, nothing can be added, and what they are
//! worth comes near to the most there is.

use super::*;
use crate::naive;
use crate::town::Town;
use rand::RngExt as _;

/// A graph with wishes, in which `counts[a][b]` says whether b counts for a.
struct Case {
    graph: ConstraintGraph,
    k: Vec<u32>,
    worth: Vec<u32>,
    counts: Vec<Vec<bool>>,
}

fn case(seed: u64, everyone: Everyone) -> Case {
    let graph = ConstraintGraph::random(seed);
    let mut random = Town::generator(seed + 10_000);
    let nodes = graph.len();
    let k = (0..nodes).map(|_| random.random_range(2..=5)).collect();
    let worth = (0..nodes).map(|_| random.random_range(1..=FULL_WORTH)).collect();
    let luck = random.random_range(0.4..0.95);
    let mut one = || everyone == Everyone::Counts || random.random_bool(luck);
    let counts = (0..nodes).map(|_| (0..nodes).map(|_| one()).collect()).collect();
    Case { graph, k, worth, counts }
}

/// A case like a town: many along a line who reach those near them, so that many searches from
/// several portions share people.
fn streets(seed: u64) -> Case {
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
    Case { graph, k, worth, counts }
}

/// As many as there are threads who say who counts for whom; none if everyone does.
fn who_counts(case: &Case, everyone: Everyone) -> Vec<WhoCounts<'_>> {
    let ask = |node: u32, neighbours: &[u32], counts: &mut [bool]| {
        let hers = &case.counts[node as usize];
        for (&other, counts) in neighbours.iter().zip(counts) {
            *counts = hers[other as usize];
        }
        hers[node as usize]
    };
    let threads = if everyone == Everyone::Counts { 0 } else { rayon::current_num_threads() };
    (0..threads).map(|_| Box::new(ask) as WhoCounts<'_>).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Everyone {
    Counts,
    CountsPerhaps,
}

/// Groups of a case, after checking that they are groups and nothing can be added.
fn group(case: &Case, everyone: Everyone, what: &str) -> Vec<Vec<u32>> {
    let mut grouping = Grouping::default();
    grouping.find(&case.graph, (&case.k, &case.worth), &mut who_counts(case, everyone), 20_000);
    assert!(!grouping.truncated(), "{what}");
    let counts = |a: u32, b: u32| case.counts[a as usize][b as usize];
    let groups: Vec<Vec<u32>> =
        grouping.groups().filter(|group| !group.is_empty()).map(<[u32]>::to_vec).collect();
    let mut free: Vec<u32> = (0..case.graph.len() as u32).collect();
    for group in &groups {
        assert!(naive::is_clique(&case.graph, group), "{what}: {group:?} is no clique");
        assert!(naive::is_satisfied(group, &case.k, &counts), "{what}: {group:?} lacks someone");
        let before = free.len();
        free.retain(|node| !group.contains(node));
        assert_eq!(before - free.len(), group.len(), "{what}: {group:?} shares someone");
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

fn compare(everyone: Everyone, share: f64) {
    let (mut found, mut best) = (0, 0);
    for seed in 0..600 {
        let case = case(seed, everyone);
        let groups = group(&case, everyone, &format!("seed {seed}"));
        let worth = |node: &u32| u64::from(case.worth[*node as usize]);
        let sum: u64 = groups.iter().flatten().map(worth).sum();
        let counts = |a: u32, b: u32| case.counts[a as usize][b as usize];
        let most = naive::best_groups(&case.graph, &case.k, &case.worth, &counts);
        assert!(sum <= most, "seed {seed}: {sum} of {most}");
        found += sum;
        best += most;
    }
    assert!(found as f64 > share * best as f64, "{found} of {best}");
}

#[test]
fn groups_are_valid_maximal_and_worth_nearly_as_much_as_can_be() {
    compare(Everyone::Counts, 0.96);
}

#[test]
fn so_they_are_where_not_everyone_counts_for_everyone() {
    compare(Everyone::CountsPerhaps, 0.95);
}

#[test]
fn a_grouping_used_again_forgets_the_graph_before() {
    let mut warm = Grouping::default();
    for seed in 0..400 {
        let everyone = [Everyone::Counts, Everyone::CountsPerhaps][seed as usize / 3 % 2];
        let case = case(seed * 3, everyone);
        let mut cold = Grouping::default();
        for grouping in [&mut warm, &mut cold] {
            let past = &mut who_counts(&case, everyone);
            grouping.find(&case.graph, (&case.k, &case.worth), past, 20_000);
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
    // Everyone adjacent to all but the one opposite: 2^(n/2) maximal cliques.
    for people in [20, 60, 400_u32] {
        let graph = ConstraintGraph::from_fn(people, |a, b| b - a != people / 2);
        let (k, worth) = (vec![3; people as usize], vec![FULL_WORTH; people as usize]);
        let mut grouping = Grouping::default();
        grouping.find(&graph, (&k, &worth), &mut [], 2_000);
        let served = grouping.groups().map(<[u32]>::len).sum::<usize>();
        assert_eq!(served, people as usize);
    }
    let complete = ConstraintGraph::from_fn(3_000, |_, _| true);
    let (k, worth) = (vec![3; 3_000], vec![1; 3_000]);
    let mut grouping = Grouping::default();
    grouping.find(&complete, (&k, &worth), &mut [], 20_000);
    assert!(!grouping.truncated());
    assert_eq!(grouping.groups().map(<[u32]>::len).max(), Some(3_000));
}

/// Those whom enough can count for, by the definition: whoever lacks someone goes, again and again.
fn kept(case: &Case) -> Vec<u32> {
    let mut kept: Vec<u32> = (0..case.graph.len() as u32).collect();
    let adjacent =
        |a: u32, b: u32| case.graph.later(a).contains(&b) || case.graph.later(b).contains(&a);
    loop {
        let lacks = |&a: &u32| {
            let counts = |b: &&u32| case.counts[a as usize][**b as usize];
            let hers = kept.iter().filter(|&&b| a == b || adjacent(a, b)).filter(counts);
            hers.count() < case.k[a as usize] as usize
        };
        let Some(place) = kept.iter().position(lacks) else { return kept };
        kept.remove(place);
    }
}

#[test]
fn those_are_given_up_whom_the_definition_names_and_rows_hold_the_others() {
    let (mut stay, mut gone) = (0, 0);
    let cases = (0..300).map(|seed| case(seed, Everyone::CountsPerhaps)).chain((0..3).map(streets));
    for case in cases {
        let mut neighbours = Neighbours::default();
        neighbours.mirror(&case.graph);
        neighbours.peel(&case.k);
        neighbours.remember(&mut who_counts(&case, Everyone::CountsPerhaps));
        neighbours.peel_counting(&case.k);
        neighbours.tidy();
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
            assert_eq!(neighbours.who_counts(a), counting);
            assert!(row.iter().all(|&b| neighbours.counts(a, b) == counting.contains(&b)));
        }
        (stay, gone) = (stay + kept.len(), gone + case.graph.len() - kept.len());
    }
    assert!(stay > 500 && gone > 500, "{stay} stay, {gone} are gone");
}

/// Groups, how many cliques there were, steps, and whether something was left out.
type Outcome = (Vec<Vec<u32>>, usize, u64, bool);

/// Everything that a case comes to, with so many threads.
fn outcome(case: &Case, everyone: Everyone, budget: u32, threads: usize) -> Outcome {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut grouping = Grouping::default();
        let past = &mut who_counts(case, everyone);
        grouping.find(&case.graph, (&case.k, &case.worth), past, budget);
        let groups = grouping.groups().map(<[u32]>::to_vec).collect();
        (groups, grouping.clique_count(), grouping.steps(), grouping.truncated())
    })
}

/// What a survey comes to where not everyone counts: cliques, steps, and whether some were left out.
fn surveyed(case: &Case, budget: u32, threads: usize) -> (Vec<Vec<u32>>, u64, bool) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut grouping = Grouping::default();
        let past = &mut who_counts(case, Everyone::CountsPerhaps);
        grouping.survey(&case.graph, &case.k, past, budget);
        let bins = 0..grouping.clique_count() as u32;
        let cliques = bins.map(|bin| grouping.bins.nodes(bin).to_vec()).collect();
        (cliques, grouping.steps(), grouping.truncated())
    })
}

#[test]
fn nor_does_it_where_not_everyone_counts_and_cliques_are_left_out() {
    // Forty of a street at a time; of so many steps that cliques do not fit into memory, and of few.
    for (people, budget) in [(1_000_u32, 2_000), (200, 20)] {
        let graph = ConstraintGraph::from_fn(people, |a, b| a / 40 == b / 40 && b - a != 20);
        let k: Vec<u32> = (0..people).map(|node| 2 + node % 7).collect();
        let row = |a: u32| (0..people).map(|b| (a * 7 + b * 3) % 11 != 5).collect();
        let counts = (0..people).map(row).collect();
        let case = Case { graph, k, worth: Vec::new(), counts };
        let [one, two] = [1, 3].map(|threads| surveyed(&case, budget, threads));
        let members = one.0.iter().map(Vec::len).sum::<usize>();
        assert_eq!(members > expand::MOST_MEMBERS, budget > 20, "{members}");
        assert!(one.2 && one == two, "{people}");
    }
}

#[test]
fn the_number_of_threads_changes_nothing_where_not_everyone_counts() {
    let mut cases: Vec<Case> = (0..40).map(|seed| case(seed, Everyone::CountsPerhaps)).collect();
    cases.extend((0..6).map(streets));
    for case in &cases {
        let one = outcome(case, Everyone::CountsPerhaps, 20_000, 1);
        assert_eq!(one, outcome(case, Everyone::CountsPerhaps, 20_000, 2));
        assert_eq!(one, outcome(case, Everyone::CountsPerhaps, 20_000, 8));
    }
}

#[test]
fn the_number_of_threads_changes_nothing_even_if_cliques_are_left_out() {
    // Of so many that a search spends its budget, and that all cliques do not fit into memory.
    for (people, budget) in [(300, 20), (400, 2_000)] {
        let graph = ConstraintGraph::from_fn(people, |a, b| b - a != people / 2);
        let k: Vec<u32> = (0..people).map(|node| 2 + node % 7).collect();
        let worth: Vec<u32> = (0..people).map(|node| 1 + node * 7919 % 1_000).collect();
        let counts = vec![vec![true; people as usize]; people as usize];
        let case = Case { graph, k, worth, counts };
        let one = outcome(&case, Everyone::Counts, budget, 1);
        assert!(one.3, "nothing was left out of {people}");
        assert_eq!(one, outcome(&case, Everyone::Counts, budget, 2), "{people}");
        assert_eq!(one, outcome(&case, Everyone::Counts, budget, 5), "{people}");
    }
}
