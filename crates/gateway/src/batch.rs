//! One batch of the engine: collects arrivals, runs the scheme, and turns published sets into
//! requests to the service. Has no clock and no thread; see [`crate::ticker`].

use crate::gateway::Gateway;
use crate::inquiry::Inquiry;
use crate::mailbox::{Collected, Pending};
use crate::metrics::BatchFacts;
use crate::outcome::Outcome;
use crate::question::Question;
use crate::receipt::ServedQuery;
use meshcloak::engine::{Batch, turn};
use meshcloak::guarantee::Guarantee;
use meshcloak::map::Position;
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::private::Private;
use meshcloak::query::{Query, QueryId};
use meshcloak::scheme::{Disclosure, Published, Scheme, State};
use meshcloak::units::Time;
use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_pcg::Pcg64Mcg;
use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};
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

struct WaitingQuery {
    pending: Pending,
    /// Whether an earlier position of the user was known on arrival.
    has_past: bool,
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
    /// Requests to the service, shuffled.
    pub jobs: Vec<Job>,
    /// Queries that ended without a request.
    pub ended: Vec<(Pending, Outcome)>,
}

/// One request to the service and the queries that it answers.
#[derive(Debug)]
pub struct Job {
    /// All that leaves the gateway.
    pub inquiry: Inquiry,
    /// Queries answered from the result.
    pub members: Vec<Member>,
}

/// A query of a published set.
#[derive(Debug)]
pub struct Member {
    /// Account, ticket and question.
    pub pending: Pending,
    /// Position of the user.
    pub position: Private<Position>,
    /// Facts for the receipt.
    pub served: ServedQuery,
}

impl Member {
    /// The question of the member.
    pub fn question(&self) -> Option<&Question> {
        self.pending.question.expose().as_ref()
    }
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
        let batch = Batch { now: at, arrivals: queries, cancelled };
        let turned = turn(&mut *self.scheme, &mut self.state, batch, &mut ());
        let mut ended = Vec::with_capacity(turned.expired.len() + turned.cancelled.len());
        let unserved = [(turned.expired, Outcome::Expired), (turned.cancelled, Outcome::Cancelled)];
        for (queries, outcome) in unserved {
            let removed = queries.iter().filter_map(|query| self.waiting.remove(&query.id));
            ended.extend(removed.map(|waiting| (waiting.pending, outcome)));
        }
        let mut builder = JobBuilder {
            gateway: &self.gateway,
            at,
            waiting: &mut self.waiting,
            published: turned.published,
            deferred: &mut self.deferred,
            ended: &mut ended,
        };
        let jobs = builder.jobs(turned.served);
        let stats = turned.published.stats;
        self.gateway.metrics().batch(BatchFacts {
            sets: turned.published.set_count(),
            inquiries: jobs.len(),
            truncated: stats.truncated,
            suppressed: stats.rejected.total(),
        });
        self.gateway.metrics().turns.record(began.elapsed(), 1);
        Round { at, published: Instant::now(), took: began.elapsed(), jobs, ended }
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
        Round { at, published: Instant::now(), took: Duration::ZERO, jobs: Vec::new(), ended }
    }
}

/// Turns the published sets of a batch into jobs.
struct JobBuilder<'a> {
    gateway: &'a Gateway,
    at: Time,
    waiting: &'a mut FxHashMap<QueryId, WaitingQuery>,
    published: &'a Published,
    deferred: &'a mut Vec<Query>,
    ended: &'a mut Vec<(Pending, Outcome)>,
}

/// Members with a question, of one published set.
struct SetMembers {
    set: u32,
    members: Vec<Member>,
}

impl JobBuilder<'_> {
    /// Builds one job for each set and kind of question, shuffled. `served` holds each served
    /// query with the index of its set.
    fn jobs(&mut self, mut served: Vec<(Query, u32)>) -> Vec<Job> {
        served.sort_by_key(|(_, set)| *set);
        let mut sets: Vec<SetMembers> = Vec::with_capacity(served.len() / 2);
        for run in served.chunk_by(|a, b| a.1 == b.1) {
            if self.is_deferred(run) {
                self.deferred.extend(run.iter().map(|(query, _)| query.clone()));
            } else {
                let members = self.members(run);
                sets.push(SetMembers { set: run[0].1, members });
            }
        }
        let (map, published, at) = (self.gateway.atlas().map(), self.published, self.at);
        let jobs = sets.into_par_iter().with_min_len(64).map(|SetMembers { set, members }| {
            let disclosure = Disclosure { at, region: published.set(set).region.into_owned() };
            let questions = members.iter().filter_map(Member::question);
            let inquiries = Inquiry::of(map, &disclosure, questions);
            distribute(inquiries.expect("intake has checked every question"), members)
        });
        let mut jobs: Vec<Job> = jobs.flatten_iter().collect();
        shuffle(&mut jobs);
        jobs
    }

    /// Returns the members of a set that have a question. The others end as `present`.
    fn members(&mut self, run: &[(Query, u32)]) -> Vec<Member> {
        let size = self.published.set(run[0].1).members.len();
        let mut members = Vec::with_capacity(run.len());
        for (query, _) in run {
            let Some(WaitingQuery { pending, has_past }) = self.waiting.remove(&query.id) else {
                continue;
            };
            if pending.question.expose().is_none() {
                self.ended.push((pending, Outcome::Present));
                continue;
            }
            let served = ServedQuery {
                guarantee: self.gateway.guarantee(),
                k: query.k,
                set_size: size,
                streets: 0,
                asked_at: query.asked_at,
                served_at: self.at,
                has_past,
            };
            members.push(Member { pending, position: query.position.into(), served });
        }
        members
    }

    /// Whether a set goes back to the waiting list because no member has a question and nothing
    /// would be sent. Under `history` a published set counts as seen, so it cannot go back.
    fn is_deferred(&self, run: &[(Query, u32)]) -> bool {
        let has_question = |query: &Query| {
            let waiting = self.waiting.get(&query.id);
            waiting.is_some_and(|waiting| waiting.pending.question.expose().is_some())
        };
        self.gateway.guarantee() != Guarantee::History
            && !run.iter().any(|(query, _)| has_question(query))
    }
}

/// Assigns each member to the inquiry of its kind of question.
fn distribute(inquiries: Vec<Inquiry>, mut members: Vec<Member>) -> Vec<Job> {
    let mut jobs = Vec::with_capacity(inquiries.len());
    for inquiry in inquiries {
        let streets = inquiry.region().len();
        let matches = |member: &mut Member| {
            member.question().is_some_and(|question| question.kind() == *inquiry.kind())
        };
        let mut matching: Vec<Member> = members.extract_if(.., matches).collect();
        matching.iter_mut().for_each(|member| member.served.streets = streets);
        jobs.push(Job { inquiry, members: matching });
    }
    debug_assert!(members.is_empty(), "every kind of question has an inquiry");
    jobs
}

/// Removes the order of arrival from the jobs. Without system randomness they are sorted by
/// inquiry, which depends on no user either.
fn shuffle(jobs: &mut [Job]) {
    let mut seed = [0; 16];
    match getrandom::fill(&mut seed) {
        Ok(()) => jobs.shuffle(&mut Pcg64Mcg::from_seed(seed)),
        Err(_) => jobs.sort_by(|a, b| a.inquiry.cmp(&b.inquiry)),
    }
}
