//! Sums of a measurement.

use evaluation::results::CostRow;
use gateway::service::Object;
use std::time::Duration;

/// Costs of one scheme.
#[derive(Clone, Debug, Default)]
pub(super) struct SchemeCost {
    /// Sums.
    pub row: CostRow,
    /// Traffic of the database, if there is one.
    pub wire: Option<WireTraffic>,
    /// Time of each request, in milliseconds.
    pub request_ms: Vec<f64>,
    /// Processor time of extracting the answers.
    pub refinement: Duration,
}

impl SchemeCost {
    /// Completes the row with the means and the traffic.
    pub(super) fn finish(&mut self) {
        let SchemeCost { row, wire, request_ms, refinement } = self;
        row.mean_request_ms = request_ms.iter().sum::<f64>() / request_ms.len().max(1) as f64;
        row.refinement_us = refinement.as_secs_f64() * 1e6 / row.answered.max(1) as f64;
        row.sent_bytes = wire.map(|wire| wire.sent);
        row.received_bytes = wire.map(|wire| wire.received);
    }
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

/// Bytes of an object in JSON: id, name, category, lon and lat with seven decimals.
pub(super) fn object_bytes(object: &Object) -> u64 {
    const FRAME: usize =
        r#"{"id":"","name":"","category":"","lon":-12.1234567,"lat":12.1234567},"#.len();
    (FRAME + object.id.len() + object.name.len() + object.category.len()) as u64
}
