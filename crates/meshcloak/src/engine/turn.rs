//! One turn of the engine: collect, expire, cloak, guard, settle (Algorithm 4, body of the loop).

use crate::guarantee::Guarantee;
#[cfg(doc)]
use crate::guarantee::HistoryClock;
use crate::guard::{Inspected, Promise};
use crate::history::{Horizon, Publication};
use crate::query::{Query, QueryId};
use crate::scheme::{Disclosure, Observer, Published, Scheme, Stage, State};
use crate::service_odds::WaitOutcome;
use crate::units::Time;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Input of one turn.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Time of the turn.
    pub now: Time,
    /// New queries, in order of arrival.
    pub arrivals: Vec<Query>,
    /// Queries whose users no longer want an answer.
    pub cancelled: Vec<QueryId>,
}

/// Result of one turn.
#[derive(Debug)]
pub struct Turn<'a> {
    /// Time of the turn.
    pub at: Time,
    /// The published sets.
    pub published: &'a Published,
    /// Served queries with the number of their set, in order of arrival.
    pub served: Vec<(Query, u32)>,
    /// Queries whose temporal tolerance has ended.
    pub expired: Vec<Query>,
    /// Queries that a newer one of the same user replaces, in order of arrival.
    pub replaced: Vec<Query>,
    /// Queries that were cancelled.
    pub cancelled: Vec<Query>,
}

impl Turn<'_> {
    /// Returns what leaves for the service.
    pub fn disclosures(&self) -> Vec<Disclosure> {
        self.published.disclosures(self.at)
    }

    /// Returns the served queries whose users receive the answer to a disclosure.
    pub fn recipients(&self, disclosure: &Disclosure) -> impl Iterator<Item = &Query> {
        let is_recipient = |set: u32| self.published.set(set).region == disclosure.region;
        self.served.iter().filter(move |(_, set)| is_recipient(*set)).map(|(query, _)| query)
    }
}

/// Runs one turn: collect, expire, replace, cloak, guard, settle.
///
/// **One waiting query per user** (docs/SPEC.md §6), if the scheme promises a guarantee other than
/// `paper`: an arrival replaces the waiting query of its user, and of several arrivals of a user the
/// last one stays. Queries expire first (docs/SPEC.md §5): a waiting query whose tolerance has ended
/// is expired, not replaced, and an arrival whose tolerance has ended replaces nothing. A scheme
/// without a promise lets the queries of a user wait side by side.
///
/// **A set without an asker is not published**, whatever the scheme promises: if no query that a
/// set serves [asks](Query::asks), these queries go on waiting.
///
/// # Panics
/// If the scheme promises `history` and an arrival has no entry in [`State::history`]: see
/// [`Admission::admit`](crate::guarantee::Admission::admit).
pub fn turn<'a>(
    scheme: &'a mut dyn Scheme,
    state: &mut State,
    batch: Batch,
    observer: &mut dyn Observer,
) -> Turn<'a> {
    observer.stage(Stage::Collect);
    let (at, horizon, promise) = (batch.now, scheme.history_horizon(), scheme.promise());
    if needs_admission(scheme) {
        let mut arrivals = (state.waiting.len()..).zip(&batch.arrivals);
        let all_admitted =
            arrivals.all(|(index, query)| state.history.is_admitted(index, query.id));
        assert!(all_admitted, "`history` needs Admission::admit first");
    }
    let one_per_user = promise.as_ref().is_some_and(|p| p.guarantee.has_one_query_per_user());
    let is_published = promise.as_ref().is_some_and(Promise::depends_on_what_left);
    let remembers = scheme.remembers();
    let departed = collect(state, batch, &Rules { horizon, remembers, one_per_user, is_published });
    state.turns += 1;
    let published = scheme.cloak(state, at, observer); // lines 10–15
    observer.stage(Stage::Settle);
    remove_idle_sets(&state.waiting, published);
    if let Some(promise) = promise {
        let State { guard, waiting, history, accounts, .. } = state;
        accounts.purge(waiting);
        guard.inspect(&promise, Inspected { waiting, history, accounts, now: at }, published);
    }
    update_odds(state, &departed, published);
    state.history.keep_reached(std::mem::take(&mut published.reached));
    let served = settle(state, published, horizon);
    if is_published {
        served.iter().for_each(|(query, _)| state.history.leave(query));
    }
    let Departed { cancelled, expired, replaced } = departed;
    Turn { at, published, served, expired, replaced, cancelled }
}

