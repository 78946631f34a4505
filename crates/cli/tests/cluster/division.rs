//! A city that two engines divide into three shards publishes the bytes of one engine: `meshcloak
//! cloak --region cell` over the same arrivals per tick (docs/SPEC.md §7).

use crate::frontend::TestFrontend;
use crate::reference::{Accepted, cloak, millis, read_log, texts};
use crate::town::Town;
use crate::trial::{Set, Trial};
use cluster::Members;
use cluster::testing::Servers;
use fleet::message::EndCode;
use fleet::plan::Plan;
use meshcloak::guarantee::Guarantee;
use meshcloak::map::StreetId;
use meshcloak::query::UserId;
use meshcloak::units::Time;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const ROUNDS: u64 = 10;
const CELL_METRES: f64 = 1_500.0;
const SHARDS: u16 = 3;

/// Whether a user has asked again while a query may have waited. The gateway's newer query then has
/// the earlier deadline, that of a file its own.
fn has_carried(ticks: &[Accepted], dt: Duration) -> bool {
    let mut last: BTreeMap<UserId, Time> = BTreeMap::new();
    let entries = ticks.iter().filter_map(|(_, _, members)| match members {
        Members::Positions(entries) => Some(entries),
        Members::Users(_) => None,
    });
    entries.flatten().any(|entry| {
        let previous = last.insert(entry.user, entry.at);
        previous.is_some_and(|at| entry.at - at < dt + Duration::from_secs(1))
    })
}

/// What a trial with a change of the division knows of it: the plans before and after, and the number
/// of queries asked before.
type Change = (Plan, Plan, u64);

/// Runs traffic through two engines. Returns the trial, the time of its last batch, and the change.
async fn run(
    servers: &Servers,
    town: Town,
    dt: Duration,
    seed: u64,
    is_changing: bool,
) -> (Trial, u64, Option<Change>) {
    let engines = [town.engine(servers, "one").await, town.engine(servers, "two").await];
    let frontend = TestFrontend::start(servers.connect().await).await;
    let (submitted, user_of, street_of) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let mut trial = Trial { town, frontend, dt, submitted, user_of, street_of };
    let mut owners = BTreeSet::new();
    for shard in 0..SHARDS {
        owners.insert(trial.frontend.owner_above(shard, 0).await.engine);
    }
    assert_eq!(owners.len(), engines.len(), "each engine owns a shard");
    let (mut random, mut places) = (Pcg64::seed_from_u64(seed), BTreeMap::new());
    let mut change = None;
    for round in 0..ROUNDS {
        if is_changing && round == ROUNDS / 2 {
            let (before, after) = trial.balance(servers).await;
            change = Some((before, after, trial.user_of.len() as u64));
        }
        trial.ask(round, &mut random, &mut places).await;
        tokio::time::sleep(Duration::from_millis(random.random_range(400..900))).await;
    }
    tokio::time::sleep(Duration::from_secs(3)).await;
    let last = trial.frontend.received.lock().parts.iter().map(|part| part.round.at).max().unwrap();
    for engine in engines {
        engine.stop().await;
    }
    (trial, last, change)
}

/// Compares the traffic of two engines with one engine. Returns `false` if the traffic was too slow
/// to be compared.
async fn compare(guarantee: Guarantee, dt: Duration, seed: u64, is_changing: bool) -> bool {
    let servers = Servers::start(1).await;
    let town = Town::new(guarantee).divided(SHARDS, CELL_METRES);
    let (mut trial, last, change) = run(&servers, town, dt, seed, is_changing).await;
    let ticks = read_log(&servers, &trial.town).await;
    if has_carried(&ticks, dt) {
        return false;
    }
    let shards: BTreeSet<u16> = ticks.iter().map(|(_, shard, _)| *shard).collect();
    assert_eq!(shards, (0..SHARDS).collect());
    let queries = trial.queries(&ticks);
    let outcomes = cloak(&trial.town, CELL_METRES, &queries);
    compare_sets(&trial, &outcomes, last);
    compare_ends(&trial, &outcomes, last);
    assert!(trial.frontend.received.lock().rejected.is_empty());
    assert!(trial.ended(EndCode::Failed).is_empty());
    if let Some(change) = change {
        check_change(&trial, &outcomes, &change);
    }
    true
}

