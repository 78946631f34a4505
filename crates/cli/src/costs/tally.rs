//! Sums of a measurement.

use gateway::service::Object;
use std::time::Duration;

/// Costs of one scheme.
#[derive(Clone, Debug, Default)]
pub(super) struct SchemeCost {
    /// Name of the scheme.
    pub scheme: String,
    /// Simulated seconds with queries.
    pub seconds: u64,
    pub queries: u64,
    pub answered: u64,
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
    /// Traffic of the database, if there is one.
    pub wire: Option<WireTraffic>,
    /// Time of each request, in milliseconds.
    pub request_ms: Vec<f64>,
    /// Processor time of extracting the answers.
    pub refinement: Duration,
    /// Checked answers, and those that differ from the answer for the true position.
    pub checked: u64,
    pub wrong: u64,
}

/// Bytes and statements between this process and a database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct WireTraffic {
    pub sent: u64,
    pub received: u64,
    pub statements: u64,
}

impl WireTraffic {
    /// Traffic since an earlier moment.
    pub(super) fn since(self, earlier: WireTraffic) -> WireTraffic {
        WireTraffic {
            sent: self.sent - earlier.sent,
            received: self.received - earlier.received,
            statements: self.statements - earlier.statements,
        }
    }
}

impl SchemeCost {
    /// Returns `sum` for each answered query.
    pub(super) fn per_answer(&self, sum: u64) -> f64 {
        sum as f64 / self.answered.max(1) as f64
    }

    /// Share of the queries that were answered.
    pub(super) fn share_answered(&self) -> f64 {
        self.answered as f64 / self.queries.max(1) as f64
    }

    /// Requests in a second of simulated time.
    pub(super) fn requests_per_second(&self) -> f64 {
        self.requests as f64 / self.seconds.max(1) as f64
    }

    /// Mean time of a request in milliseconds.
    pub(super) fn mean_request_ms(&self) -> f64 {
        self.request_ms.iter().sum::<f64>() / self.request_ms.len().max(1) as f64
    }

    /// Processor time of the refinement for each answered query, in microseconds.
    pub(super) fn refinement_us(&self) -> f64 {
        self.refinement.as_secs_f64() * 1e6 / self.answered.max(1) as f64
    }
}

/// Bytes of an object in JSON: id, name, category, lon and lat with seven decimals.
pub(super) fn object_bytes(object: &Object) -> u64 {
    const FRAME: usize =
        r#"{"id":"","name":"","category":"","lon":-12.1234567,"lat":12.1234567},"#.len();
    (FRAME + object.id.len() + object.name.len() + object.category.len()) as u64
}
