//! What happened in a schedule.

use crate::plan::Plan;
use crate::service::SeenRequest;
use meshcloak::units::Point;
use std::collections::BTreeMap;

/// Result of a query as its client sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// Virtual time since the start, in milliseconds.
    pub at: u128,
    /// `outcome` of the response, or `lost` if the connection was closed by the client.
    pub outcome: String,
}

/// A published set.
#[derive(Clone, Debug)]
pub struct SetRecord {
    pub batch: usize,
    /// Virtual time of the batch in milliseconds.
    pub published: u128,
    /// Number and k of each query with a question.
    pub members: Vec<(usize, u32)>,
    /// Size of the anonymity set.
    pub size: usize,
}

/// When a query was asked and must have left the engine, in milliseconds of virtual time.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub at: u128,
    pub dt: u128,
}

/// A place of a user in a published set.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub user: usize,
    pub point: Point,
    /// The user was there between these virtual times, in milliseconds.
    pub earliest: u128,
    pub latest: u128,
}

/// What happened in a schedule.
#[derive(Debug, Default)]
pub struct Log {
    /// First result of each query, by number.
    pub ends: BTreeMap<usize, End>,
    pub user_of: BTreeMap<usize, usize>,
    pub asked: BTreeMap<usize, Asked>,
    pub sets: Vec<SetRecord>,
    /// Places of published users, in the order of publication.
    pub places: Vec<Place>,
    /// How long `history` remembers a user, in milliseconds; `None` under another guarantee.
    pub horizon: Option<u128>,
    /// Time from which waiting queries expire because the gateway stops, in milliseconds.
    pub stopped: u128,
    /// Longest time from a publication to its results, in milliseconds.
    pub longest_answer: u128,
    /// Number of kills.
    pub restarts: usize,
    /// Requests of each batch.
    pub batches: Vec<Vec<String>>,
    pub requests: Vec<SeenRequest>,
    pub accepted: u64,
    pub ended: u64,
    pub under_way: usize,
    pub queued_requests: usize,
}

impl Log {
    /// Creates the empty log of a schedule.
    pub fn new(plan: &Plan) -> Log {
        let horizon = plan.is_history.then_some(u128::from(plan.horizon) * 1_000);
        // `service.wait` and `service.question_timeout`, and the actions of a second.
        let longest_answer = u128::from(plan.max_wait) + 8_000 + 20;
        Log { horizon, longest_answer, ..Log::default() }
    }

    pub fn outcome_count(&self, name: &str) -> usize {
        self.ends.values().filter(|end| end.outcome == name).count()
    }

    pub fn sorted_requests(&self) -> Vec<SeenRequest> {
        let mut requests = self.requests.clone();
        requests.sort();
        requests
    }
}
