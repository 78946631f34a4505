//! The engine as the gateway drives it: a batch in, a [`Round`] out. No clock and no thread of
//! its own; see `ticker`.

use crate::gateway::Gateway;
use crate::inquiry::Inquiry;
use crate::mailbox::Pending;
use crate::metrics::BatchFacts;
use crate::outcome::Outcome;
use crate::question::Asked;
use crate::receipt::{Hidden, Past};
use meshcloak::engine::{Batch, turn};
use meshcloak::guarantee::Guarantee;
use meshcloak::map::Position;
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::query::{Query, QueryId};
use meshcloak::scheme::{Disclosure, Published, Scheme, State};
use meshcloak::units::Time;
use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The scheme, who waits, and what they want.
pub struct Engine {
    gateway: Arc<Gateway>,
    scheme: Box<dyn Scheme>,
    state: State,
    pending: FxHashMap<QueryId, Waiting>,
    /// Those of the last batch who were hidden together though none of them asks: they go on
    /// waiting for somebody who does.
    idle: Vec<Query>,
}

struct Waiting {
    pending: Pending,
    past: Past,
}

/// What a batch leads to.
#[derive(Debug)]
pub struct Round {
    /// The time of the batch.
    pub at: Time,
    /// When it was over, by the clock on the wall.
    pub published: Instant,
    /// How long the engine took.
    pub took: Duration,
    /// What the service is to be asked, in no order.
    pub jobs: Vec<Job>,
    /// Who is not served any more.
    pub ended: Vec<(Pending, Outcome)>,
}

/// One request to the service, and whose answer is in it.
#[derive(Debug)]
pub struct Job {
    /// All that leaves.
    pub inquiry: Inquiry,
    /// Who waits for the answer.
    pub members: Vec<Member>,
}

/// Somebody of a published set.
#[derive(Debug)]
pub struct Member {
    /// What she asked.
    pub pending: Pending,
    /// Where she is.
    pub position: Position,
    /// What was done for her.
    pub hidden: Hidden,
}

impl Engine {
    /// An engine in which nobody waits yet.
    pub fn new(gateway: Arc<Gateway>) -> Engine {
        let engine = &gateway.config().engine;
        let settings = Settings {
            guarantee: engine.guarantee,
            region: engine.region,
            horizon: engine.horizon,
            ..Settings::default()
        };
        let scheme = Box::new(MeshCloak::new(Arc::clone(gateway.atlas()), settings));
        Engine::with(gateway, scheme)
    }

    /// The same with another scheme.
    pub(crate) fn with(gateway: Arc<Gateway>, scheme: Box<dyn Scheme>) -> Engine {
        let (state, pending, idle) = (State::default(), FxHashMap::default(), Vec::new());
        Engine { gateway, scheme, state, pending, idle }
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.state.waiting.len() + self.idle.len()
    }

    /// One batch, with everyone who asked up to `at`.
    pub fn turn(&mut self, at: Time) -> Round {
        let began = Instant::now();
        let (arrivals, cancelled) = self.gateway.mailbox().collect(at);
        let mut queries = std::mem::take(&mut self.idle);
        queries.reserve(arrivals.len());
        for arrival in arrivals {
            let past = if arrival.previous.is_some() { Past::Known } else { Past::New };
            if self.gateway.guarantee() == Guarantee::History {
                self.state.history.set_previous(arrival.query.id, arrival.previous);
            }
            self.pending.insert(arrival.query.id, Waiting { pending: arrival.pending, past });
            queries.push(arrival.query);
        }
        let batch = Batch { now: at, arrivals: queries, cancelled };
        let turned = turn(&mut *self.scheme, &mut self.state, batch, &mut ());
        let pending = &mut self.pending;
        let mut ended = Vec::with_capacity(turned.expired.len() + turned.cancelled.len());
        let outs = [(turned.expired, Outcome::Expired), (turned.cancelled, Outcome::Cancelled)];
        for (queries, outcome) in outs {
            let whose = queries.iter().filter_map(|query| pending.remove(&query.id));
            ended.extend(whose.map(|waiting| (waiting.pending, outcome)));
        }
        let (gateway, published) = (&*self.gateway, turned.published);
        let idle = &mut self.idle;
        let mut seating = Seating { gateway, at, pending, published, idle, ended: &mut ended };
        let jobs = seating.jobs(turned.served);
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

    /// Everyone who still waits, in the mailbox too, in order of arrival: all of them end so, for
    /// the gateway is about to end.
    pub fn give_up(&mut self, at: Time, outcome: Outcome) -> Round {
        self.state.waiting.clear();
        self.idle.clear();
        let mut waiting: Vec<(QueryId, Waiting)> = self.pending.drain().collect();
        waiting.sort_unstable_by_key(|(id, _)| *id);
        let unseen = self.gateway.mailbox().collect(Time::from_millis(u64::MAX)).0.into_iter();
        let waiting = waiting.into_iter().map(|(_, waiting)| waiting.pending);
        let all = waiting.chain(unseen.map(|arrival| arrival.pending));
        let ended = all.map(|pending| (pending, outcome)).collect();
        Round { at, published: Instant::now(), took: Duration::ZERO, jobs: Vec::new(), ended }
    }
}

/// Who was published with whom.
struct Seating<'a> {
    gateway: &'a Gateway,
    at: Time,
    pending: &'a mut FxHashMap<QueryId, Waiting>,
    published: &'a Published,
    idle: &'a mut Vec<Query>,
    ended: &'a mut Vec<(Pending, Outcome)>,
}

