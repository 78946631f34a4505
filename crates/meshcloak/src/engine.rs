//! One turn of the cloaking engine (Algorithm 4, body of the loop): waiting and expiry are the
//! same for every scheme.

use crate::query::{Query, QueryId};
use crate::region::Region;
use crate::scheme::{Observer, Published, Scheme, Stage, State};
use crate::service_odds::WaitOutcome;
use crate::units::Time;
use std::time::Duration;

/// What has come in since the last turn.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The time of the turn.
    pub now: Time,
    /// Who has asked, in order of arrival.
    pub arrivals: Vec<Query>,
    /// Who no longer wants an answer.
    pub cancelled: Vec<QueryId>,
}

/// What a turn did.
#[derive(Debug)]
pub struct Turn<'a> {
    /// The published sets, and who is served by them.
    pub published: &'a Published,
    /// Who is served: her query, and the number of her set; in order of arrival.
    pub served: Vec<(Query, u32)>,
    /// Whose patience was over.
    pub expired: Vec<Query>,
    /// Who was taken back.
    pub cancelled: Vec<Query>,
}

/// One turn: collect, expire, cloak, settle. Cannot fail; whatever can be wrong with a query is
/// refused before it gets here.
pub fn turn<'a>(
    scheme: &'a mut dyn Scheme,
    state: &mut State,
    batch: Batch,
    watch: &mut dyn Observer,
) -> Turn<'a> {
    watch.stage(Stage::Collect);
    let (now, memory) = (batch.now, scheme.history_horizon());
    let gone = collect(state, batch, memory);
    state.turns += 1;
    let published = scheme.cloak(state, now, watch); // lines 10–15
    watch.stage(Stage::Settle);
    learn(state, &gone, published);
    state.departed.clear();
    state.arrived = 0;
    let mut served = Vec::with_capacity(published.served().len());
    let mut next = published.served().iter().peekable();
    let mut place = 0;
    if next.peek().is_some() {
        state.waiting.retain(|query| {
            let hers = next.next_if(|served| served.index == place);
            place += 1;
            served.extend(hers.map(|hers| (query.clone(), hers.set)));
            hers.is_none()
        }); // lines 16–17
    }
    state.departed.extend(served.iter().map(|(query, _)| query.id));
    if memory.is_some() {
        for (query, set) in &served {
            let rectangle = match published.set(*set).region {
                Region::Rectangle(rectangle) => Some(rectangle),
                _ => None,
            };
            state.history.leave(query, rectangle);
        }
    }
    let Gone { cancelled, expired } = gone;
    Turn { published, served, expired, cancelled }
}

/// Who leaves without having been served.
struct Gone {
    cancelled: Vec<Query>,
    expired: Vec<Query>,
}

/// Takes arrivals in, and those out who were taken back or whose patience is over.
fn collect(state: &mut State, batch: Batch, memory: Option<Duration>) -> Gone {
    let Batch { now, mut arrivals, mut cancelled } = batch;
    cancelled.sort_unstable();
    if let Some(horizon) = memory {
        state.history.forget(now, horizon);
        arrivals.iter().for_each(|query| state.history.arrive(query));
    }
    let mut gone = Gone { cancelled: Vec::new(), expired: Vec::new() };
    if state.patient_until < now || !cancelled.is_empty() {
        gone.take(&mut state.waiting, now, &cancelled);
        state.departed.extend(gone.cancelled.iter().chain(&gone.expired).map(|query| query.id));
        state.patient_until = earliest_end(&state.waiting);
    }
    gone.take(&mut arrivals, now, &cancelled);
    state.patient_until = state.patient_until.min(earliest_end(&arrivals));
    if memory.is_some() {
        gone.cancelled.iter().chain(&gone.expired).for_each(|q| state.history.leave(q, None));
    }
    state.arrived = arrivals.len();
    state.waiting.append(&mut arrivals); // lines 8–9
    gone
}

/// What became of those whom the last turn left waiting, and whom this one leaves.
fn learn(state: &mut State, gone: &Gone, published: &Published) {
    let State { waiting, odds, .. } = state;
    if published.classes.len() != waiting.len() {
        return; // the scheme does not learn
    }
    // All of these lists are in order of arrival, as are those who were left waiting.
    let mut expired = gone.expired.iter().peekable();
    let mut cancelled = gone.cancelled.iter().peekable();
    let mut served = published.served().iter().peekable();
    let mut place = 0;
    odds.update(|id| {
        let is_hers = |query: &&Query| query.id == id;
        if expired.next_if(is_hers).is_some() {
            return WaitOutcome::Expired;
        }
        if cancelled.next_if(is_hers).is_some() || waiting.get(place).map(|q| q.id) != Some(id) {
            return WaitOutcome::Cancelled;
        }
        place += 1;
        match served.next_if(|served| served.index as usize == place - 1) {
            Some(_) => WaitOutcome::Served,
            None => WaitOutcome::Waiting(published.classes[place - 1]),
        }
    });
    let mut served = published.served().iter().peekable();
    let places = waiting.iter().zip(&published.classes).enumerate();
    odds.set_waiting(places.filter_map(|(place, (query, class))| {
        let hers = served.next_if(|served| served.index as usize == place);
        hers.is_none().then_some((query.id, *class))
    }));
}

/// When the first patience ends; never, if nobody waits.
fn earliest_end(queries: &[Query]) -> Time {
    let ends = queries.iter().map(|query| query.asked_at + query.temporal_tolerance);
    ends.min().unwrap_or(Time::MAX)
}

impl Gone {
    /// Those of a list who were taken back (ascending) or whose patience is over.
    fn take(&mut self, list: &mut Vec<Query>, now: Time, cancelled: &[QueryId]) {
        if !cancelled.is_empty() {
            let is_taken_back = |query: &Query| cancelled.binary_search(&query.id).is_ok();
            self.cancelled.append(&mut take(list, is_taken_back));
        }
        self.expired.append(&mut take(list, |query| query.has_expired(now))); // lines 3–7
    }
}

/// Takes those out of the list that `wanted` picks, keeping the order of both.
fn take(list: &mut Vec<Query>, wanted: impl Fn(&Query) -> bool) -> Vec<Query> {
    list.extract_if(.., |query| wanted(query)).collect()
}
