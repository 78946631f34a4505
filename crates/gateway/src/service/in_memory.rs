//! In-memory planar service for tests: answers ranges up to a limit and records every request.

use super::{PlanarService, RangeAnswer, RangeRequest, RawObject, RequestPolicy, ServiceFuture};
use parking_lot::Mutex;

/// Objects and the largest number of them in one answer.
pub(crate) struct InMemoryService {
    objects: Vec<RawObject>,
    limit: usize,
    requests: Mutex<Vec<String>>,
}

impl InMemoryService {
    pub(crate) fn new(objects: Vec<RawObject>, limit: usize) -> InMemoryService {
        InMemoryService { objects, limit, requests: Mutex::default() }
    }

    /// Returns the text of all requests so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().clone()
    }
}

impl PlanarService for InMemoryService {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn range<'a>(
        &'a self,
        range: RangeRequest<'a>,
        _: &'a RequestPolicy,
    ) -> ServiceFuture<'a, RangeAnswer> {
        self.requests.lock().push(format!("{range:?}"));
        let matches = |object: &&RawObject| {
            let is_near =
                range.around.is_none_or(|area| area.lines.distance(object.point) <= area.metres);
            is_near && range.category.includes(&object.category)
        };
        let objects: Vec<RawObject> =
            self.objects.iter().filter(matches).take(self.limit).cloned().collect();
        let truncated = objects.len() == self.limit;
        Box::pin(async move { Ok(RangeAnswer { objects, truncated }) })
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        let mut names: Vec<String> =
            self.objects.iter().map(|object| object.category.clone()).collect();
        names.sort();
        names.dedup();
        Box::pin(async move { Ok(names) })
    }
}
