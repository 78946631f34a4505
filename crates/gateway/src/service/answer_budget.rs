//! Limits of one answer, shared by the readers of its parts.

use super::ServiceError;
use serde::de::Error;
use std::cell::{Cell, OnceCell};

/// What one answer may still hold. Readers share it and fail when it is spent.
pub(crate) struct AnswerBudget {
    max_objects: usize,
    objects: Cell<usize>,
    points: Cell<usize>,
    spent: OnceCell<ServiceError>,
}

/// Largest number of points of all geometries of an answer.
const MAX_POINTS: usize = 1_000_000;

impl AnswerBudget {
    pub(crate) fn new(max_objects: usize) -> AnswerBudget {
        AnswerBudget {
            max_objects,
            objects: Cell::new(max_objects),
            points: Cell::new(MAX_POINTS),
            spent: OnceCell::new(),
        }
    }

    /// Counts one object.
    pub(crate) fn spend_object<E: Error>(&self) -> Result<(), E> {
        self.spend(&self.objects, ServiceError::TooManyObjects(self.max_objects))
    }

    /// Counts one point of a geometry.
    pub(crate) fn spend_point<E: Error>(&self) -> Result<(), E> {
        self.spend(&self.points, ServiceError::Malformed("its geometries have too many points"))
    }

    fn spend<E: Error>(&self, left: &Cell<usize>, error: ServiceError) -> Result<(), E> {
        match left.get().checked_sub(1) {
            Some(rest) => {
                left.set(rest);
                Ok(())
            }
            None => Err(self.fail(error)),
        }
    }

    /// Ends the reading with this error.
    pub(crate) fn fail<E: Error>(&self, error: ServiceError) -> E {
        self.spent.get_or_init(|| error);
        E::custom("limit exceeded")
    }

    /// Returns the limit that ended the reading, or else `error`.
    pub(crate) fn error_or(self, error: ServiceError) -> ServiceError {
        self.spent.into_inner().unwrap_or(error)
    }
}
