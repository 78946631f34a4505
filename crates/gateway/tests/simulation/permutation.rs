//! Whole runs in which the questions inside published sets are permuted: no byte, no time of a
//! request and no time of a response may change (docs/SPEC.md §6, §9).

use crate::fault::Fault;
use crate::log::{Log, SetRecord};
use crate::plan::{Action, Ask, Plan, Wanted};
use crate::service::SeenRequest;
use crate::world::{simulate, walker};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use std::collections::{BTreeMap, BTreeSet};

/// What the service and a watcher of the users' lines see of a run.
#[derive(Debug, PartialEq)]
struct Observations {
    /// Times and bytes of the requests.
    requests: Vec<SeenRequest>,
    /// Time of the response to each query.
    responses: BTreeMap<usize, u128>,
}

impl Observations {
    fn of(log: &Log) -> Observations {
        let responses = log.ends.iter().map(|(&number, end)| (number, end.at)).collect();
        Observations { requests: log.sorted_requests(), responses }
    }
}

/// Sets that a permutation has changed.
#[derive(Clone, Copy, Default)]
struct Changed {
    sets: usize,
    /// Sets with a member who has no question.
    with_presence: usize,
    /// Sets with a member who has several questions, carried from replaced queries.
    with_carried: usize,
    /// Sets in runs with decoys.
    with_decoys: usize,
    /// Runs with such sets and a service that stalls and fails.
    runs_with_faults: usize,
}

fn asks(plan: &mut Plan) -> impl Iterator<Item = &mut Ask> {
    plan.seconds.iter_mut().flatten().filter_map(|action| match action {
        Action::Ask(ask) => Some(ask),
        _ => None,
    })
}

/// Returns the plan with the questions permuted inside each set of its run.
fn permuted(plan: &Plan, log: &Log, changed: &mut Changed) -> Plan {
    let mut plan = plan.clone();
    let mut random = StdRng::seed_from_u64(plan.seed);
    let mut questions: BTreeMap<usize, Option<Wanted>> =
        asks(&mut plan).map(|ask| (ask.number, ask.question)).collect();
    // A query that is repeated after a restart can be in two sets, which would exchange questions.
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for (number, _) in log.sets.iter().flat_map(|set| &set.members) {
        *counts.entry(*number).or_default() += 1;
    }
    let is_alone = |set: &&SetRecord| set.members.iter().all(|(number, _)| counts[number] == 1);
    for set in log.sets.iter().filter(is_alone) {
        let numbers: Vec<usize> = set.members.iter().map(|(number, _)| *number).collect();
        let before: Vec<Option<Wanted>> = numbers.iter().map(|number| questions[number]).collect();
        let mut after = before.clone();
        after.shuffle(&mut random);
        if after != before {
            changed.count(set, log);
        }
        questions.extend(numbers.into_iter().zip(after));
    }
    for ask in asks(&mut plan) {
        ask.question = questions[&ask.number];
    }
    plan
}

impl Changed {
    fn count(&mut self, set: &SetRecord, log: &Log) {
        let users: BTreeSet<usize> = set.members.iter().map(|(n, _)| log.user_of[n]).collect();
        self.sets += 1;
        self.with_presence += usize::from(users.len() < set.size);
        self.with_carried += usize::from(users.len() < set.members.len());
    }

    fn add(mut self, other: Changed) -> Changed {
        self.sets += other.sets;
        self.with_presence += other.with_presence;
        self.with_carried += other.with_carried;
        self.with_decoys += other.with_decoys;
        self.runs_with_faults += other.runs_with_faults;
        self
    }
}

/// Runs a schedule and its permutation; returns whether the same was seen.
fn compare(seed: u64, fault: Option<Fault>) -> (Changed, Result<(), String>) {
    let (plan, mut changed) = (Plan::random(seed), Changed::default());
    let log = simulate(&plan, fault);
    let other = permuted(&plan, &log, &mut changed);
    if plan.decoys > 0 || plan.diversity > 1 {
        changed.with_decoys = changed.sets;
    }
    if changed.sets > 0 {
        changed.runs_with_faults += usize::from(plan.fault_percent > 0);
    }
    let [one, two] = [Observations::of(&log), Observations::of(&simulate(&other, fault))];
    let result = if one == two { Ok(()) } else { Err(format!("{one:#?}\n{two:#?}")) };
    (changed, result)
}

const SCHEDULES: u64 = 1_000;

#[test]
fn permuting_questions_inside_sets_changes_no_byte_and_no_time_of_a_run() {
    walker();
    let changed = (0..SCHEDULES)
        .into_par_iter()
        .map(|seed| {
            let (changed, result) = compare(seed, None);
            if let Err(difference) = result {
                panic!("MESHCLOAK_SEED={seed}: {difference}\n{:?}", Plan::random(seed));
            }
            changed
        })
        .reduce(Changed::default, Changed::add);
    let Changed { sets, with_presence, with_carried, with_decoys, runs_with_faults } = changed;
    println!(
        "{sets} sets permuted, {with_presence} with presence reports, {with_carried} with carried \
         questions, {with_decoys} with decoys, {runs_with_faults} runs with a stalling service"
    );
    // The schedules must reach what they are meant to test.
    let counts = [sets / 4, with_presence, with_carried, with_decoys, runs_with_faults];
    assert!(counts.iter().all(|&count| count > 50), "{counts:?}");
}

/// Without the joint release of a set, the line of the user who asked the stalled kind is silent.
#[test]
fn a_release_member_by_member_is_found() {
    let found = (0..60).filter(|&seed| compare(seed, Some(Fault::SplitSet)).1.is_err()).count();
    assert!(found > 5, "{found} of 60 schedules");
}

/// A decoy that depends on the question of one member tells which member asked it.
#[test]
fn a_decoy_that_depends_on_a_member_is_found() {
    let is_found = |&seed: &u64| compare(seed, Some(Fault::DecoyOfMember)).1.is_err();
    let found = (0..60).filter(is_found).count();
    assert!(found > 5, "{found} of 60 schedules");
}