impl Seating<'_> {
    /// One job for each set and kind of question, shuffled.
    fn jobs(&mut self, mut served: Vec<(Query, u32)>) -> Vec<Job> {
        served.sort_by_key(|(_, set)| *set);
        let mut tables: Vec<Table> = Vec::with_capacity(served.len() / 2);
        for run in served.chunk_by(|a, b| a.1 == b.1) {
            if self.is_idle(run) {
                self.idle.extend(run.iter().map(|(query, _)| query.clone()));
            } else {
                let members = self.seat(run);
                tables.push(Table { set: run[0].1, members });
            }
        }
        let (map, published, at) = (self.gateway.atlas().map(), self.published, self.at);
        let portions = tables.into_par_iter().with_min_len(64).map(|Table { set, members }| {
            let region = published.set(set).region.into_owned();
            let wishes = members.iter().filter_map(|member| member.pending.wish.as_ref());
            let asked: Vec<Asked> = wishes.map(|wish| wish.asked.clone()).collect();
            share(Inquiry::of(map, &Disclosure { at, region }, asked), members)
        });
        let mut jobs: Vec<Job> = portions.flatten_iter().collect();
        shuffle(&mut jobs);
        jobs
    }

    /// The members of a set who ask something; the others have been of use.
    fn seat(&mut self, run: &[(Query, u32)]) -> Vec<Member> {
        let size = self.published.set(run[0].1).members.len();
        let mut members = Vec::with_capacity(run.len());
        for (query, _) in run {
            let Some(Waiting { pending, past }) = self.pending.remove(&query.id) else {
                continue;
            };
            if pending.wish.is_none() {
                self.ended.push((pending, Outcome::Present));
                continue;
            }
            let hidden = Hidden {
                guarantee: self.gateway.guarantee(),
                k: query.k,
                size,
                streets: 0,
                asked_at: query.asked_at,
                hidden_at: self.at,
                past,
            };
            members.push(Member { pending, position: query.position, hidden });
        }
        members
    }

    /// Whether a set is better kept for somebody who asks: nobody of it does, so nothing would
    /// be sent. Under `history` whoever was in a set counts as having been seen there.
    fn is_idle(&self, run: &[(Query, u32)]) -> bool {
        let asks = |query: &Query| {
            self.pending.get(&query.id).is_some_and(|waiting| waiting.pending.wish.is_some())
        };
        self.gateway.guarantee() != Guarantee::History && !run.iter().any(|(query, _)| asks(query))
    }
}

/// Those of a set who ask something.
struct Table {
    set: u32,
    members: Vec<Member>,
}

/// Gives each inquiry those members whose questions are of its kind.
fn share(inquiries: Vec<Inquiry>, mut members: Vec<Member>) -> Vec<Job> {
    let mut jobs = Vec::with_capacity(inquiries.len());
    for inquiry in inquiries {
        let streets = inquiry.region().len();
        let hers = |member: &mut Member| {
            member.pending.wish.as_ref().is_some_and(|wish| wish.asked.kind() == inquiry.kind())
        };
        let mut takes: Vec<Member> = members.extract_if(.., hers).collect();
        takes.iter_mut().for_each(|member| member.hidden.streets = streets);
        jobs.push(Job { inquiry, members: takes });
    }
    debug_assert!(members.is_empty(), "every question has a kind that is asked");
    jobs
}

/// An order that tells nothing of who asked when. Without randomness, the order of the requests
/// themselves serves: it depends on nobody either.
fn shuffle(jobs: &mut [Job]) {
    let mut seed = [0; 8];
    if getrandom::fill(&mut seed).is_err() {
        jobs.sort_by(|a, b| a.inquiry.cmp(&b.inquiry));
        return;
    }
    let mut state = u64::from_le_bytes(seed);
    for last in (1..jobs.len()).rev() {
        jobs.swap(last, (split_mix(&mut state) % (last as u64 + 1)) as usize);
    }
}

/// The next number of a small generator (SplitMix64).
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
