//! Exact answers from a planar service: one that only finds objects within a distance of lines in
//! the plane, and may truncate its answer.
//!
//! One inquiry can cause several requests. A truncated range is repeated on halves of its lines.
//! A question about the nearest objects is first asked with a fixed radius; the next radius
//! follows from the objects received (`radius_search`) and is not rounded to a ladder. Every one of
//! these requests is a function of region, question and earlier answers of the service
//! (docs/SPEC.md §9): nothing else of a set is known here. The service could compute them itself,
//! so they tell it no more than the inquiry.

use super::radius_search::{NextStep, RadiusSearch};
use super::snapping::Snapping;
use super::{
    Completeness, Object, Objects, Polylines, ReceivedBytes, RequestPolicy, Service, ServiceError,
    ServiceFuture,
};
use crate::inquiry::Inquiry;
use crate::question::{Along, Category, Operation};
use crate::walk::Walker;
use meshcloak::units::Point;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Request to a planar service.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RangeRequest<'a> {
    /// Area to search; `None`: everywhere.
    pub around: Option<&'a Surroundings>,
    /// Category of the objects.
    pub category: &'a Category,
}

/// All points within a distance of lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Surroundings {
    /// Lines in the plane of the map.
    pub lines: Polylines,
    /// Distance in metres.
    pub metres: f64,
}

/// Answer of a planar service.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RangeAnswer {
    /// Objects as sent by the service, not checked.
    pub objects: Vec<RawObject>,
    /// Whether objects may be missing because the service stopped at a limit.
    pub truncated: bool,
}

/// An object as described by a service, in the plane of the map. `Debug` prints the id only.
#[derive(Clone, PartialEq)]
pub struct RawObject {
    /// Id assigned by the service.
    pub id: String,
    /// Display name; may be empty.
    pub name: String,
    /// Category, as in questions.
    pub category: String,
    /// Point in the plane; may be invalid.
    pub point: Point,
}

impl RawObject {
    /// Memory in bytes: twice that of the structure, for spare capacity of lists.
    pub(crate) fn memory(&self) -> usize {
        let texts = [&self.id, &self.name, &self.category].map(String::len);
        texts.into_iter().fold(size_of::<[RawObject; 2]>(), usize::saturating_add)
    }
}

impl fmt::Debug for RawObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawObject({})", self.id)
    }
}

/// A service that answers ranges in the plane and nothing else.
pub trait PlanarService: Send + Sync {
    /// Name of the connector.
    fn name(&self) -> &'static str;

    /// Returns the objects of a category in an area, or a superset of them. Every request to the
    /// service is sent by `policy`.
    fn range<'a>(
        &'a self,
        range: RangeRequest<'a>,
        policy: &'a RequestPolicy,
    ) -> ServiceFuture<'a, RangeAnswer>;

    /// Returns the categories of the objects, ascending.
    fn categories(&self) -> ServiceFuture<'_, Vec<String>>;
}

/// Settings of [`Planar`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarSettings {
    /// Largest distance between an object and its street, in metres. Objects farther from every
    /// street answer no question along streets.
    pub max_street_distance: f64,
    /// Largest number of objects in an answer.
    pub max_objects: usize,
    /// Largest number of ranges per inquiry; beyond it the answer is incomplete.
    pub max_ranges: usize,
}

impl Default for PlanarSettings {
    fn default() -> PlanarSettings {
        PlanarSettings { max_street_distance: 200.0, max_objects: 200_000, max_ranges: 400 }
    }
}

/// Adapter from a planar service to a [`Service`] that answers every kind of question.
pub struct Planar<S> {
    service: S,
    walker: Arc<Walker>,
    settings: PlanarSettings,
}

/// Objects received so far for one inquiry.
struct PartialAnswer {
    objects: BTreeMap<String, Arc<Object>>,
    completeness: Completeness,
    /// Number of ranges sent.
    ranges: usize,
    /// Memory of the objects.
    received: ReceivedBytes,
}

impl<S: PlanarService> Planar<S> {
    /// Wraps a planar service; its objects are snapped to the walker's map.
    pub fn new(walker: Arc<Walker>, service: S, settings: PlanarSettings) -> Planar<S> {
        Planar { service, walker, settings }
    }

    /// The wrapped service.
    pub fn service(&self) -> &S {
        &self.service
    }

