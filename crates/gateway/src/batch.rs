//! One batch of the engine: collects arrivals, runs the scheme, and turns published sets into
//! requests to the service. Has no clock and no thread; see [`crate::ticker`].

use crate::gateway::Gateway;
use crate::inquiry::Inquiry;
use crate::mailbox::{Arrival, Collected, Pending};
use crate::metrics::BatchFacts;
use crate::outcome::Outcome;
use crate::requests::{RequestBuilder, Requests, ServedSet};
use crate::waiting::{Ended, WaitingQueries};
use meshcloak::engine::{Batch, turn};
use meshcloak::guarantee::Guarantee;
use meshcloak::guard::{Rejections, Violation};
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::query::{Query, QueryId};
use meshcloak::scheme::{Scheme, State, Stats};
use meshcloak::units::Time;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The scheme, its state, and the waiting queries.
pub struct BatchEngine {
    gateway: Arc<Gateway>,
    scheme: Box<dyn Scheme>,
    state: State,
    waiting: WaitingQueries,
    /// Whether a newer query of a user replaces the waiting one.
    one_per_user: bool,
    /// Whether the scheme reads the accounts of queries.
    across_accounts: bool,
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
    /// Sizes and counts, such as the sets that were not published.
    pub stats: Stats,
}

impl BatchEngine {
    /// Creates an engine with MeshCloak as configured and no waiting queries.
    pub fn new(gateway: Arc<Gateway>) -> BatchEngine {
        let engine = &gateway.config().engine;
        let settings = Settings {
            guarantee: engine.guarantee,
            region: engine.region,
            horizon: engine.horizon,
            across_accounts: engine.across_accounts,
            ..Settings::default()
        };
        let scheme = Box::new(MeshCloak::new(Arc::clone(gateway.atlas()), settings));
        BatchEngine::with_scheme(gateway, scheme)
    }

    pub(crate) fn with_scheme(gateway: Arc<Gateway>, scheme: Box<dyn Scheme>) -> BatchEngine {
        let promise = scheme.promise();
        let across_accounts = promise.as_ref().is_some_and(|p| p.across_accounts);
        let one_per_user = promise.is_some_and(|p| p.guarantee.has_one_query_per_user());
        let (state, waiting) = (State::default(), WaitingQueries::default());
        BatchEngine { gateway, scheme, state, waiting, one_per_user, across_accounts }
    }

    /// Number of waiting queries.
    pub fn waiting_count(&self) -> usize {
        self.state.waiting.len()
    }

    /// Runs one batch over all queries asked up to `at`.
    pub fn turn(&mut self, at: Time) -> Round {
        let began = Instant::now();
        let mut ended = Ended::new();
        let mut batch = self.collect(at, &mut ended);
        self.record_users(&mut batch, &mut ended);
        let turned = turn(&mut *self.scheme, &mut self.state, batch, &mut ());
        for query in turned.replaced.iter().chain(&turned.cancelled) {
            self.waiting.remove(query); // their pendings are carried or cancelled
        }
        turned.expired.iter().for_each(|query| self.waiting.expire(query, &mut ended));
        let mut builder = RequestBuilder {
            gateway: &self.gateway,
            at,
            waiting: &mut self.waiting,
            published: turned.published,
            ended: &mut ended,
        };
        let Requests { inquiries: requests, sets } = builder.requests(turned.served);
        let stats = turned.published.stats;
        let facts =
            BatchFacts { sets: turned.published.set_count(), inquiries: requests.len(), stats };
        self.gateway.metrics().batch(facts);
        log_rejections(stats.rejected);
        self.gateway.metrics().turns.record(began.elapsed(), 1);
        let (published, took) = (Instant::now(), began.elapsed());
        Round { at, published, took, requests, sets, ended, stats }
    }

    /// Takes the arrivals and cancellations up to `at`, and ends the pendings of waiting queries
    /// that were cancelled or are overdue. Pendings expire before they are carried.
    fn collect(&mut self, at: Time, ended: &mut Ended) -> Batch {
        let Collected { arrivals, mut cancelled } = self.gateway.mailbox().collect(at);
        cancelled.sort_unstable();
        self.cancel(&cancelled, ended);
        for query in self.state.waiting.iter_mut().filter(|query| query.has_expired(at)) {
            self.waiting.end_overdue(query, at, ended);
        }
        let mut queries = Vec::with_capacity(arrivals.len());
        for Arrival { query, pending, previous } in arrivals {
            if cancelled.binary_search(&pending.id).is_ok() {
                ended.push((pending, Outcome::Cancelled));
                continue;
            }
            let (mut query, previous) = (query.into_exposed(), previous.into_exposed());
            if self.across_accounts {
                self.state.accounts.set(query.id, pending.account.id());
            }
            self.waiting.insert(&query, pending, previous.is_some());
            if self.gateway.guarantee() == Guarantee::History {
                self.state.history.set_previous(query.id, previous);
            }
            if self.one_per_user {
                self.waiting.carry(&mut query, at, ended);
            }
            queries.push(query);
        }
        let is_empty = |query: &&Query| self.waiting.is_empty(query.id);
        let cancelled = match cancelled.is_empty() {
            true => Vec::new(),
            false => self.state.waiting.iter().filter(is_empty).map(|query| query.id).collect(),
        };
        Batch { now: at, arrivals: queries, cancelled }
    }

    /// Makes the users of a batch durable, under `history`. If that fails, all queries fail and the
    /// batch cannot publish any of them.
    fn record_users(&mut self, batch: &mut Batch, ended: &mut Ended) {
        let queries = || batch.arrivals.iter().chain(&self.state.waiting);
        if !self.gateway.record_users(queries().map(|query| query.user), batch.now) {
            batch.cancelled = queries().map(|query| query.id).collect();
            let pendings = self.waiting.drain().into_iter();
            ended.extend(pendings.map(|pending| (pending, Outcome::Failed)));
        }
    }

    /// Cancels pendings of waiting queries, given by ascending number.
    fn cancel(&mut self, cancelled: &[QueryId], ended: &mut Ended) {
        let carriers = cancelled.iter().filter_map(|&id| self.waiting.cancel(id, ended));
        let mut carriers: Vec<QueryId> = carriers.collect();
        if carriers.is_empty() {
            return;
        }
        carriers.sort_unstable();
        for query in &mut self.state.waiting {
            if carriers.binary_search(&query.id).is_ok() {
                self.waiting.update(query);
            }
        }
    }

    /// Ends all waiting queries with `outcome`, those of the mailbox included, in order of
    /// arrival. Called when the gateway stops.
    pub fn end_all(&mut self, at: Time, outcome: Outcome) -> Round {
        self.state.waiting.clear();
        let unseen = self.gateway.mailbox().collect(Time::from_millis(u64::MAX)).arrivals;
        let all = self
            .waiting
            .drain()
            .into_iter()
            .chain(unseen.into_iter().map(|arrival| arrival.pending));
        let ended = all.map(|pending| (pending, outcome)).collect();
        let (requests, sets, stats) = (Vec::new(), Vec::new(), Stats::default());
        let (published, took) = (Instant::now(), Duration::ZERO);
        Round { at, published, took, requests, sets, ended, stats }
    }
}

/// Logs which checks of the guard failed.
fn log_rejections(rejected: Rejections) {
    for check in Violation::ALL {
        let sets = rejected.count(check);
        if sets > 0 {
            tracing::error!(check = check.name(), sets, "the guard rejected anonymity sets");
        }
    }
}
