//! Published sets of this frontend that wait for answers, and requests whose parts have not all
//! arrived.

use super::error_codes::service_error;
use crate::message::{AnswerItem, Answers, RefinedItem, RequestItem, RoundKey};
use gateway::open_round::{OpenRound, RequestResult};
use gateway::refined_answer::RefinedAnswer;
use gateway::service::ServiceError;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Rounds by their batch.
#[derive(Default)]
pub struct Rounds {
    rounds: BTreeMap<RoundKey, RoundState>,
}

/// Answers may arrive before the sets that need them.
struct RoundState {
    open: Vec<OpenRound>,
    /// Parts that have not arrived; unknown before the first.
    missing_parts: Option<u32>,
    /// Requests of this frontend, until all parts have arrived.
    requests: Vec<RequestItem>,
    /// Ends of requests that a missing part may need.
    ends: FxHashMap<u32, Arc<RequestResult>>,
    /// Refined answers by number of the query, until their sets are complete.
    answers: FxHashMap<u64, RefinedAnswer>,
    /// Size of the answers.
    bytes: usize,
    begun: Instant,
    give_up: Instant,
}

/// Time for which answers wait for the first part of their round.
const FIRST_PART: Duration = Duration::from_secs(3);

impl RoundState {
    fn new(patience: Duration) -> RoundState {
        let begun = Instant::now();
        RoundState {
            open: Vec::new(),
            missing_parts: None,
            requests: Vec::new(),
            ends: FxHashMap::default(),
            answers: FxHashMap::default(),
            bytes: 0,
            begun,
            give_up: begun + patience,
        }
    }

    /// Adds sets, which may be complete already.
    fn add(&mut self, mut open: OpenRound) {
        let RoundState { ends, answers, bytes, .. } = self;
        for (request, result) in ends {
            open.end(*request as usize, result, |id| take(answers, bytes, id.0));
        }
        self.open.push(open);
    }

    fn end(&mut self, request: u32, result: RequestResult) {
        let result = Arc::new(result);
        let RoundState { open, answers, bytes, .. } = self;
        for open in open {
            open.end(request as usize, &result, |id| take(answers, bytes, id.0));
        }
        if self.missing_parts != Some(0) {
            self.ends.insert(request, result);
        }
    }

    /// Whether nothing can happen any more.
    fn is_done(&self, now: Instant) -> bool {
        match self.missing_parts {
            None => self.begun + FIRST_PART < now,
            Some(missing) => missing == 0 && self.open.iter().all(|open| open.open_count() == 0),
        }
    }
}

/// Takes the answer of a query.
fn take(
    answers: &mut FxHashMap<u64, RefinedAnswer>,
    bytes: &mut usize,
    number: u64,
) -> Option<RefinedAnswer> {
    let answer = answers.remove(&number)?;
    *bytes = bytes.saturating_sub(answer.objects.len());
    Some(answer)
}

impl Rounds {
    fn state(&mut self, key: &RoundKey, patience: Duration) -> &mut RoundState {
        self.rounds.entry(key.clone()).or_insert_with(|| RoundState::new(patience))
    }

    /// Adds the sets and requests of one of `parts` parts of a round. The sets fail after `patience`.
    /// Returns all requests of this frontend when the last part has arrived.
    pub fn add_part(
        &mut self,
        key: &RoundKey,
        parts: u32,
        (open, requests): (Option<OpenRound>, Vec<RequestItem>),
        patience: Duration,
    ) -> Vec<RequestItem> {
        let state = self.state(key, patience);
        state.missing_parts = Some(state.missing_parts.unwrap_or(parts).saturating_sub(1));
        open.into_iter().for_each(|open| state.add(open));
        state.requests.extend(requests);
        if state.missing_parts != Some(0) {
            return Vec::new();
        }
        state.ends.clear();
        let mut requests = std::mem::take(&mut state.requests);
        requests.sort_by_key(|request| request.number);
        requests.dedup_by(|later, first| first.merge(later));
        requests
    }

    /// Takes refined answers and ends of requests. `max_bytes` bounds the answers of all rounds; a
    /// query whose answer is beyond it fails.
    pub fn take_answers(&mut self, answers: Answers, max_bytes: usize, patience: Duration) {
        let Answers { round, items } = answers;
        let held: usize = self.rounds.values().map(|state| state.bytes).sum();
        let state = self.state(&round, patience);
        let others = held.saturating_sub(state.bytes);
        for item in items {
            match item {
                AnswerItem::End(request, error) => {
                    state.end(request, error.map_or(Ok(()), |code| Err(service_error(code))));
                }
                AnswerItem::Refined(RefinedItem { number, objects, left_out, is_complete }) => {
                    let bytes = state.bytes.saturating_add(objects.len());
                    if others.saturating_add(bytes) > max_bytes {
                        tracing::warn!("dropped an answer beyond `service.held_megabytes`");
                        continue;
                    }
                    let (objects, left_out) = (objects.into(), left_out as usize);
                    let answer = RefinedAnswer { objects, left_out, is_complete };
                    state.answers.insert(number, answer);
                    state.bytes = bytes;
                }
            }
        }
    }

    /// Fails the sets whose answers have not come in time, and forgets completed rounds.
    pub fn sweep(&mut self) {
        let now = Instant::now();
        self.rounds.retain(|_, state| {
            if state.is_done(now) {
                return false;
            }
            if now < state.give_up {
                return true;
            }
            state.open.iter_mut().for_each(|open| open.fail(&ServiceError::TimedOut));
            false
        });
    }
}