    async fn answer(
        &self,
        inquiry: &Inquiry,
        policy: &RequestPolicy,
    ) -> Result<Objects, ServiceError> {
        let question = inquiry.question();
        let category = &question.category;
        let lines = Polylines::of(self.walker.map(), inquiry.region());
        let mut answer = PartialAnswer {
            objects: BTreeMap::new(),
            completeness: Completeness::Complete,
            ranges: 0,
            received: policy.received(),
        };
        let max_street_distance = self.settings.max_street_distance;
        match question.operation {
            Operation::Within { radius, along } => {
                let margin = if along == Along::Streets { max_street_distance } else { 0.0 };
                let area = Surroundings { lines, metres: radius.as_metres() + margin };
                self.fetch(Some(area), category, policy, &mut answer).await?;
                Ok(answer.objects())
            }
            Operation::Nearest { count, along } => {
                let region = inquiry.region();
                let walker = &self.walker;
                let search = RadiusSearch { walker, region, count, along, max_street_distance };
                let mut radius = Some(search.first_radius());
                loop {
                    let area = radius.map(|metres| Surroundings { lines: lines.clone(), metres });
                    self.fetch(area, category, policy, &mut answer).await?;
                    let objects = answer.objects();
                    match search.next_step(radius, &objects) {
                        NextStep::Done => return Ok(objects),
                        NextStep::Ask(wider) => radius = wider,
                    }
                }
            }
        }
    }

    /// Requests one area; a truncated answer is repeated on halves of the lines.
    async fn fetch(
        &self,
        area: Option<Surroundings>,
        category: &Category,
        policy: &RequestPolicy,
        answer: &mut PartialAnswer,
    ) -> Result<(), ServiceError> {
        let mut pending = vec![area];
        while let Some(area) = pending.pop() {
            answer.ranges = answer.ranges.saturating_add(1);
            let request = RangeRequest { around: area.as_ref(), category };
            let received = self.service.range(request, policy).await?;
            let truncated = received.truncated;
            self.add_objects(received, category, answer).await?;
            if !truncated {
                continue;
            }
            let halves = area.and_then(|Surroundings { lines, metres }| {
                // Halves of shorter lines would have nearly the same surroundings.
                let (first, second) = lines.split(metres / 8.0)?;
                Some([second, first].map(|lines| Some(Surroundings { lines, metres })))
            });
            match halves
                .filter(|_| answer.ranges.saturating_add(pending.len()) < self.settings.max_ranges)
            {
                Some(halves) => pending.extend(halves),
                None => answer.completeness = Completeness::Partial,
            }
        }
        Ok(())
    }

    /// Snaps received objects to the map, on a thread for blocking work: a large answer delays no
    /// other task.
    async fn add_objects(
        &self,
        received: RangeAnswer,
        wanted: &Category,
        answer: &mut PartialAnswer,
    ) -> Result<(), ServiceError> {
        let memory = received.objects.iter().map(RawObject::memory);
        answer.received.add(memory.fold(0, usize::saturating_add))?;
        let snapping = Snapping {
            walker: Arc::clone(&self.walker),
            settings: self.settings,
            wanted: wanted.clone(),
            objects: std::mem::take(&mut answer.objects),
        };
        let snapped = tokio::task::spawn_blocking(move || {
            let objects = snapping.add(received.objects)?;
            let memory = objects.values().map(|object| object.memory());
            let memory = memory.fold(0, usize::saturating_add);
            Ok((objects, memory))
        });
        let (objects, memory) = snapped.await.unwrap_or(Err(ServiceError::Internal))?;
        answer.objects = objects;
        // Duplicates and objects of other categories were dropped.
        answer.received.set(memory)
    }
}

impl PartialAnswer {
    fn objects(&self) -> Objects {
        Objects::new(self.objects.values().cloned().collect(), self.completeness)
    }
}

impl<S: PlanarService> Service for Planar<S> {
    fn name(&self) -> &'static str {
        self.service.name()
    }

    fn ask<'a>(&'a self, inquiry: &'a Inquiry) -> ServiceFuture<'a, Objects> {
        Box::pin(async { self.answer(inquiry, &RequestPolicy::unlimited()).await })
    }

    fn ask_under<'a>(
        &'a self,
        inquiry: &'a Inquiry,
        policy: &'a RequestPolicy,
    ) -> ServiceFuture<'a, Objects> {
        Box::pin(self.answer(inquiry, policy))
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        self.service.categories()
    }
}

#[cfg(test)]
mod tests;
