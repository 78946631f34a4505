//! Cloaks, asks and refines; one scheme at a time.

use super::counting_proxy::CountingProxy;
use super::tally::{SchemeCost, object_bytes};
use crate::drive::reference::Reference;
use crate::drive::response::AnswerObject;
use anyhow::Result;
use evaluation::results::CostRow;
use gateway::inquiry::Inquiry;
use gateway::question::Question;
use gateway::refine::{Answer, refine};
use gateway::service::{Objects, RequestPolicy, Service};
use gateway::walk::Walker;
use meshcloak::engine::{Batch, RecordedPast, Turn, turn};
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::query::{Query, QueryId};
use meshcloak::region::{Disc, Region};
use meshcloak::scheme::{Disclosure, Pace, Scheme, State};
use meshcloak::units::{Point, Rectangle, Time};
use rustix::time::{ClockId, clock_gettime};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
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

/// Tolerance of borders in metres.
const MARGIN: f64 = 0.001;

/// Users who receive the answer about each region, with the queries' positions.
type Recipients<'a> = BTreeMap<Vec<StreetId>, Vec<&'a Query>>;

impl Measurement<'_> {
    /// Measures a scheme; `row` names it and its setting.
    pub(super) async fn run(&self, scheme: &mut dyn Scheme, row: CostRow) -> Result<SchemeCost> {
        let mut state = State::default();
        let mut past = RecordedPast::new(scheme);
        let mut cost = SchemeCost { row, ..SchemeCost::default() };
        let before = self.proxy.map(CountingProxy::traffic);
        let pace = scheme.describe().pace;
        // Queries of one second arrive before the batch that ends it.
        let start = self.seconds.iter().flatten().next().map_or(0, |q| q.asked_at.as_millis());
        for second in 0.. {
            let arrivals = self.seconds.get(second).cloned();
            if arrivals.is_none() && state.waiting.is_empty() {
                break;
            }
            cost.row.seconds += u64::from(arrivals.is_some());
            let arrivals = arrivals.unwrap_or_default();
            cost.row.queries += arrivals.len() as u64;
            let now = Time::from_millis(start.div_ceil(1000) * 1000 + second as u64 * 1000);
            for mut batch in batches(pace, now, arrivals) {
                let now = batch.now;
                past.record(&mut batch.arrivals, &mut state);
                let done = turn(scheme, &mut state, batch, &mut ());
                for (region, users) in self.recipients(&done) {
                    self.ask(now, region, &users, &mut cost).await?;
                }
                past.leave(&done.served);
            }
        }
        let traffic = self.proxy.map(CountingProxy::traffic);
        cost.wire = traffic.zip(before).map(|(after, before)| after.since(before));
        cost.finish();
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
            let region = asked_streets(map, &done.published.set(set).region);
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
        let is_inside = |query: &Query| region.binary_search(&query.position.street).is_ok();
        let outside = users.iter().filter(|query| !is_inside(query)).count();
        cost.row.outside += outside as u64;
        let inside: BTreeSet<QueryId> =
            users.iter().filter(|query| is_inside(query)).map(|query| query.id).collect();
        let disclosure = Disclosure { at, region: Region::Mesh(region.into()) };
        let asked: Vec<(&Query, Question)> =
            users.iter().map(|&query| (query, Reference::question_of(query.id.0))).collect();
        let questions = asked.iter().map(|(_, question)| question);
        for inquiry in Inquiry::of(self.walker.map(), &disclosure, questions)? {
            let begun = Instant::now();
            let policy = RequestPolicy::unlimited();
            let objects = self.service.ask_under(&inquiry, &policy).await?;
            cost.request_ms.push(begun.elapsed().as_secs_f64() * 1000.0);
            let row = &mut cost.row;
            row.requests += 1;
            row.candidates += objects.objects().len() as u64;
            row.candidate_bytes += objects.objects().iter().map(|o| object_bytes(o)).sum::<u64>();
            for (query, question) in asked.iter().filter(|(_, q)| q.kind() == *inquiry.kind()) {
                let answer = self.refine(query, question, &objects, cost);
                // What is asked about another place need not hold the answer.
                if inside.contains(&query.id) {
                    self.check(query, question, &answer, &mut cost.row);
                }
            }
        }
        Ok(())
    }

    fn refine(
        &self,
        query: &Query,
        question: &Question,
        objects: &Objects,
        cost: &mut SchemeCost,
    ) -> Answer {
        let begun = thread_time();
        let answer = refine(self.walker, query.position, question, objects);
        cost.refinement += thread_time().saturating_sub(begun);
        let SchemeCost { row, .. } = cost;
        row.answered += 1;
        row.objects += answer.found.len() as u64;
        row.object_bytes +=
            answer.found.iter().map(|found| object_bytes(&found.object)).sum::<u64>();
        answer
    }

    /// Compares a sampled answer with that for the true position.
    fn check(&self, query: &Query, question: &Question, answer: &Answer, row: &mut CostRow) {
        let Some(reference) = self.reference.filter(|r| r.samples(query.id.0)) else { return };
        let found = answer.found.iter();
        let found = found.map(|f| AnswerObject { id: Cow::from(&*f.object.id), metres: f.metres });
        let found: Vec<AnswerObject<'_>> = found.collect();
        row.checked += 1;
        row.wrong += u64::from(!reference.agrees_at(query.position, question, &found));
    }
}

/// Streets that a region touches. A member on the border of the smallest rectangle may be outside by a
/// rounding error.
fn asked_streets(map: &StreetMap, region: &Region<'_>) -> Vec<StreetId> {
    let grown = match region {
        Region::Mesh(streets) => return streets.to_vec(),
        Region::Rectangle(Rectangle { min, max }) => Region::Rectangle(Rectangle {
            min: Point::new(min.x - MARGIN, min.y - MARGIN),
            max: Point::new(max.x + MARGIN, max.y + MARGIN),
        }),
        Region::Disc(disc) => Region::Disc(Disc { radius: disc.radius + MARGIN, ..*disc }),
    };
    grown.streets(map).into_owned()
}

/// Batches of a second: one, or one for each arrival and one for expiry.
fn batches(pace: Pace, now: Time, mut arrivals: Vec<Query>) -> Vec<Batch> {
    let mut all = Vec::new();
    if pace == Pace::Sequential {
        arrivals.sort_by_key(|query| query.asked_at);
        all.extend(arrivals.drain(..).map(|query| Batch {
            now: query.asked_at,
            arrivals: vec![query],
            cancelled: Vec::new(),
        }));
    }
    all.push(Batch { now, arrivals, cancelled: Vec::new() });
    all
}

/// Processor time of this thread.
fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}
