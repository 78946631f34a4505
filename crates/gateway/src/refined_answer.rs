//! Answer of one user that is refined in one process of a cluster and delivered in another.

use crate::answer_json::{AnswerWriter, CachedFrame};
use crate::city::City;
use crate::config::AnswersConfig;
use crate::question::Question;
use crate::refine::find;
use crate::service::Objects;
use bytes::Bytes;
use meshcloak::map::Position;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Objects of an answer, without ticket and receipt. Has no `Debug`: objects near a user reveal the
/// user's position.
#[derive(Clone, PartialEq, Eq)]
pub struct RefinedAnswer {
    /// JSON of the objects, nearest first, separated by commas.
    pub objects: Bytes,
    /// Number of objects beyond the limits of an answer.
    pub left_out: usize,
    /// Whether the answer of the service was complete.
    pub is_complete: bool,
}

/// Refines answers with a reused buffer.
pub struct AnswerRefiner<'a> {
    city: &'a City,
    limits: AnswersConfig,
    writer: AnswerWriter,
}

impl<'a> AnswerRefiner<'a> {
    /// Creates a refiner of answers about a city.
    pub fn new(city: &'a City, limits: AnswersConfig) -> AnswerRefiner<'a> {
        AnswerRefiner { city, limits, writer: AnswerWriter::default() }
    }

    /// Finds the exact answer of a user at `position` in the objects of the region. `None` if the
    /// refinement panics, which fails this answer only.
    pub fn refine(
        &mut self,
        position: Position,
        question: &Question,
        objects: &Objects,
    ) -> Option<RefinedAnswer> {
        let refined = AssertUnwindSafe(|| {
            let found = find(self.city.walker(), position, question, objects);
            let (frame, cache) = (self.city.map().frame(), self.city.lon_lats());
            self.writer.write_refined(CachedFrame { frame, cache }, objects, &found, self.limits)
        });
        catch_unwind(refined).ok()
    }
}
