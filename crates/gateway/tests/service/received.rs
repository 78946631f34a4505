//! A planar service that never ends an answer: what is received counts against the memory of all
//! answers.

use crate::fixture::{inquiry, questions, walker};
use gateway::service::{
    Planar, PlanarService, PlanarSettings, RangeAnswer, RangeRequest, RawObject, RequestPolicy,
    RequestQueue, RequestQueueSettings, ServiceClient, ServiceClientSettings, ServiceError,
    ServiceFuture,
};
use meshcloak::units::Point;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Objects of each answer, and bytes of each name.
const OBJECTS: usize = 100;
const NAME: usize = 1_000;

/// A service whose answers are never complete and hold new objects each.
struct EndlessService {
    ranges: Arc<AtomicUsize>,
}

impl PlanarService for EndlessService {
    fn name(&self) -> &'static str {
        "endless"
    }

    fn range<'a>(
        &'a self,
        range: RangeRequest<'a>,
        policy: &'a RequestPolicy,
    ) -> ServiceFuture<'a, RangeAnswer> {
        let number = self.ranges.fetch_add(1, Ordering::Relaxed);
        let object = move |index: usize| RawObject {
            id: format!("{number}-{index}"),
            name: "x".repeat(NAME),
            category: range.category.name().unwrap_or("cafe").to_owned(),
            point: Point::default(),
        };
        Box::pin(async move {
            policy.send(|| async { Ok(()) }).await?;
            Ok(RangeAnswer { objects: (0..OBJECTS).map(object).collect(), truncated: true })
        })
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        Box::pin(std::future::pending())
    }
}

/// Sends 16 inquiries with this memory for answers. Returns their errors and the number of ranges.
async fn send(max_held: usize) -> (Vec<Option<ServiceError>>, usize) {
    let ranges = Arc::new(AtomicUsize::new(0));
    let service = EndlessService { ranges: Arc::clone(&ranges) };
    let planar = Planar::new(walker(), service, PlanarSettings::default());
    let client = ServiceClient::new(Box::new(planar), ServiceClientSettings::default());
    let settings = RequestQueueSettings {
        slots: 16,
        timeout: Duration::from_secs(60),
        max_wait: Duration::from_secs(60),
        max_held,
        first_response_time: Duration::ZERO,
        waits_for_memory: false,
    };
    let queue = Arc::new(RequestQueue::new(client, settings));
    let mut ends = queue.send(vec![inquiry(&walker(), &questions()[0]); 16]);
    let mut errors = Vec::new();
    while let Some(end) = ends.recv().await {
        errors.push(end.response.err());
    }
    (errors, ranges.load(Ordering::Relaxed))
}

#[tokio::test]
async fn parts_of_an_answer_are_charged_before_it_is_complete() {
    let (errors, ranges) = send(3 * OBJECTS * NAME).await;
    assert_eq!(errors, vec![Some(ServiceError::Memory); 16]);
    // A range takes more than its names, so that the third of an inquiry exceeds the limit.
    assert!(ranges <= 16 * 3, "{ranges}");
    // Control: with enough memory, the lines are halved until they are short.
    let (errors, ranges) = send(usize::MAX).await;
    assert!(errors.iter().all(Option::is_none) && ranges > 16 * 6, "{errors:?} {ranges}");
}
