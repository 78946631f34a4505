//! Rows of `costs.csv`: what the service and the user pay for each answered query.

use serde::{Deserialize, Serialize};

/// File of the costs within a results folder.
pub const COSTS: &str = "costs.csv";

/// A row of `costs.csv`: one scheme on one map. Sums are over the whole run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CostRow {
    /// Name of the map.
    pub map: String,
    /// Number of users.
    pub users: u32,
    /// As in the paper: `P1-3-5` is profile, dt, largest k.
    pub configuration: String,
    /// Random seed.
    pub seed: u64,
    /// `built-in` or `postgis`.
    pub service: String,
    /// Canonical name of the scheme.
    pub scheme: String,
    /// Simulated seconds with queries.
    pub seconds: u64,
    /// Queries of the users.
    pub queries: u64,
    /// Queries that were answered.
    pub answered: u64,
    /// Answered queries whose region does not hold the user, so that the answer may be wrong.
    pub outside: u64,
    /// Requests to the service: one for each region and kind of question of a batch.
    pub requests: u64,
    /// Objects that the service returned.
    pub candidates: u64,
    /// Objects of the answers of users.
    pub objects: u64,
    /// Bytes of the objects that the service returned, as JSON.
    pub candidate_bytes: u64,
    /// Bytes of the objects of the answers of users, as JSON.
    pub object_bytes: u64,
    /// Bytes sent to a database; empty for the built-in service.
    pub sent_bytes: Option<u64>,
    /// Bytes received from a database.
    pub received_bytes: Option<u64>,
    /// Mean time of a request in milliseconds.
    pub mean_request_ms: f64,
    /// Processor time of extracting an answer, in microseconds.
    pub refinement_us: f64,
    /// Answers that were checked against the true position.
    pub checked: u64,
    /// Checked answers that are wrong, of users inside their region.
    pub wrong: u64,
    /// Commit of the program.
    pub commit: String,
}

impl CostRow {
    /// What was measured.
    pub fn run(&self) -> (&str, u32, &str, u64, &str, &str) {
        let CostRow { map, users, configuration, seed, service, scheme, .. } = self;
        (map, *users, configuration, *seed, service, scheme)
    }

    /// Returns a sum for each answered query.
    pub fn per_answer(&self, sum: u64) -> f64 {
        sum as f64 / self.answered.max(1) as f64
    }

    /// Share of the queries that were answered.
    pub fn share_answered(&self) -> f64 {
        self.answered as f64 / self.queries.max(1) as f64
    }

    /// Share of the answered queries whose region does not hold the user.
    pub fn share_outside(&self) -> f64 {
        self.per_answer(self.outside)
    }

    /// Requests in a second of simulated time.
    pub fn requests_per_second(&self) -> f64 {
        self.requests as f64 / self.seconds.max(1) as f64
    }
}
