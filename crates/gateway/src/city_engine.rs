//! The engine of one city: scheme, state and waiting queries. It runs one batch at a time on the
//! queries it is given, and has no clock, thread, mailbox or network: [`crate::batch`] feeds it
//! from the clients of this process, the crate `cluster` from frontends.

use crate::config::{Config, QuestionsConfig};
use crate::decoys::Decoys;
use crate::inquiry::Inquiry;
use crate::mailbox::{Arrival, Client, Collected, Origin, Pending};
use crate::outcome::Outcome;
use crate::requests::{RequestBuilder, Requests, ServedSet};
use crate::waiting::{Ended, WaitingQueries};
use meshcloak::distance::Atlas;
use meshcloak::engine::{Batch, turn};
use meshcloak::guarantee::{Guarantee, HistoryClock};
use meshcloak::history::{LastPositions, PastPosition};
use meshcloak::map::Position;
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::scheme::{Scheme, State, Stats};
use meshcloak::units::{Speed, Time};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Scheme, state and waiting queries of a city.
pub struct CityEngine<O = Client> {
    atlas: Arc<Atlas>,
    scheme: Box<dyn Scheme>,
    guarantee: Guarantee,
    state: State,
    waiting: WaitingQueries<O>,
    /// Whether a newer query of a user replaces the waiting one.
    one_per_user: bool,
    /// Whether the past of a user is the last query that left.
    is_published_clock: bool,
    /// Whether the scheme reads the accounts of queries.
    reads_accounts: bool,
    /// Seed of the order of requests; `None` uses the system's randomness.
    shuffle_seed: Option<u64>,
    /// `None` if the settings have none.
    decoys: Option<Decoys>,
}

/// Result of a batch.
#[derive(Debug)]
pub struct Round<O = Client> {
    /// Time of the batch.
    pub at: Time,
    /// End of the batch, wall clock.
    pub published: Instant,
    /// Duration of the batch.
    pub took: Duration,
    /// Requests to the service, distinct and shuffled.
    pub requests: Vec<Inquiry>,
    /// Published sets with a question.
    pub sets: Vec<ServedSet<O>>,
    /// Queries that ended without a request, except the present members of `sets`.
    pub ended: Vec<(Pending<O>, Outcome)>,
    /// Number of published sets, those without a question included.
    pub set_count: usize,
    /// Members of the published sets.
    pub left: Vec<Query>,
    /// Number of queries that still wait.
    pub staying: usize,
    /// Sizes and counts, such as the sets that were not published.
    pub stats: Stats,
}

impl<O> Round<O> {
    /// Number of queries that have left the engine with this batch.
    pub fn departed_count(&self) -> usize {
        let sets = self.sets.iter().map(|set| set.members.len().saturating_add(set.present.len()));
        let members: usize = sets.sum();
        members.saturating_add(self.ended.len())
    }

    /// A batch in which nothing has ended.
    pub fn empty(at: Time) -> Round<O> {
        Round {
            at,
            published: Instant::now(),
            took: Duration::ZERO,
            requests: Vec::new(),
            sets: Vec::new(),
            ended: Vec::new(),
            set_count: 0,
            left: Vec::new(),
            staying: 0,
            stats: Stats::default(),
        }
    }
}

impl<O: Origin> CityEngine<O> {
    /// Creates an engine with MeshCloak as configured and no waiting queries.
    pub fn new(atlas: Arc<Atlas>, config: &Config) -> CityEngine<O> {
        let Config { engine, presence, .. } = config;
        let settings = Settings {
            guarantee: engine.guarantee,
            region: engine.region_rule(),
            horizon: engine.horizon_rule(),
            history_clock: engine.history_clock,
            across_accounts: engine.across_accounts,
            presence: presence.rule,
            ..Settings::default()
        };
        let scheme = Box::new(MeshCloak::new(Arc::clone(&atlas), settings));
        CityEngine::with_scheme(atlas, engine.guarantee, scheme)
    }

    /// Creates an engine with a scheme.
    pub(crate) fn with_scheme(
        atlas: Arc<Atlas>,
        guarantee: Guarantee,
        scheme: Box<dyn Scheme>,
    ) -> CityEngine<O> {
        let promise = scheme.promise();
        let reads_accounts = promise
            .as_ref()
            .is_some_and(|p| p.across_accounts || p.guarantee == Guarantee::History);
        let one_per_user = promise.as_ref().is_some_and(|p| p.guarantee.has_one_query_per_user());
        let is_published_clock =
            promise.is_some_and(|p| p.history_clock == HistoryClock::Published);
        CityEngine {
            atlas,
            scheme,
            guarantee,
            state: State::default(),
            waiting: WaitingQueries::default(),
            one_per_user,
            is_published_clock,
            reads_accounts,
            shuffle_seed: None,
            decoys: None,
        }
    }

    /// Adds decoys to the questions of each batch, as configured.
    pub fn with_decoys(mut self, config: QuestionsConfig) -> CityEngine<O> {
        self.decoys = Decoys::new(config, self.atlas.map());
        self
    }

