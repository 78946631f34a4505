//! Replays queries through sequential schemes and checks common properties.

use meshcloak::engine::{Batch, turn};
use meshcloak::guard::Promise;
use meshcloak::history::Horizon;
use meshcloak::query::{Query, QueryId};
use meshcloak::region::Region;
use meshcloak::scheme::{Description, Observer, Pace, Published, Scheme, State};
use meshcloak::units::Time;
use std::collections::BTreeSet;

/// A stateful scheme compared in each turn with a fresh one.
pub struct WarmAndCold<F> {
    warm: Box<dyn Scheme>,
    fresh: F,
}

impl<F: Fn() -> Box<dyn Scheme> + Send> WarmAndCold<F> {
    pub fn new(fresh: F) -> WarmAndCold<F> {
        WarmAndCold { warm: fresh(), fresh }
    }
}

impl<F: Fn() -> Box<dyn Scheme> + Send> Scheme for WarmAndCold<F> {
    fn name(&self) -> &'static str {
        self.warm.name()
    }

    fn describe(&self) -> Description {
        self.warm.describe()
    }

    fn history_horizon(&self) -> Option<Horizon> {
        self.warm.history_horizon()
    }

    fn promise(&self) -> Option<Promise> {
        self.warm.promise()
    }

    fn cloak(&mut self, state: &State, now: Time, observer: &mut dyn Observer) -> &mut Published {
        let mut cold = (self.fresh)();
        let expected = cold.cloak(state, now, observer);
        let found = self.warm.cloak(state, now, observer);
        assert_eq!(found, expected, "warm and cold differ at turn {}", state.turns);
        found
    }
}

/// A published set and the queries it serves.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedSet {
    pub members: Vec<QueryId>,
    pub served: Vec<QueryId>,
    pub region: Region<'static>,
}

/// Result of one turn.
pub struct Step<'a> {
    /// Waiting queries before publication, newest last.
    pub waiting: Vec<Query>,
    /// `None` in a turn without arrivals.
    pub newest: Option<&'a Query>,
    pub sets: Vec<PublishedSet>,
    pub truncated: bool,
}

/// Submits the queries in order of time and passes each step to `inspect`. Returns the number of
/// served queries.
pub fn run(
    scheme: &mut dyn Scheme,
    queries: &[Query],
    mut inspect: impl FnMut(&Step<'_>),
) -> usize {
    assert_eq!(scheme.describe().pace, Pace::Sequential);
    let mut order: Vec<&Query> = queries.iter().collect();
    order.sort_by_key(|query| query.asked_at);
    let mut turns: Vec<(Time, Option<&Query>)> = Vec::new();
    for (index, query) in order.into_iter().enumerate() {
        if index % 7 == 3 {
            turns.push((query.asked_at, None));
        }
        turns.push((query.asked_at, Some(query)));
    }
    turns.push((Time::from_millis(1 << 40), None));
    let mut state = State::default();
    let mut ended = BTreeSet::new();
    let mut count = 0;
    for (now, newest) in turns {
        let batch =
            Batch { now, arrivals: newest.cloned().into_iter().collect(), cancelled: vec![] };
        let mut waiting: Vec<Query> =
            state.waiting.iter().cloned().chain(newest.cloned()).collect();
        waiting.retain(|query| !query.has_expired(now));
        let done = turn(scheme, &mut state, batch, &mut ());
        let all = done.expired.iter().chain(done.served.iter().map(|(query, _)| query));
        all.for_each(|query| assert!(ended.insert(query.id), "{query:?} ended twice"));
        count += done.served.len();
        let sets = (0..done.published.set_count() as u32).map(|set| {
            let anonymity_set = done.published.set(set);
            let members = done.served.iter().filter(|(_, other)| *other == set);
            let mut served: Vec<QueryId> = members.map(|(query, _)| query.id).collect();
            served.sort_unstable();
            PublishedSet {
                members: anonymity_set.members.to_vec(),
                served,
                region: anonymity_set.region.into_owned(),
            }
        });
        let (sets, truncated) = (sets.collect(), done.published.stats.truncated);
        inspect(&Step { waiting, newest, sets, truncated });
    }
    assert!(state.waiting.is_empty());
    assert_eq!(ended.len(), queries.len(), "every query ends in exactly one way");
    count
}

/// Returns the query with an id.
pub fn find(waiting: &[Query], id: QueryId) -> &Query {
    waiting.iter().find(|query| query.id == id).expect("published queries are waiting")
}
