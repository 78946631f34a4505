//! Requests of a batch to the service: one for each distinct region and question kind of its sets
//! (docs/SPEC.md §9).

use crate::decoys::Decoys;
use crate::distinct_inquiries::InquiryBuilder;
use crate::inquiry::Inquiry;
use crate::mailbox::{Client, Pending};
use crate::question::Question;
use crate::receipt::ServedQuery;
use crate::waiting::{WaitingQueries, WaitingQuery};
use meshcloak::guarantee::Guarantee;
use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::private::Private;
use meshcloak::query::Query;
use meshcloak::scheme::Published;
use meshcloak::units::Time;
use rand::SeedableRng as _;
use rand_pcg::Pcg64Mcg;
use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};
use std::sync::Arc;

/// Requests of a batch, and the sets that wait for them.
#[derive(Debug)]
pub struct Requests<O = Client> {
    /// All that leaves the gateway, in the order of sending.
    pub inquiries: Vec<Inquiry>,
    /// Published sets with a question.
    pub sets: Vec<ServedSet<O>>,
}

/// Members of one published set.
#[derive(Debug)]
pub struct ServedSet<O = Client> {
    /// The questions of its members; at least one.
    pub members: Vec<Member<O>>,
    /// Its presence reports. They are released with the answers: an observer of users' lines must
    /// not see who of a set had a question by when it was released.
    pub present: Vec<Pending<O>>,
    /// Indices of the requests of the set and of their decoys, distinct and ascending. Its answers
    /// are released when all of them have ended.
    pub requests: Vec<usize>,
}

/// A question of a published set.
#[derive(Debug)]
pub struct Member<O = Client> {
    /// Account, ticket and question.
    pub pending: Pending<O>,
    /// Position of the user.
    pub position: Private<Position>,
    /// Facts for the receipt.
    pub served: ServedQuery,
    /// Index of the request that answers the question.
    pub request: usize,
}

impl<O> Member<O> {
    /// The question of the member.
    pub fn question(&self) -> Option<&Question> {
        self.pending.question.expose().as_ref()
    }
}

/// Turns the published sets of a batch into requests.
pub(crate) struct RequestBuilder<'a, O> {
    pub map: &'a StreetMap,
    pub guarantee: Guarantee,
    /// Seed of the order of requests; `None` uses the system's randomness.
    pub shuffle_seed: Option<u64>,
    pub at: Time,
    pub waiting: &'a mut WaitingQueries<O>,
    pub published: &'a Published,
    pub decoys: Option<&'a mut Decoys>,
}

impl<O> RequestBuilder<'_, O> {
    /// Builds the requests of a batch. `served` holds each served query with the index of its set.
    pub(crate) fn requests(&mut self, mut served: Vec<(Query, u32)>) -> Requests<O> {
        served.sort_by_key(|(_, set)| *set);
        let (mut sets, mut numbers) = (Vec::new(), Vec::new());
        for run in served.chunk_by(|a, b| a.1 == b.1) {
            let Some(&(_, set)) = run.first() else { continue };
            let served = self.served_set(set, run);
            if !served.members.is_empty() {
                sets.push(served);
                numbers.push(set);
            }
        }
        let (map, published) = (self.map, self.published);
        let region = |set| -> Arc<[StreetId]> { published.set(set).region.streets(map).into() };
        let regions = numbers.into_par_iter().with_min_len(64).map(region).collect();
        let mut random = self.random();
        let mut questions = Questions::new(sets, regions);
        if let Some(decoys) = &mut self.decoys {
            decoys.record(self.at, questions.builder.categories());
            questions.builder.add_decoys(decoys);
        }
        questions.assign(random.as_mut())
    }

    /// Returns a generator seeded by the system; `None` without system randomness.
    fn random(&self) -> Option<Pcg64Mcg> {
        if let Some(seed) = self.shuffle_seed {
            return Some(Pcg64Mcg::seed_from_u64(seed ^ self.at.as_millis()));
        }
        let mut seed = [0; 16];
        getrandom::fill(&mut seed).ok().map(|()| Pcg64Mcg::from_seed(seed))
    }

    /// Returns a member for each question of a set, and its presence reports. A set has a question:
    /// the engine publishes no other.
    fn served_set(&mut self, set: u32, run: &[(Query, u32)]) -> ServedSet<O> {
        let set_size = self.published.set(set).members.len();
        let asking = run.iter().filter(|(query, _)| query.asks).count();
        let (mut members, mut present) = (Vec::with_capacity(asking), Vec::new());
        for (query, _) in run {
            let WaitingQuery { pendings, has_past, .. } =
                self.waiting.remove(query).unwrap_or_default();
            for pending in pendings {
                if !pending.asks() {
                    present.push(pending);
                    continue;
                }
                let served = ServedQuery {
                    guarantee: self.guarantee,
                    k: pending.k,
                    set_size,
                    asking,
                    streets: 0,
                    asked_at: pending.asked_at,
                    served_at: self.at,
                    has_past,
                };
                let position = query.position.into();
                members.push(Member { pending, position, served, request: 0 });
            }
        }
        ServedSet { members, present, requests: Vec::new() }
    }
}

/// Sets of a batch, and their questions by region.
struct Questions<O> {
    sets: Vec<ServedSet<O>>,
    /// Number of the region of each set.
    of_sets: Vec<usize>,
    builder: InquiryBuilder,
}

impl<O> Questions<O> {
    /// Collects the questions of sets. `regions` are those of the sets.
    fn new(sets: Vec<ServedSet<O>>, regions: Vec<Arc<[StreetId]>>) -> Questions<O> {
        let mut builder = InquiryBuilder::default();
        let of_sets: Vec<usize> =
            regions.into_iter().map(|region| builder.region(region)).collect();
        for (set, &region) in sets.iter().zip(&of_sets) {
            let questions = set.members.iter().filter_map(Member::question);
            questions.for_each(|question| builder.add(region, question));
        }
        Questions { sets, of_sets, builder }
    }

    /// Builds one request for each distinct region and question kind, in random order, and assigns
    /// to each member the one that answers it.
    fn assign(self, random: Option<&mut Pcg64Mcg>) -> Requests<O> {
        let Questions { mut sets, of_sets, builder } = self;
        let distinct = builder.build(random);
        for (set, &region) in sets.iter_mut().zip(&of_sets) {
            for member in &mut set.members {
                let kind = member.question().expect("members have a question").kind();
                member.request = distinct.index(region, &kind).expect("its question was added");
                let inquiry = distinct.inquiries.get(member.request);
                member.served.streets = inquiry.map_or(0, |inquiry| inquiry.region().len());
                set.requests.extend(distinct.joined(region, &kind));
            }
            set.requests.sort_unstable();
            set.requests.dedup();
        }
        Requests { inquiries: distinct.inquiries, sets }
    }
}
