//! Feeds schemes one query at a time, checking what holds for all of them.

use meshcloak::engine::{Batch, turn};
use meshcloak::guard::Promise;
use meshcloak::query::{Query, QueryId};
use meshcloak::region::Region;
use meshcloak::scheme::{Description, Observer, Pace, Published, Scheme, State};
use meshcloak::units::Time;
use std::collections::BTreeSet;
use std::time::Duration;

/// A scheme that remembers, beside one made anew for every turn: they must answer the same.
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

    fn history_horizon(&self) -> Option<Duration> {
        self.warm.history_horizon()
    }

    fn promise(&self) -> Option<Promise> {
        self.warm.promise()
    }

    fn cloak(&mut self, state: &State, now: Time, watch: &mut dyn Observer) -> &mut Published {
        let mut cold = (self.fresh)();
        let expected = cold.cloak(state, now, watch);
        let found = self.warm.cloak(state, now, watch);
        assert_eq!(found, expected, "warm and cold differ at turn {}", state.turns);
        found
    }
}

/// A set that was published: who is in it, whom it serves, under which region.
#[derive(Clone, Debug, PartialEq)]
pub struct Set {
    pub members: Vec<QueryId>,
    pub served: Vec<QueryId>,
    pub region: Region<'static>,
}

/// What one turn did, and to whom.
pub struct Step<'a> {
    /// Who waited when the scheme was asked, the newest last.
    pub waiting: Vec<Query>,
    /// Nobody, in a turn that only expires.
    pub newest: Option<&'a Query>,
    pub sets: Vec<Set>,
    pub truncated: bool,
}

/// Everyone asks in order of time; `look` sees every step. Gives how many were served.
pub fn run(scheme: &mut dyn Scheme, crowd: &[Query], mut look: impl FnMut(&Step<'_>)) -> usize {
    assert_eq!(scheme.describe().pace, Pace::Sequential);
    let mut order: Vec<&Query> = crowd.iter().collect();
    order.sort_by_key(|query| query.asked_at);
    let mut turns: Vec<(Time, Option<&Query>)> = Vec::new();
    for (place, query) in order.into_iter().enumerate() {
        if place % 7 == 3 {
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
            let cloaking = done.published.set(set);
            let hers = done.served.iter().filter(|(_, other)| *other == set);
            let mut served: Vec<QueryId> = hers.map(|(query, _)| query.id).collect();
            served.sort_unstable();
            Set { members: cloaking.members.to_vec(), served, region: cloaking.region.into_owned() }
        });
        let (sets, truncated) = (sets.collect(), done.published.stats.truncated);
        look(&Step { waiting, newest, sets, truncated });
    }
    assert!(state.waiting.is_empty());
    assert_eq!(ended.len(), crowd.len(), "every query ends in exactly one way");
    count
}

/// The query with an id.
pub fn find(waiting: &[Query], id: QueryId) -> &Query {
    waiting.iter().find(|query| query.id == id).expect("who is published waits")
}
