//! Exact answers from a plain service: one that knows nothing but "what lies within r metres of
//! these lines", and even then may not say everything at once.
//!
//! Everything that is asked is a function of region, question and earlier answers (SPEC §9). How
//! each kind of question becomes such ranges is in `nearest`; here a range is asked until it is
//! answered in full, and what comes back is placed on our map.

use super::nearest::{NextRange, Widening};
use super::{Coming, Complete, Object, Objects, Piece, Service, ServiceError};
use crate::inquiry::Inquiry;
use crate::question::{Along, Category, Operation};
use crate::walk::Walker;
use meshcloak::units::Point;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a plain service is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Range<'a> {
    /// Around which lines; `None`: anywhere.
    pub around: Option<(&'a Piece, f64)>,
    /// What kind of place.
    pub category: &'a Category,
}

/// What a plain service answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Objects as they came.
    pub rows: Vec<Row>,
    /// Whether there may be more: the service stopped at its limit.
    pub full: bool,
}

/// An object as a service describes it, in the plane of the map.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The service's own id.
    pub id: String,
    /// What people call it; may be empty.
    pub name: String,
    /// What kind of place it is.
    pub category: String,
    /// Where it is.
    pub point: Point,
}

/// A service that knows ranges in the plane and nothing else.
pub trait PlainService: Send + Sync {
    /// As in logs and metrics.
    fn name(&self) -> &'static str;

    /// The objects of a category within so many metres around lines.
    fn range<'a>(&'a self, range: Range<'a>) -> Coming<'a, Page>;

    /// The categories of its objects, ascending.
    fn categories(&self) -> Coming<'_, Vec<String>>;
}

/// How a plain service is used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlainSettings {
    /// An object farther than this from every street is on none: it answers no question along
    /// streets. Metres.
    pub farthest_from_street: f64,
    /// How many objects an answer may have.
    pub most_objects: usize,
    /// How many ranges may be asked for one inquiry, before its answer is called incomplete.
    pub most_ranges: usize,
}

impl Default for PlainSettings {
    fn default() -> PlainSettings {
        PlainSettings { farthest_from_street: 200.0, most_objects: 200_000, most_ranges: 400 }
    }
}

/// A plain service that answers every kind of question.
pub struct Plain<S> {
    service: S,
    walker: Arc<Walker>,
    settings: PlainSettings,
}

/// What is known of an inquiry's answer so far.
struct Gathered {
    objects: BTreeMap<String, Arc<Object>>,
    complete: Complete,
    ranges: usize,
}

impl<S: PlainService> Plain<S> {
    /// Places the objects of `service` on the walker's map.
    pub fn new(walker: Arc<Walker>, service: S, settings: PlainSettings) -> Plain<S> {
        Plain { service, walker, settings }
    }

    /// The service behind it.
    pub fn service(&self) -> &S {
        &self.service
    }

    async fn answer(&self, inquiry: &Inquiry) -> Result<Objects, ServiceError> {
        let question = inquiry.question();
        let category = &question.category;
        let piece = Piece::of(self.walker.map(), inquiry.region());
        let mut gathered =
            Gathered { objects: BTreeMap::new(), complete: Complete::Yes, ranges: 0 };
        let farthest = self.settings.farthest_from_street;
        match question.operation {
            Operation::Within { radius, along } => {
                let more = if along == Along::Streets { farthest } else { 0.0 };
                let metres = radius.as_metres() + more;
                self.gather(Some((piece, metres)), category, &mut gathered).await?;
            }
            Operation::Nearest { count, along } => {
                let region = inquiry.region();
                let mut widening =
                    Widening { walker: &self.walker, region, count, along, farthest };
                let mut next = widening.first();
                loop {
                    let around = next.map(|metres| (piece.clone(), metres));
                    self.gather(around, category, &mut gathered).await?;
                    let so_far = gathered.objects();
                    match widening.next(next, &so_far) {
                        NextRange::Enough => return Ok(so_far),
                        NextRange::Ask(wider) => next = wider,
                    }
                }
            }
        }
        Ok(gathered.objects())
    }

    /// Asks one range, in parts if the service does not say everything at once.
    async fn gather(
        &self,
        around: Option<(Piece, f64)>,
        category: &Category,
        gathered: &mut Gathered,
    ) -> Result<(), ServiceError> {
        let mut open = vec![around];
        while let Some(around) = open.pop() {
            gathered.ranges += 1;
            let range =
                Range { around: around.as_ref().map(|(piece, metres)| (piece, *metres)), category };
            let page = self.service.range(range).await?;
            let full = page.full;
            self.take(page, category, gathered)?;
            if !full {
                continue;
            }
            let halves = around.and_then(|(piece, metres)| {
                let (first, second) = piece.split(metres / 8.0)?;
                Some([Some((second, metres)), Some((first, metres))])
            });
            match halves.filter(|_| gathered.ranges + open.len() < self.settings.most_ranges) {
                Some(halves) => open.extend(halves),
                None => gathered.complete = Complete::No,
            }
        }
        Ok(())
    }

    /// Places what came on our map. What is not of the category, or is no place, is left out.
    fn take(
        &self,
        page: Page,
        category: &Category,
        gathered: &mut Gathered,
    ) -> Result<(), ServiceError> {
        for Row { id, name, category: of, point } in page.rows {
            let is_place = point.x.is_finite() && point.y.is_finite();
            if !is_place || !category.holds(&of) || gathered.objects.contains_key(&id) {
                continue;
            }
            if gathered.objects.len() == self.settings.most_objects {
                return Err(ServiceError::Endless(self.settings.most_objects));
            }
            let snapped = self.walker.map().snap(point, Some(self.settings.farthest_from_street));
            let position = snapped.map(|snapped| snapped.position);
            let object = Object { id: id.clone(), name, category: of, point, position };
            gathered.objects.insert(id, Arc::new(object));
        }
        Ok(())
    }
}

impl Gathered {
    fn objects(&self) -> Objects {
        Objects::new(self.objects.values().cloned().collect(), self.complete)
    }
}

impl<S: PlainService> Service for Plain<S> {
    fn name(&self) -> &'static str {
        self.service.name()
    }

    fn ask<'a>(&'a self, inquiry: &'a Inquiry) -> Coming<'a, Objects> {
        Box::pin(self.answer(inquiry))
    }

    fn categories(&self) -> Coming<'_, Vec<String>> {
        self.service.categories()
    }
}
