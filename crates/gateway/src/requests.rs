//! Requests to the service: turns the published sets of a batch into shuffled jobs.

use crate::gateway::Gateway;
use crate::inquiry::Inquiry;
use crate::mailbox::Pending;
use crate::outcome::Outcome;
use crate::question::Question;
use crate::receipt::ServedQuery;
use crate::waiting::{WaitingQueries, WaitingQuery};
use meshcloak::map::Position;
use meshcloak::private::Private;
use meshcloak::query::Query;
use meshcloak::scheme::{Disclosure, Published};
use meshcloak::units::Time;
use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_pcg::Pcg64Mcg;
use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};

/// One request to the service and the queries that it answers.
#[derive(Debug)]
pub struct Job {
    /// All that leaves the gateway.
    pub inquiry: Inquiry,
    /// Queries answered from the result.
    pub members: Vec<Member>,
}

/// A question of a published set.
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

/// Turns the published sets of a batch into jobs.
pub(crate) struct JobBuilder<'a> {
    pub gateway: &'a Gateway,
    pub at: Time,
    pub waiting: &'a mut WaitingQueries,
    pub published: &'a Published,
    pub ended: &'a mut Vec<(Pending, Outcome)>,
}

/// Members with a question, of one published set.
struct SetMembers {
    set: u32,
    members: Vec<Member>,
}

impl JobBuilder<'_> {
    /// Builds one job for each set and kind of question, shuffled. `served` holds each served
    /// query with the index of its set.
    pub(crate) fn jobs(&mut self, mut served: Vec<(Query, u32)>) -> Vec<Job> {
        served.sort_by_key(|(_, set)| *set);
        let mut sets: Vec<SetMembers> = Vec::with_capacity(served.len() / 2);
        for run in served.chunk_by(|a, b| a.1 == b.1) {
            let members = self.members(run);
            sets.push(SetMembers { set: run[0].1, members });
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

    /// Returns a member for each question of a set. Presence reports end as `present`.
    fn members(&mut self, run: &[(Query, u32)]) -> Vec<Member> {
        let set_size = self.published.set(run[0].1).members.len();
        let mut members = Vec::with_capacity(run.len());
        for (query, _) in run {
            let WaitingQuery { pendings, has_past, .. } =
                self.waiting.remove(query).unwrap_or_default();
            for pending in pendings {
                if !pending.asks() {
                    self.ended.push((pending, Outcome::Present));
                    continue;
                }
                let served = ServedQuery {
                    guarantee: self.gateway.guarantee(),
                    k: pending.k,
                    set_size,
                    streets: 0,
                    asked_at: pending.asked_at,
                    served_at: self.at,
                    has_past,
                };
                members.push(Member { pending, position: query.position.into(), served });
            }
        }
        members
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