/// Returns the outcomes of one kind.
fn of<'a>(outcomes: &'a [Value], outcome: &'static str) -> impl Iterator<Item = &'a Value> {
    outcomes.iter().filter(move |value| value["outcome"] == outcome)
}

/// The engines have published the sets of one engine.
fn compare_sets(trial: &Trial, outcomes: &[Value], last: u64) {
    let set = |value: &Value| -> Set {
        let user = |text: &str| trial.user_of[&text.parse::<u64>().unwrap()];
        let users = texts(&value["set"]).into_iter().map(user).collect();
        let mesh = texts(&value["mesh"]).into_iter().map(str::to_owned).collect();
        (millis(&value["at"]), users, mesh)
    };
    let until = |(at, ..): &Set| *at <= last;
    let expected: BTreeSet<Set> = of(outcomes, "succeeded").map(set).filter(until).collect();
    let published: BTreeSet<Set> = trial.published().into_iter().filter(until).collect();
    assert!(expected.len() > 60, "{} sets", expected.len());
    let surplus: Vec<&Set> = published.difference(&expected).collect();
    let missing: Vec<&Set> = expected.difference(&published).collect();
    assert!(surplus.is_empty() && missing.is_empty(), "{surplus:?}\n{missing:?}");
}

/// The engines have ended the queries that one engine ends.
fn compare_ends(trial: &Trial, outcomes: &[Value], last: u64) {
    let end =
        |value: &Value| (millis(&value["at"]), value["query"].as_str().unwrap().parse().unwrap());
    let before = |(at, _): &(u64, u64)| *at <= last;
    let expired: BTreeSet<(u64, u64)> = of(outcomes, "expired").map(end).filter(before).collect();
    assert_eq!(trial.ended(EndCode::Expired), expired);
    // Queries that a newer one of the same shard carried are withdrawn with it, later.
    let replaced: BTreeSet<u64> =
        of(outcomes, "replaced").map(end).map(|(_, number)| number).collect();
    let withdrawn: BTreeSet<u64> =
        trial.ended(EndCode::Replaced).into_iter().map(|(_, number)| number).collect();
    assert!(withdrawn.is_subset(&replaced), "{withdrawn:?} {replaced:?}");
    match trial.town.config.engine.guarantee {
        Guarantee::Reciprocal => assert!(withdrawn.len() > 10, "{} withdrawn", withdrawn.len()),
        _ => assert!(!expired.is_empty(), "the trial has expired queries"),
    }
}

/// Some sets have members that moved to another engine and members that asked afterwards.
fn check_change(trial: &Trial, outcomes: &[Value], change: &Change) {
    let (before, after, asked) = change;
    let has_moved = |street: StreetId| before.shard(street) != after.shard(street);
    let id = |text: &str| text.parse::<u64>().unwrap();
    let old_and_new = of(outcomes, "succeeded").filter(|value| {
        let numbers: Vec<u64> = texts(&value["set"]).into_iter().map(id).collect();
        numbers.iter().any(|number| number <= asked && has_moved(trial.street_of[number]))
            && numbers.iter().any(|number| number > asked)
    });
    let count = old_and_new.count();
    assert!(count > 5, "{count} queries are in sets with one that has moved to another engine");
}

/// Users move, also into cells of the other engine while a query waits.
#[tokio::test(flavor = "multi_thread")]
async fn two_engines_publish_the_bytes_of_one_under_reciprocal() {
    assert!(compare(Guarantee::Reciprocal, Duration::from_secs(60), 1, false).await);
}

/// As above, and the city is divided anew while queries wait.
#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_the_division_changes_no_byte() {
    assert!(compare(Guarantee::Reciprocal, Duration::from_secs(60), 9, true).await);
}

/// Users stay, queries expire, and every set depends on the last positions in the log.
#[tokio::test(flavor = "multi_thread")]
async fn two_engines_publish_the_bytes_of_one_under_history() {
    for seed in 2.. {
        assert!(seed < 8, "the machine is too slow for traffic of ten rounds");
        if compare(Guarantee::History, Duration::from_millis(900), seed, false).await {
            return;
        }
    }
}
