//! One batch of the engine: collects arrivals, runs the scheme, and turns published sets into
//! requests to the service. Has no clock and no thread; see [`crate::ticker`].

use crate::gateway::Gateway;
use crate::inquiry::Inquiry;
use crate::mailbox::{Collected, Pending};
use crate::metrics::BatchFacts;
use crate::outcome::Outcome;
use crate::requests::{RequestBuilder, Requests, ServedSet};
use meshcloak::engine::{Batch, turn};
use meshcloak::guarantee::Guarantee;
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::query::{Query, QueryId};
use meshcloak::scheme::{Scheme, State};
use meshcloak::units::Time;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The scheme, its state, and the waiting queries.
pub struct BatchEngine {
    gateway: Arc<Gateway>,
    scheme: Box<dyn Scheme>,
    state: State,
    waiting: FxHashMap<QueryId, WaitingQuery>,
    /// Queries of the last batch's sets in which no member has a question. They are resubmitted
    /// with the next batch.
    deferred: Vec<Query>,
}

pub(crate) struct WaitingQuery {
    pub pending: Pending,
    /// Whether an earlier position of the user was known on arrival.
    pub has_past: bool,
}

/// Result of a batch.
#[derive(Debug)]
pub struct Round {
    /// Time of the batch.
    pub at: Time,
    /// End of the batch, wall clock.
    pub published: Instant,
    /// Duration of the batch.
    pub took: Duration,
    /// Requests to the service, distinct and shuffled.
    pub requests: Vec<Inquiry>,
    /// Published sets with a question.
    pub sets: Vec<ServedSet>,
    /// Queries that ended without a request.
    pub ended: Vec<(Pending, Outcome)>,
}

impl BatchEngine {
    /// Creates an engine with MeshCloak as configured and no waiting queries.
    pub fn new(gateway: Arc<Gateway>) -> BatchEngine {
        let engine = &gateway.config().engine;
        let settings = Settings {
            guarantee: engine.guarantee,
            region: engine.region,
            horizon: engine.horizon,
            ..Settings::default()
        };
        let scheme = Box::new(MeshCloak::new(Arc::clone(gateway.atlas()), settings));
        BatchEngine::with_scheme(gateway, scheme)
    }

    pub(crate) fn with_scheme(gateway: Arc<Gateway>, scheme: Box<dyn Scheme>) -> BatchEngine {
        let (state, waiting, deferred) = (State::default(), FxHashMap::default(), Vec::new());
        BatchEngine { gateway, scheme, state, waiting, deferred }
    }

    /// Number of waiting queries.
    pub fn waiting_count(&self) -> usize {
        self.state.waiting.len() + self.deferred.len()
    }

    /// Runs one batch over all queries asked up to `at`.
    pub fn turn(&mut self, at: Time) -> Round {
        let began = Instant::now();
        let Collected { arrivals, cancelled } = self.gateway.mailbox().collect(at);
        let mut queries = std::mem::take(&mut self.deferred);
        queries.reserve(arrivals.len());
        for arrival in arrivals {
            let query = arrival.query.into_exposed();
            let previous = arrival.previous.into_exposed();
            let has_past = previous.is_some();
            if self.gateway.guarantee() == Guarantee::History {
                self.state.history.set_previous(query.id, previous);
            }
            self.waiting.insert(query.id, WaitingQuery { pending: arrival.pending, has_past });
            queries.push(query);
        }
        let mut batch = Batch { now: at, arrivals: queries, cancelled };
        let users = batch.arrivals.iter().chain(&self.state.waiting).map(|query| query.user);
        let recorded = self.gateway.record_users(users, at);
        if !recorded {
            batch.cancelled = self.waiting.keys().copied().collect();
        }
        let withdrawn = if recorded { Outcome::Cancelled } else { Outcome::Failed };
        let turned = turn(&mut *self.scheme, &mut self.state, batch, &mut ());
        let mut ended = Vec::with_capacity(turned.expired.len() + turned.cancelled.len());
        let unserved = [(turned.expired, Outcome::Expired), (turned.cancelled, withdrawn)];
        for (queries, outcome) in unserved {
            let removed = queries.iter().filter_map(|query| self.waiting.remove(&query.id));
            ended.extend(removed.map(|waiting| (waiting.pending, outcome)));
        }
        let mut builder = RequestBuilder {
            gateway: &self.gateway,
            at,
            waiting: &mut self.waiting,
            published: turned.published,
            deferred: &mut self.deferred,
            ended: &mut ended,
        };
        let Requests { inquiries: requests, sets } = builder.requests(turned.served);
        let stats = turned.published.stats;
        self.gateway.metrics().batch(BatchFacts {
            sets: turned.published.set_count(),
            inquiries: requests.len(),
            truncated: stats.truncated,
            suppressed: stats.rejected.total(),
        });
        self.gateway.metrics().turns.record(began.elapsed(), 1);
        Round { at, published: Instant::now(), took: began.elapsed(), requests, sets, ended }
    }

    /// Ends all waiting queries with `outcome`, those of the mailbox included, in order of
    /// arrival. Called when the gateway stops.
    pub fn end_all(&mut self, at: Time, outcome: Outcome) -> Round {
        self.state.waiting.clear();
        self.deferred.clear();
        let mut waiting: Vec<(QueryId, WaitingQuery)> = self.waiting.drain().collect();
        waiting.sort_unstable_by_key(|(id, _)| *id);
        let unseen = self.gateway.mailbox().collect(Time::from_millis(u64::MAX)).arrivals;
        let waiting = waiting.into_iter().map(|(_, waiting)| waiting.pending);
        let all = waiting.chain(unseen.into_iter().map(|arrival| arrival.pending));
        let ended = all.map(|pending| (pending, outcome)).collect();
        let (requests, sets) = (Vec::new(), Vec::new());
        Round { at, published: Instant::now(), took: Duration::ZERO, requests, sets, ended }
    }
}