    /// Makes the order of requests reproducible, for tests.
    pub fn set_shuffle_seed(&mut self, seed: Option<u64>) {
        self.shuffle_seed = seed;
    }

    /// Begins with positions that left before, for the clock `published` of `history`.
    pub fn set_left(&mut self, positions: LastPositions) {
        self.state.history.set_left(positions);
    }

    /// Inserts a position that left another engine, for the clock `published` of `history`.
    pub fn insert_left(
        &mut self,
        user: UserId,
        at: Time,
        position: Position,
        speed: Option<Speed>,
    ) {
        self.state.history.insert_left(user, at, position, speed);
    }

    /// The waiting queries, in order of arrival.
    pub fn waiting(&self) -> &[Query] {
        &self.state.waiting
    }

    /// Returns the numbers of the questions that the waiting query of a user carries.
    pub fn pendings_of(&self, user: UserId) -> Vec<QueryId> {
        self.waiting.of_user(user)
    }

    /// Returns each waiting query with its previous position and the questions that it carries, in
    /// order of arrival.
    pub fn waiting_with_pendings(
        &self,
    ) -> impl Iterator<Item = (&Query, Option<PastPosition>, &[Pending<O>])> {
        let entry = |query: &Query| {
            let pendings = self.waiting.pendings(query.id);
            (self.state.history.previous(query.id), pendings)
        };
        self.state.waiting.iter().map(move |query| {
            let (previous, pendings) = entry(query);
            (query, previous, pendings)
        })
    }

    /// Runs one batch over `collected`, all of which was asked up to `at`.
    pub fn turn(&mut self, at: Time, collected: Collected<O>) -> Round<O> {
        let began = Instant::now();
        let mut ended = Ended::new();
        let batch = self.collect(at, collected, &mut ended);
        let turned = turn(&mut *self.scheme, &mut self.state, batch, &mut ());
        for query in turned.replaced.iter().chain(&turned.cancelled) {
            self.waiting.remove(query); // their pendings are carried or cancelled
        }
        turned.expired.iter().for_each(|query| self.waiting.expire(query, &mut ended));
        let left = turned.served.iter().map(|(query, _)| query.clone()).collect();
        let mut builder = RequestBuilder {
            map: self.atlas.map(),
            guarantee: self.guarantee,
            shuffle_seed: self.shuffle_seed,
            at,
            waiting: &mut self.waiting,
            published: turned.published,
            decoys: self.decoys.as_mut(),
        };
        let Requests { inquiries: requests, sets } = builder.requests(turned.served);
        let (set_count, stats) = (turned.published.set_count(), turned.published.stats);
        let (published, took) = (Instant::now(), began.elapsed());
        let staying = self.state.waiting.len();
        Round { at, published, took, requests, sets, ended, set_count, left, staying, stats }
    }

    /// Adds arrivals, and ends the pendings of waiting queries that were cancelled or are overdue.
    /// Pendings expire before they are carried.
    fn collect(&mut self, at: Time, collected: Collected<O>, ended: &mut Ended<O>) -> Batch {
        let Collected { arrivals, mut cancelled } = collected;
        cancelled.sort_unstable();
        self.cancel(&cancelled, ended);
        for query in self.state.waiting.iter_mut().filter(|query| query.has_expired(at)) {
            self.waiting.end_overdue(query, at, ended);
        }
        let mut queries = Vec::with_capacity(arrivals.len());
        for Arrival { query, pending, carried, previous } in arrivals {
            if cancelled.binary_search(&pending.id).is_ok() {
                ended.push((pending, Outcome::Cancelled));
                continue;
            }
            let (mut query, previous) = (query.into_exposed(), previous.into_exposed());
            if self.reads_accounts {
                self.state.accounts.set(query.id, pending.origin.account());
            }
            let has_past = match self.is_published_clock {
                true => self.state.history.last_left(query.user, at).is_some(),
                false => previous.is_some(),
            };
            self.waiting.insert(&query, pending, has_past);
            self.waiting.adopt(query.id, carried);
            if self.guarantee == Guarantee::History {
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

    /// Cancels pendings of waiting queries, given by ascending number.
    fn cancel(&mut self, cancelled: &[QueryId], ended: &mut Ended<O>) {
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

    /// Removes all waiting queries, and ends them and `unseen` with `outcome`, in order of arrival.
    pub fn end_all(&mut self, at: Time, unseen: Vec<Arrival<O>>, outcome: Outcome) -> Round<O> {
        self.state.waiting.clear();
        let pendings = |arrival: Arrival<O>| arrival.carried.into_iter().chain([arrival.pending]);
        let unseen = unseen.into_iter().flat_map(pendings);
        let all = self.waiting.drain().into_iter().chain(unseen);
        let ended = all.map(|pending| (pending, outcome)).collect();
        Round { ended, ..Round::empty(at) }
    }
}

/// Prints no field: the queries are private.
impl<O> std::fmt::Debug for CityEngine<O> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CityEngine(…)")
    }
}
