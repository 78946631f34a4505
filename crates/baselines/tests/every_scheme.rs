//! Properties of all schemes over random towns and many turns.

use baselines::registry::{SCHEMES, ValueRange};
use baselines::{by_name, names};
use meshcloak::distance::Atlas;
use meshcloak::engine::{Batch, turn};
use meshcloak::map::{Extent, MapBuilder, RawPoi, StreetMap};
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::region::Region;
use meshcloak::scheme::{Pace, Scheme, State};
use meshcloak::town::Town;
use meshcloak::units::{Length, Time};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A town and its queries in order of time; ids are their indices.
struct Workload {
    seed: u64,
    town: Town,
    atlas: Arc<Atlas>,
    queries: Vec<Query>,
}

/// Outcome of a query.
#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    Served { members: Vec<QueryId>, region: Region<'static> },
    Expired,
}

impl Workload {
    fn random(seed: u64) -> Workload {
        let town = Town::random(seed);
        let mut queries = town.random_queries(&mut Town::generator(seed), 4 + seed as usize % 50);
        queries.sort_by_key(|query| query.asked_at);
        for (number, query) in queries.iter_mut().enumerate() {
            query.id = QueryId(number as u64);
        }
        let atlas = Arc::new(Atlas::new(with_pois(&town, seed), Length::metres(2_000.0)));
        Workload { seed, town, atlas, queries }
    }

    fn scheme(&self, name: &str) -> Box<dyn Scheme> {
        by_name(&self.atlas, name).expect("a name of the table")
    }

    /// Batches at the pace of the scheme: one per second, or one per arrival and one per second for
    /// expiry.
    fn batches(&self, pace: Pace) -> Vec<Batch> {
        let mut batches = Vec::new();
        for second in 1..=13 {
            let now = Time::from_millis(second * 1_000);
            let due = |query: &&Query| {
                query.asked_at <= now && query.asked_at.as_millis() + 1_000 > now.as_millis()
                    || second == 1 && query.asked_at == Time::from_millis(0)
            };
            let mut arrivals: Vec<Query> = self.queries.iter().filter(due).cloned().collect();
            if pace == Pace::Sequential {
                batches.extend(arrivals.drain(..).map(|query| Batch {
                    now: query.asked_at,
                    arrivals: vec![query],
                    cancelled: Vec::new(),
                }));
            }
            batches.push(Batch { now, arrivals, cancelled: Vec::new() });
        }
        batches
    }

    /// Outcomes of all queries; each turn is compared with a fresh scheme.
    fn outcomes(&self, name: &str) -> Vec<Outcome> {
        let mut warm = self.scheme(name);
        let mut state = State::default();
        let mut outcomes: Vec<Option<Outcome>> = vec![None; self.queries.len()];
        for batch in self.batches(warm.describe().pace) {
            let mut cold = self.scheme(name);
            let expected = run_turn(cold.as_mut(), &mut state.clone(), batch.clone());
            let done = run_turn(warm.as_mut(), &mut state, batch);
            assert_eq!(done, expected, "{name}: warm and cold, seed {}\n{}", self.seed, self.town);
            for (query, outcome) in done {
                let earlier = outcomes[query.0 as usize].replace(outcome);
                assert_eq!(earlier, None, "{name}: twice, seed {}\n{}", self.seed, self.town);
            }
        }
        assert!(state.waiting.is_empty(), "{name}: {} still wait", state.waiting.len());
        outcomes.into_iter().map(|outcome| outcome.expect("every query ends")).collect()
    }
}

/// Runs a turn and returns the outcomes of the queries that end in it.
fn run_turn(scheme: &mut dyn Scheme, state: &mut State, batch: Batch) -> Vec<(QueryId, Outcome)> {
    let done = turn(scheme, state, batch, &mut ());
    let unserved = done.expired.iter().chain(&done.replaced);
    let expired = unserved.map(|query| (query.id, Outcome::Expired));
    let served = done.served.iter().map(|(query, set)| {
        let set = done.published.set(*set);
        let (members, region) = (set.members.to_vec(), set.region.into_owned());
        (query.id, Outcome::Served { members, region })
    });
    expired.chain(served).collect()
}

/// Whether the scheme forms anonymity sets of waiting users.
fn has_anonymity_sets(name: &str) -> bool {
    !["planar-laplace", "footprints", "optimal"].contains(&name)
}

/// Returns the map of a town with points of interest, about one for each street.
fn with_pois(town: &Town, seed: u64) -> StreetMap {
    let mut random = Town::generator(seed);
    let mut builder = MapBuilder::from_map(&town.map);
    for number in 0..town.map.street_count() {
        let point = town.map.point(town.position(&mut random));
        let category = ["atm", "bank", "cafe", "doctors", "school", "hotel"][number % 6];
        let added = builder.poi(RawPoi { label: "", point, category, name: "" });
        added.expect("a point of the map");
    }
    builder.build(Extent::Whole).expect("the map has streets").map
}

#[test]
fn every_query_ends_once_and_a_warm_scheme_answers_as_a_cold_one() {
    for name in names() {
        let (mut served, mut expired) = (0, 0);
        for seed in 0..60 {
            for outcome in Workload::random(seed * 7).outcomes(name) {
                *if outcome == Outcome::Expired { &mut expired } else { &mut served } += 1;
            }
        }
        assert!(served > 30 && expired > 30, "{name}: {served} served, {expired} expired");
    }
}

#[test]
fn sets_hold_distinct_users_and_all_queries_they_serve() {
    for name in names() {
        for seed in 0..60 {
            let workload = Workload::random(seed * 7 + 3);
            for (query, outcome) in workload.queries.iter().zip(workload.outcomes(name)) {
                let Outcome::Served { members, region } = outcome else { continue };
                let at = format!("{name}, seed {} {query:?}\n{}", workload.seed, workload.town);
                let user = |member: &QueryId| workload.queries[member.0 as usize].user;
                let users: BTreeSet<UserId> = members.iter().map(user).collect();
                assert_eq!(users.len(), members.len(), "{at}");
                assert!(members.contains(&query.id) && members.is_sorted(), "{at}");
                if has_anonymity_sets(name) {
                    assert!(members.len() >= query.k as usize, "{at}");
                    let positions = members.iter().map(|m| workload.queries[m.0 as usize].position);
                    for position in positions {
                        assert!(region.contains(&workload.town.map, position), "{at}");
                    }
                }
            }
        }
    }
}

#[test]
fn parameters_at_the_ends_of_their_range_lose_no_query() {
    for entry in SCHEMES {
        for parameter in entry.parameters {
            let ends = match parameter.range {
                ValueRange::Number(min, max) => vec![min.to_string(), max.to_string()],
                ValueRange::Whole(min, max) => vec![min.to_string(), max.to_string()],
                ValueRange::Word(words) => words.iter().map(|&word| word.to_owned()).collect(),
                ValueRange::Label | ValueRange::File => vec![String::new()],
            };
            for value in ends {
                let name = format!("{}:{}={value}", entry.name, parameter.name);
                for seed in [5, 33] {
                    let workload = Workload::random(seed);
                    assert_eq!(workload.outcomes(&name).len(), workload.queries.len(), "{name}");
                }
            }
        }
    }
}
