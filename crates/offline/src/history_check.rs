//! Admission of queries to the `history` guarantee.

use crate::intake::hashed_user;
use crate::registry::as_query;
use evaluation::reason::Reason;
use import::QueryRecord;
use meshcloak::distance::Atlas;
use meshcloak::guarantee::{Admission, AdmissionError, Guarantee};
use meshcloak::history::PastPosition;
use meshcloak::map::Position;
use meshcloak::query::{Query, QueryId};
use meshcloak::scheme::Scheme;

/// Checks queries if the scheme promises `history`; otherwise admits all.
#[derive(Debug)]
pub struct HistoryCheck {
    admission: Option<Admission>,
}

impl HistoryCheck {
    /// Builds the check that a scheme needs.
    pub fn of(scheme: &dyn Scheme) -> HistoryCheck {
        let promise = scheme.promise().filter(|promise| promise.guarantee == Guarantee::History);
        let known = promise.zip(scheme.history_horizon());
        let admission =
            known.map(|(promise, horizon)| Admission::new(promise.history_clock, horizon));
        HistoryCheck { admission }
    }

    /// Admits a query, after all earlier batches. Returns its position and the previous one of its
    /// user.
    pub fn admit(
        &mut self,
        atlas: &Atlas,
        record: &QueryRecord,
        position: Position,
    ) -> Result<(Position, Option<PastPosition>), Reason> {
        let Some(admission) = &mut self.admission else { return Ok((position, None)) };
        let mut query = as_query(record, QueryId(0), hashed_user(&record.user), position);
        let previous = admission.admit(atlas, &mut query).map_err(|error| match error {
            AdmissionError::Speed => Reason::Speed,
            AdmissionError::FasterThanDeclared => Reason::FasterThanDeclared,
        })?;
        Ok((query.position, previous))
    }

    /// Notes a query that was published.
    pub fn leave(&mut self, query: &Query) {
        if let Some(admission) = &mut self.admission {
            admission.leave(query);
        }
    }
}
