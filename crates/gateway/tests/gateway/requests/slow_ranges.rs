//! A planar service in which every range takes a time.

use super::Seen;
use crate::fixture::walker;
use gateway::service::{
    Object, Planar, PlanarService, PlanarSettings, RangeAnswer, RangeRequest, RawObject,
    RequestPolicy, Service, ServiceFuture,
};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::Instant;

/// Answer of the service to a range: the time that it takes, and whether it is truncated.
pub type Behaviour = fn(&RangeRequest<'_>) -> (Duration, bool);

/// All objects of the map, in ranges that take a time.
struct SlowRanges {
    objects: Vec<Arc<Object>>,
    behaviour: Behaviour,
    start: Instant,
    seen: UnboundedSender<Seen>,
}

/// Returns the service and the record of its ranges.
pub fn slow_ranges(behaviour: Behaviour) -> (Box<dyn Service>, UnboundedReceiver<Seen>) {
    let (seen, record) = unbounded_channel();
    let (objects, start) = (Object::all_of(walker().map()), Instant::now());
    let ranges = SlowRanges { objects, behaviour, start, seen };
    (Box::new(Planar::new(walker(), ranges, PlanarSettings::default())), record)
}

impl SlowRanges {
    /// Objects of a category in an area.
    fn find(&self, range: &RangeRequest<'_>) -> Vec<RawObject> {
        let is_inside = |object: &&Arc<Object>| {
            let near =
                range.around.is_none_or(|area| area.lines.distance(object.point) <= area.metres);
            near && range.category.includes(&object.category)
        };
        let raw = |object: &Arc<Object>| RawObject {
            id: object.id.clone(),
            name: object.name.clone(),
            category: object.category.clone(),
            point: object.point,
        };
        self.objects.iter().filter(is_inside).map(raw).collect()
    }
}

impl PlanarService for SlowRanges {
    fn name(&self) -> &'static str {
        "slow"
    }

    fn range<'a>(
        &'a self,
        range: RangeRequest<'a>,
        policy: &'a RequestPolicy,
    ) -> ServiceFuture<'a, RangeAnswer> {
        let (delay, truncated) = (self.behaviour)(&range);
        Box::pin(policy.send(move || async move {
            let around = range.around.map(|area| area.metres);
            let text = format!("{} {around:?}", range.category.name().unwrap_or("any"));
            self.seen.send((self.start.elapsed(), text)).unwrap();
            tokio::time::sleep(delay).await;
            Ok(RangeAnswer { objects: self.find(&range), truncated })
        }))
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        let mut names: Vec<String> = self.objects.iter().map(|o| o.category.clone()).collect();
        names.sort();
        names.dedup();
        Box::pin(async { Ok(names) })
    }
}
