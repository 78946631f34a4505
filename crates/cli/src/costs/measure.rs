//! Cloaks, asks and refines; one scheme at a time.

use super::counting_proxy::CountingProxy;
use super::tally::{SchemeCost, object_bytes};
use crate::drive::reference::Reference;
use crate::drive::response::AnswerObject;
use anyhow::Result;
use evaluation::schemes;
use gateway::inquiry::Inquiry;
use gateway::question::Question;
use gateway::refine::refine;
use gateway::service::{Objects, RequestPolicy, Service};
use gateway::walk::Walker;
use meshcloak::engine::{Batch, RecordedPast, Turn, turn};
use meshcloak::map::StreetId;
use meshcloak::query::Query;
use meshcloak::region::Region;
use meshcloak::scheme::{Disclosure, State};
use meshcloak::units::Time;
use rustix::time::{ClockId, clock_gettime};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What all schemes have in common.
pub(super) struct Measurement<'a> {
    pub walker: &'a Walker,
    pub service: &'a dyn Service,
    pub proxy: Option<&'a CountingProxy>,
    /// Answers for the true positions, if they are checked.
    pub reference: Option<&'a Reference>,
    /// Queries of each second.
    pub seconds: &'a [Vec<Query>],
}

/// Users who receive the answer about each region, with the queries' positions.
type Recipients<'a> = BTreeMap<Vec<StreetId>, Vec<&'a Query>>;

impl Measurement<'_> {
    /// Measures a scheme.
    pub(super) async fn run(&self, name: &str) -> Result<SchemeCost> {
        let mut scheme = schemes::by_name(self.walker.atlas(), name)?;
        let mut state = State::default();
        let mut past = RecordedPast::new(scheme.as_ref());
        let mut cost = SchemeCost { scheme: name.to_owned(), ..SchemeCost::default() };
        let before = self.proxy.map(CountingProxy::traffic);
        // Queries of one second arrive before the batch that ends it.
        let start = self.seconds.iter().flatten().next().map_or(0, |q| q.asked_at.as_millis());
        for second in 0.. {
            let arrivals = self.seconds.get(second).cloned();
            if arrivals.is_none() && state.waiting.is_empty() {
                break;
            }
            cost.seconds += u64::from(arrivals.is_some());
            let mut arrivals = arrivals.unwrap_or_default();
            cost.queries += arrivals.len() as u64;
            let now = Time::from_millis(start.div_ceil(1000) * 1000 + second as u64 * 1000);
            past.record(&mut arrivals, &mut state);
            let batch = Batch { now, arrivals, cancelled: Vec::new() };
            let done = turn(scheme.as_mut(), &mut state, batch, &mut ());
            for (region, users) in self.recipients(&done) {
                self.ask(now, region, &users, &mut cost).await?;
            }
            past.leave(&done.served);
        }
        let traffic = self.proxy.map(CountingProxy::traffic);
        cost.wire = traffic.zip(before).map(|(after, before)| after.since(before));
        Ok(cost)
    }

    /// Groups the served queries by region.
    fn recipients<'a>(&self, done: &'a Turn<'_>) -> Recipients<'a> {
        let map = self.walker.map();
        let mut by_set: BTreeMap<u32, Vec<&Query>> = BTreeMap::new();
        for (query, set) in &done.served {
            by_set.entry(*set).or_default().push(query);
        }
        let mut all = Recipients::new();
        for (set, users) in by_set {
            let region = done.published.set(set).region.streets(map).into_owned();
            all.entry(region).or_default().extend(users);
        }
        all
    }

    /// Asks the service about a region and extracts the answers of its users.
    async fn ask(
        &self,
        at: Time,
        region: Vec<StreetId>,
        users: &[&Query],
        cost: &mut SchemeCost,
    ) -> Result<()> {
        let disclosure = Disclosure { at, region: Region::Mesh(region.into()) };
        let asked: Vec<(&Query, Question)> =
            users.iter().map(|&query| (query, Reference::question_of(query.id.0))).collect();
        let questions = asked.iter().map(|(_, question)| question);
        for inquiry in Inquiry::of(self.walker.map(), &disclosure, questions)? {
            let begun = Instant::now();
            let policy = RequestPolicy::unlimited();
            let objects = self.service.ask_under(&inquiry, &policy).await?;
            cost.request_ms.push(begun.elapsed().as_secs_f64() * 1000.0);
            cost.requests += 1;
            cost.candidates += objects.objects().len() as u64;
            cost.candidate_bytes += objects.objects().iter().map(|o| object_bytes(o)).sum::<u64>();
            for (query, question) in asked.iter().filter(|(_, q)| q.kind() == *inquiry.kind()) {
                self.refine(query, question, &objects, cost);
            }
        }
        Ok(())
    }

    fn refine(&self, query: &Query, question: &Question, objects: &Objects, cost: &mut SchemeCost) {
        let begun = thread_time();
        let answer = refine(self.walker, query.position, question, objects);
        cost.refinement += thread_time().saturating_sub(begun);
        cost.answered += 1;
        cost.objects += answer.found.len() as u64;
        cost.object_bytes +=
            answer.found.iter().map(|found| object_bytes(&found.object)).sum::<u64>();
        let Some(reference) = self.reference.filter(|r| r.samples(query.id.0)) else { return };
        let found = answer.found.iter();
        let found = found.map(|f| AnswerObject { id: Cow::from(&*f.object.id), metres: f.metres });
        let found: Vec<AnswerObject<'_>> = found.collect();
        cost.checked += 1;
        cost.wrong += u64::from(!reference.agrees_at(query.position, question, &found));
    }
}

/// Processor time of this thread.
fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}
