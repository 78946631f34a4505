//! Laws that hold for every scheme of the table, over random towns and many turns.

use baselines::{by_name, names};
use meshcloak::distance::Atlas;
use meshcloak::engine::{Batch, turn};
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::region::Region;
use meshcloak::scheme::{Pace, Scheme, State};
use meshcloak::town::Town;
use meshcloak::units::{Length, Time};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A town and a crowd in order of time, numbered in that order.
struct Day {
    seed: u64,
    town: Town,
    atlas: Arc<Atlas>,
    queries: Vec<Query>,
}

/// What became of somebody.
#[derive(Clone, Debug, PartialEq)]
enum Fate {
    Served { members: Vec<QueryId>, region: Region<'static> },
    Expired,
}

impl Day {
    fn random(seed: u64) -> Day {
        let town = Town::random(seed);
        let mut queries = town.random_queries(&mut Town::generator(seed), 4 + seed as usize % 50);
        queries.sort_by_key(|query| query.asked_at);
        for (number, query) in queries.iter_mut().enumerate() {
            query.id = QueryId(number as u64);
        }
        let atlas = Arc::new(Atlas::new(town.map.clone(), Length::metres(2_000.0)));
        Day { seed, town, atlas, queries }
    }

    fn scheme(&self, name: &str) -> Box<dyn Scheme> {
        by_name(&self.atlas, name).expect("a name of the table")
    }

    /// The turns of the day as the scheme wants them: once a second, or for each arrival and once
    /// a second for whose patience is over.
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

    /// What becomes of everyone; in every turn a fresh scheme is asked as well.
    fn fates(&self, name: &str) -> Vec<Fate> {
        let mut warm = self.scheme(name);
        let mut state = State::default();
        let mut fates: Vec<Option<Fate>> = vec![None; self.queries.len()];
        for batch in self.batches(warm.describe().pace) {
            let mut cold = self.scheme(name);
            let told = outcomes(cold.as_mut(), &mut state.clone(), batch.clone());
            let done = outcomes(warm.as_mut(), &mut state, batch);
            assert_eq!(done, told, "{name}: warm and cold, seed {}\n{}", self.seed, self.town);
            for (query, fate) in done {
                let fate = fates[query.0 as usize].replace(fate);
                assert_eq!(fate, None, "{name}: twice, seed {}\n{}", self.seed, self.town);
            }
        }
        assert!(state.waiting.is_empty(), "{name}: {} still wait", state.waiting.len());
        fates.into_iter().map(|fate| fate.expect("everyone ends")).collect()
    }
}

/// What a turn did, to whom.
fn outcomes(scheme: &mut dyn Scheme, state: &mut State, batch: Batch) -> Vec<(QueryId, Fate)> {
    let done = turn(scheme, state, batch, &mut ());
    let expired = done.expired.iter().map(|query| (query.id, Fate::Expired));
    let served = done.served.iter().map(|(query, set)| {
        let set = done.published.set(*set);
        let (members, region) = (set.members.to_vec(), set.region.into_owned());
        (query.id, Fate::Served { members, region })
    });
    expired.chain(served).collect()
}

/// Every scheme but planar Laplace hides people among people.
fn has_a_crowd(name: &str) -> bool {
    name != "planar-laplace"
}

#[test]
fn everyone_ends_once_and_a_warm_scheme_answers_as_a_cold_one() {
    for name in names() {
        let (mut served, mut expired) = (0, 0);
        for seed in 0..60 {
            for fate in Day::random(seed * 7).fates(name) {
                *if fate == Fate::Expired { &mut expired } else { &mut served } += 1;
            }
        }
        assert!(served > 30 && expired > 30, "{name}: {served} served, {expired} expired");
    }
}

#[test]
fn sets_hold_different_people_and_everybody_they_serve() {
    for name in names() {
        for seed in 0..60 {
            let day = Day::random(seed * 7 + 3);
            for (query, fate) in day.queries.iter().zip(day.fates(name)) {
                let Fate::Served { members, region } = fate else { continue };
                let at = format!("{name}, seed {} {query:?}\n{}", day.seed, day.town);
                let user = |member: &QueryId| day.queries[member.0 as usize].user;
                let users: BTreeSet<UserId> = members.iter().map(user).collect();
                assert_eq!(users.len(), members.len(), "{at}");
                assert!(members.contains(&query.id) && members.is_sorted(), "{at}");
                if has_a_crowd(name) {
                    assert!(members.len() >= query.k as usize, "{at}");
                    let positions = members.iter().map(|m| day.queries[m.0 as usize].position);
                    for position in positions {
                        assert!(region.contains(&day.town.map, position), "{at}");
                    }
                }
            }
        }
    }
}
