//! What happened in a schedule.

use crate::service::SeenRequest;
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
    /// Number and k of each query with a question.
    pub members: Vec<(usize, u32)>,
    /// Size of the anonymity set.
    pub size: usize,
}

/// What happened in a schedule.
#[derive(Debug, Default)]
pub struct Log {
    /// First result of each query, by number.
    pub ends: BTreeMap<usize, End>,
    pub user_of: BTreeMap<usize, usize>,
    pub sets: Vec<SetRecord>,
    /// Requests of each batch.
    pub batches: Vec<Vec<String>>,
    pub requests: Vec<SeenRequest>,
    pub accepted: u64,
    pub ended: u64,
    pub under_way: usize,
    pub queued_requests: usize,
}

impl Log {
    pub fn outcome_count(&self, name: &str) -> usize {
        self.ends.values().filter(|end| end.outcome == name).count()
    }

    pub fn sorted_requests(&self) -> Vec<SeenRequest> {
        let mut requests = self.requests.clone();
        requests.sort();
        requests
    }
}