/// Removes the sets that serve no query with a question.
fn remove_idle_sets(waiting: &[Query], published: &mut Published) {
    if waiting.iter().all(|query| query.asks) {
        return;
    }
    let mut has_asker = vec![false; published.set_count()];
    for served in published.served() {
        let asks = waiting.get(served.index as usize).is_some_and(|query| query.asks);
        if let Some(has_asker) = has_asker.get_mut(served.set as usize) {
            *has_asker |= asks;
        }
    }
    let idle = has_asker.iter().filter(|has_asker| !**has_asker).count();
    if idle > 0 {
        published.retain(|set| has_asker[set as usize]);
        published.stats.idle += idle;
    }
}

/// Whether arrivals need the previous position that admission returns.
pub(super) fn needs_admission(scheme: &dyn Scheme) -> bool {
    scheme.promise().is_some_and(|promise| promise.guarantee == Guarantee::History)
}

/// Removes the served queries from the waiting list (lines 16–17) and returns them with their sets.
fn settle(state: &mut State, published: &Published, horizon: Option<Horizon>) -> Vec<(Query, u32)> {
    state.departed.clear();
    state.arrived = 0;
    let mut served = Vec::with_capacity(published.served().len());
    let mut next = published.served().iter().peekable();
    let mut index = 0;
    if next.peek().is_some() {
        state.waiting.retain(|query| {
            let entry = next.next_if(|served| served.index == index);
            index += 1;
            served.extend(entry.map(|entry| (query.clone(), entry.set)));
            entry.is_none()
        });
    }
    state.departed.extend(served.iter().map(|(query, _)| query.id));
    if horizon.is_some() {
        remember(state, published, &served);
    }
    served
}

/// Moves served queries to the history, with what the scheme remembers of them, and its visits.
fn remember(state: &mut State, published: &Published, served: &[(Query, u32)]) {
    let remembered = published.remembered.iter().map(|(query, what)| (*query, what));
    let remembered: FxHashMap<QueryId, &Arc<Publication>> = remembered.collect();
    if !remembered.is_empty() {
        for (query, _) in served {
            let what = remembered.get(&query.id);
            what.into_iter().for_each(|what| state.history.remember(query, what));
        }
    }
    state.history.depart(served.iter().map(|(query, _)| query));
    let visits = published.visits.iter();
    visits.for_each(|&(place, user)| state.history.visits_mut().add(place, user));
}

/// Queries that depart without having been served.
#[derive(Default)]
struct Departed {
    cancelled: Vec<Query>,
    expired: Vec<Query>,
    replaced: Vec<Query>,
}

/// What the promise of the scheme asks of [`collect`].
struct Rules {
    /// How long the past of users is kept, if at all.
    horizon: Option<Horizon>,
    /// Whether the scheme remembers publications.
    remembers: bool,
    /// Whether a newer query of a user replaces the waiting one.
    one_per_user: bool,
    /// Whether the past of a user is what has left ([`HistoryClock::Published`]).
    is_published: bool,
}

/// Adds the arrivals to the waiting list and removes cancelled, expired and replaced queries.
fn collect(state: &mut State, batch: Batch, rules: &Rules) -> Departed {
    let &Rules { horizon, remembers, one_per_user, is_published } = rules;
    let Batch { now, mut arrivals, mut cancelled } = batch;
    cancelled.sort_unstable();
    if let Some(horizon) = horizon {
        state.history.forget(now, horizon);
        if remembers {
            arrivals.iter().for_each(|query| state.history.arrive(query));
        }
        if is_published {
            let arrivals = (state.waiting.len()..).zip(&arrivals);
            arrivals.for_each(|(index, query)| state.history.resolve(index, query, now));
        }
    }
    let mut departed = Departed::default();
    if state.next_expiry < now || !cancelled.is_empty() {
        departed.extract(&mut state.waiting, now, &cancelled);
        let ids = departed.cancelled.iter().chain(&departed.expired).map(|query| query.id);
        state.departed.extend(ids);
        state.next_expiry = earliest_expiry(&state.waiting);
    }
    departed.extract(&mut arrivals, now, &cancelled);
    if one_per_user && !arrivals.is_empty() {
        departed.replaced = replace(state, &mut arrivals);
    }
    state.next_expiry = state.next_expiry.min(earliest_expiry(&arrivals));
    if horizon.is_some() {
        let Departed { cancelled, expired, replaced } = &departed;
        let queries = cancelled.iter().chain(expired).chain(replaced);
        state.history.depart(queries);
    }
    state.arrived = arrivals.len();
    state.waiting.append(&mut arrivals); // lines 8–9
    departed
}

