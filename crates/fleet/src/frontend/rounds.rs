//! Published sets that wait for answers, of this frontend's own requests and of other frontends.

use super::answers::Assembly;
use crate::message::{AnswerPiece, RoundKey};
use gateway::answers::{OpenRound, Response};
use gateway::city::City;
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
    /// Responses that a missing part may need.
    responses: FxHashMap<u32, Arc<Response>>,
    assemblies: FxHashMap<u32, Assembly>,
    begun: Instant,
    give_up: Instant,
}

/// Time for which answers wait for the first part of their round.
const FIRST_PART: Duration = Duration::from_secs(3);

impl RoundState {
    fn end(&mut self, request: u32, response: Response) {
        let response = Arc::new(response);
        for open in &mut self.open {
            open.end(request as usize, &response);
        }
        if self.missing_parts != Some(0) {
            self.responses.insert(request, response);
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

impl Rounds {
    fn state(&mut self, key: &RoundKey, patience: Duration) -> &mut RoundState {
        let begun = Instant::now();
        self.rounds.entry(key.clone()).or_insert_with(|| RoundState {
            open: Vec::new(),
            missing_parts: None,
            responses: FxHashMap::default(),
            assemblies: FxHashMap::default(),
            begun,
            give_up: begun + patience,
        })
    }

    /// Adds the sets of one of `parts` parts of a round. They fail after `patience`.
    pub fn add_part(
        &mut self,
        key: &RoundKey,
        parts: u32,
        open: Option<OpenRound>,
        patience: Duration,
    ) {
        let state = self.state(key, patience);
        state.missing_parts = Some(state.missing_parts.unwrap_or(parts).saturating_sub(1));
        if let Some(mut open) = open {
            for (request, response) in &state.responses {
                open.end(*request as usize, response);
            }
            state.open.push(open);
        }
        if state.missing_parts == Some(0) {
            state.responses.clear();
        }
    }

    /// Adds the response to a request of this frontend.
    pub fn end(&mut self, key: &RoundKey, request: u32, response: Response, patience: Duration) {
        self.state(key, patience).end(request, response);
    }

    /// Adds a piece of another frontend's answer. `max_bytes` bounds the incomplete answers.
    pub fn add_piece(
        &mut self,
        piece: AnswerPiece,
        city: &City,
        max_bytes: usize,
        patience: Duration,
    ) {
        let (key, request) = (piece.round.clone(), piece.request);
        let held: usize =
            self.rounds.values().flat_map(|s| s.assemblies.values()).map(Assembly::bytes).sum();
        let state = self.state(&key, patience);
        if held.saturating_add(piece.bytes.len()) > max_bytes {
            state.assemblies.remove(&request);
            state.end(request, Err(ServiceError::Memory));
            return;
        }
        let assembly = state.assemblies.entry(request).or_default();
        if let Some(answer) = assembly.push(piece) {
            state.assemblies.remove(&request);
            let response = answer.and_then(|objects| city.requests().hold(objects));
            state.end(request, response);
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
