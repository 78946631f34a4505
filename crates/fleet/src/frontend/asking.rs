//! Requests that this frontend sends to the service, and refinement of their answers for the members
//! of all frontends.
//!
//! ```text
//! Part ─▶ RequestQueue ─▶ answer of the service ─▶ refined for each member ─▶ Answers ─▶ its frontend
//! ```
//!
//! An answer of the service is decoded here only. What other frontends receive is as large as what
//! their clients receive.

use super::error_codes::error_code;
use super::running::Frontend;
use crate::message::{
    AnswerItem, Answers, AskingMember, QuestionItem, RecipientItem, RefinedItem, RequestItem,
    RoundKey, ToFrontend, encode, frontend_subject, groups,
};
use gateway::city::City;
use gateway::config::AnswersConfig;
use gateway::inquiry::Inquiry;
use gateway::question::Question;
use gateway::refined_answer::AnswerRefiner;
use gateway::service::{Objects, RequestEnd};
use meshcloak::map::StreetId;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::runtime::Handle;

/// Largest number of requests whose answers are sent together.
const MAX_BATCH: usize = 64;

/// Room for the fields of a message besides the objects of an answer, in bytes.
const HEADER: usize = 2_048;

/// Requests of a batch to the service.
struct AskedRequests {
    round: RoundKey,
    city: Arc<City>,
    /// In the order of sending, with their questions.
    items: Vec<(RequestItem, Question)>,
}

/// Answers that were not sent, by frontend.
#[derive(Default)]
struct Outgoing {
    items: BTreeMap<u64, Vec<AnswerItem>>,
    bytes: usize,
}

impl Outgoing {
    fn push(&mut self, frontend: u64, item: AnswerItem) {
        if let AnswerItem::Refined(refined) = &item {
            self.bytes += refined.objects.len();
        }
        self.items.entry(frontend).or_default().push(item);
    }
}

impl Frontend {
    /// Asks the service, and tells the frontends of the members what it has answered.
    pub(super) async fn ask(
        self: Arc<Self>,
        city: Arc<City>,
        round: RoundKey,
        items: Vec<RequestItem>,
    ) {
        let known = |item| inquiry(&city, &item).map(|inquiry| (inquiry, item));
        let (inquiries, items): (Vec<Inquiry>, Vec<RequestItem>) =
            items.into_iter().filter_map(known).unzip();
        let questions = inquiries.iter().map(Inquiry::question);
        let items = items.into_iter().zip(questions).collect();
        let mut ends = city.requests().send(inquiries);
        let (asked, mut batch) = (AskedRequests { round, city, items }, Vec::new());
        while ends.recv_many(&mut batch, MAX_BATCH).await > 0 {
            tokio::task::block_in_place(|| self.answer(&asked, batch.drain(..)));
        }
    }

    /// Refines the answers of requests, and sends them before they exceed a message.
    fn answer(&self, asked: &AskedRequests, ends: impl Iterator<Item = RequestEnd>) {
        let mut refiner = AnswerRefiner::new(&asked.city, self.answer_limits());
        let (mut outgoing, max_payload) = (Outgoing::default(), self.cluster.max_payload());
        for RequestEnd { number, waited, response } in ends {
            let Some((item, question)) = asked.items.get(number) else { continue };
            self.gateway.metrics().waits.record(waited, 1);
            let error = response.as_ref().err();
            if let Some(error) = error {
                self.gateway.metrics().service_error(error.label());
            }
            for RecipientItem { frontend, members } in &item.recipients {
                for member in members {
                    let Ok(held) = &response else { break };
                    let refined = refined_item(&mut refiner, question, member, held.objects());
                    refined.into_iter().for_each(|item| outgoing.push(*frontend, item));
                    if outgoing.bytes > max_payload {
                        Handle::current().block_on(self.send_answers(asked, &mut outgoing));
                    }
                }
                outgoing.push(*frontend, AnswerItem::End(item.number, error.map(error_code)));
            }
        }
        Handle::current().block_on(self.send_answers(asked, &mut outgoing));
    }

    /// Limits of an answer, which must fit into a message.
    fn answer_limits(&self) -> AnswersConfig {
        let answers = self.gateway.config().answers;
        let max_bytes = answers.max_bytes.min(self.cluster.max_payload().saturating_sub(HEADER));
        AnswersConfig { max_bytes, ..answers }
    }

    async fn send_answers(&self, asked: &AskedRequests, outgoing: &mut Outgoing) {
        let Outgoing { items, .. } = std::mem::take(outgoing);
        for (frontend, items) in items {
            let round = asked.round.clone();
            if frontend == self.id.0 {
                self.take_answers(Answers { round, items });
                continue;
            }
            for items in groups(items, self.cluster.max_payload()) {
                let answers = ToFrontend::Answers(Answers { round: round.clone(), items });
                self.publish(frontend_subject(frontend), encode(&answers)).await;
            }
        }
    }

    /// Takes answers for the members of this frontend.
    pub(super) fn take_answers(&self, answers: Answers) {
        let max_bytes = self.gateway.config().service.max_held;
        self.rounds.lock().take_answers(answers, max_bytes, self.patience());
    }
}

/// Returns the inquiry of a request; `None` if its streets or its question are unknown.
fn inquiry(city: &City, item: &RequestItem) -> Option<Inquiry> {
    let region: Arc<[StreetId]> = item.region.iter().map(|id| StreetId(*id)).collect();
    let is_known = region.iter().all(|street| street.index() < city.map().street_count());
    let question = item.question.question().filter(|_| is_known)?;
    Some(Inquiry::new(region, question.kind(), question.rung().ok()?))
}

/// Refines the answer of one member; `None` if that fails.
fn refined_item(
    refiner: &mut AnswerRefiner<'_>,
    question: &Question,
    member: &AskingMember,
    objects: &Objects,
) -> Option<AnswerItem> {
    let &AskingMember { number, place, extent } = member;
    let question = QuestionItem::with_extent(question, extent);
    let refined = refiner.refine(place.into(), &question, objects)?;
    Some(AnswerItem::Refined(RefinedItem {
        number,
        left_out: u32::try_from(refined.left_out).unwrap_or(u32::MAX),
        is_complete: refined.is_complete,
        objects: refined.objects.into(),
    }))
}
