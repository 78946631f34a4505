//! Replays the recorded queries with one scheme.

use crate::recording::RecordedSecond;
use attacks::InspectedScheme;
use meshcloak::engine::{Batch, RecordedPast, turn};
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::region::Region;
use meshcloak::scheme::{Pace, Published, Scheme, State};
use meshcloak::units::Time;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A published query.
#[derive(Clone, Debug)]
pub struct ReplayedPublication {
    /// The query.
    pub query: Query,
    /// Time of the publication.
    pub at: Time,
    /// Queries of the anonymity set.
    pub members: Arc<Vec<QueryId>>,
    /// Published region.
    pub region: Arc<Region<'static>>,
    /// Input of the scheme at that turn, if recent.
    pub state: Option<Arc<State>>,
}

/// All publications of a replay.
#[derive(Debug, Default)]
pub struct Replay {
    /// Publications of each user, in order of time.
    pub published: BTreeMap<UserId, Vec<ReplayedPublication>>,
    /// All queries by id.
    pub queries: BTreeMap<QueryId, Query>,
}

/// Age in milliseconds up to which a publication can be attacked and its state is kept.
pub const MAX_AGE_MILLIS: u64 = 4_000;

impl Replay {
    /// Runs a scheme on the recorded queries.
    pub fn new(scheme: Box<dyn Scheme>, seconds: &[RecordedSecond]) -> Replay {
        let pace = scheme.describe().pace;
        let mut replay = Replay::default();
        let mut past = RecordedPast::new(scheme.as_ref());
        let (seen, is_active) = (Mutex::new(None), AtomicBool::new(false));
        let inspect = |state: &State, _: Time, _: &Published| {
            *seen.lock() = is_active.load(Ordering::Relaxed).then(|| state.clone());
        };
        let mut scheme = InspectedScheme { scheme, inspect };
        let mut state = State::default();
        let end = seconds.last().map_or(0, |second| second.at.as_millis());
        for second in seconds {
            is_active.store(second.at.as_millis() + MAX_AGE_MILLIS > end, Ordering::Relaxed);
            for query in second.queries.iter() {
                replay.queries.insert(query.id, query.clone());
            }
            for mut batch in batches(pace, second) {
                past.record(&mut batch.arrivals, &mut state);
                let served = replay.turn(&mut scheme, &mut state, batch, &seen);
                past.leave(&served);
            }
        }
        replay
    }

    /// Runs a turn, stores its publications and returns the served queries; `seen` receives the input
    /// of the scheme.
    fn turn(
        &mut self,
        scheme: &mut dyn Scheme,
        state: &mut State,
        batch: Batch,
        seen: &Mutex<Option<State>>,
    ) -> Vec<(Query, u32)> {
        let at = batch.now;
        let turned = turn(scheme, state, batch, &mut ());
        let mut sets: BTreeMap<u32, (Arc<Vec<QueryId>>, Arc<Region<'static>>)> = BTreeMap::new();
        let mut served = Vec::with_capacity(turned.served.len());
        for (query, set) in turned.served.iter().cloned() {
            let (members, region) = sets.entry(set).or_insert_with(|| {
                let set = turned.published.set(set);
                (Arc::new(set.members.to_vec()), Arc::new(set.region.into_owned()))
            });
            served.push((query, Arc::clone(members), Arc::clone(region)));
        }
        let seen_state = seen.lock().take().filter(|_| !served.is_empty()).map(Arc::new);
        for (query, members, region) in served {
            let user = query.user;
            let publication =
                ReplayedPublication { query, at, members, region, state: seen_state.clone() };
            self.published.entry(user).or_default().push(publication);
        }
        turned.served
    }

    /// Returns the last publication of a user and its index, if it is recent.
    pub fn recent(&self, user: UserId, end: Time) -> Option<(usize, &ReplayedPublication)> {
        let publications = self.published.get(&user)?;
        let last = publications.last()?;
        (last.at.as_millis() + MAX_AGE_MILLIS > end.as_millis() && last.state.is_some())
            .then_some((publications.len() - 1, last))
    }
}

/// Splits a second into the batches of a scheme: one, or one per query.
fn batches(pace: Pace, second: &RecordedSecond) -> Vec<Batch> {
    let batch = |now, arrivals| Batch { now, arrivals, cancelled: Vec::new() };
    match pace {
        Pace::Batch => vec![batch(second.at, second.queries.to_vec())],
        Pace::Sequential => {
            let each =
                second.queries.iter().map(|query| batch(query.asked_at, vec![query.clone()]));
            each.chain([batch(second.at, Vec::new())]).collect()
        }
    }
}