/// Removes and returns the queries that a newer one of the same user replaces.
fn replace(state: &mut State, arrivals: &mut Vec<Query>) -> Vec<Query> {
    let indices = state.replacement.find(&state.waiting, arrivals);
    if indices.is_empty() {
        return Vec::new();
    }
    let mut indices = indices.into_iter().peekable();
    let mut index = 0;
    let mut is_replaced = |_: &mut Query| {
        index += 1;
        indices.next_if_eq(&(index - 1)).is_some()
    };
    let mut replaced: Vec<Query> = state.waiting.extract_if(.., &mut is_replaced).collect();
    state.departed.extend(replaced.iter().map(|query| query.id));
    replaced.extend(arrivals.extract_if(.., &mut is_replaced));
    replaced
}

/// Adds to the service odds the outcome of each query with a question that the last turn left
/// waiting, and lists those that this turn leaves waiting. Presence reports are not counted.
fn update_odds(state: &mut State, departed: &Departed, published: &Published) {
    let State { waiting, odds, .. } = state;
    if published.classes.len() != waiting.len() {
        return; // the scheme does not use service odds
    }
    // All lists, including the one of `odds`, are in order of arrival: one pass over each.
    let mut expired = departed.expired.iter().peekable();
    let mut cancelled = departed.cancelled.iter().peekable();
    let mut served = published.served().iter().peekable();
    let mut index = 0;
    odds.update(|id| {
        while waiting.get(index).is_some_and(|query| !query.asks) {
            served.next_if(|served| served.index as usize == index);
            index += 1;
        }
        let is_same = |query: &&Query| query.id == id;
        while expired.next_if(|query| !query.asks).is_some() {}
        while cancelled.next_if(|query| !query.asks).is_some() {}
        if expired.next_if(is_same).is_some() {
            return WaitOutcome::Expired;
        }
        if cancelled.next_if(is_same).is_some() || waiting.get(index).map(|q| q.id) != Some(id) {
            return WaitOutcome::Cancelled;
        }
        index += 1;
        match served.next_if(|served| served.index as usize == index - 1) {
            Some(_) => WaitOutcome::Served,
            None => WaitOutcome::Waiting(published.classes[index - 1]),
        }
    });
    let mut served = published.served().iter().peekable();
    let queries = waiting.iter().zip(&published.classes).enumerate();
    odds.set_waiting(queries.filter_map(|(index, (query, class))| {
        let is_served = served.next_if(|served| served.index as usize == index).is_some();
        (!is_served && query.asks).then_some((query.id, *class))
    }));
}

/// Returns when the first tolerance ends; [`Time::MAX`] for an empty list.
fn earliest_expiry(queries: &[Query]) -> Time {
    let ends = queries.iter().map(|query| query.asked_at + query.temporal_tolerance);
    ends.min().unwrap_or(Time::MAX)
}

impl Departed {
    /// Moves the cancelled (ids ascending) and expired queries of a list here.
    fn extract(&mut self, list: &mut Vec<Query>, now: Time, cancelled: &[QueryId]) {
        if !cancelled.is_empty() {
            let is_cancelled = |query: &mut Query| cancelled.binary_search(&query.id).is_ok();
            self.cancelled.extend(list.extract_if(.., is_cancelled));
        }
        self.expired.extend(list.extract_if(.., |query| query.has_expired(now))); // lines 3–7
    }
}
