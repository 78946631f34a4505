//! From a superset for everyone in a region to the exact answer of one person.
//!
//! Distances are computed here, from the person's own position: nothing a service says about
//! distance, order or category is believed.

use crate::question::{Along, Operation, Question};
use crate::service::{Few, Object, Objects};
use crate::walk::Walker;
use meshcloak::map::Position;
use meshcloak::units::Length;
use std::fmt;
use std::sync::Arc;

/// The answer of one person.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Nearest first; the first id first among equals. Of the nearest few exactly as many as were
    /// asked for, or all that can be reached.
    pub found: Vec<Found>,
    /// Whether it is what the person would have got by asking from her own position.
    pub exact: bool,
}

/// An object and how far it is. Prints without the distance.
#[derive(Clone, PartialEq)]
pub struct Found {
    /// The object.
    pub object: Arc<Object>,
    /// How far away it is, measured as the question wants it.
    pub metres: f64,
}

impl fmt::Debug for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Found({})", self.object.id)
    }
}

/// What of `objects` answers the question of a person at `position`.
pub fn refine(
    walker: &Walker,
    position: Position,
    question: &Question,
    objects: &Objects,
) -> Answer {
    let person = Person { walker, position, question, objects };
    let found = match question.operation {
        Operation::Within { radius, along: Along::Streets } => person.within_streets(radius),
        Operation::Within { radius, along: Along::Plane } => person.within_plane(radius),
        Operation::Nearest { count, along: Along::Streets } => person.nearest_streets(count),
        Operation::Nearest { count, along: Along::Plane } => person.nearest_plane(count),
    };
    Answer { found, exact: objects.is_complete() }
}

struct Person<'a> {
    walker: &'a Walker,
    position: Position,
    question: &'a Question,
    objects: &'a Objects,
}

impl Person<'_> {
    fn wants(&self, object: u32) -> bool {
        self.question.category.holds(&self.objects.objects()[object as usize].category)
    }

    /// Calls `meet` with the objects straight along her own street.
    fn along(&self, mut meet: impl FnMut(u32, Length)) {
        for place in self.objects.by_street().on(self.position.street) {
            if let Some(length) = self.walker.map().along(self.position, place.position)
                && self.wants(place.object)
            {
                meet(place.object, length);
            }
        }
    }

    fn within_streets(&self, radius: Length) -> Vec<Found> {
        let mut met: Vec<(u32, Length)> = Vec::new();
        self.along(|object, length| met.push((object, length)));
        met.retain(|&(_, length)| length <= radius);
        let exits = self.walker.map().exits(self.position);
        self.walker.within(exits, radius, self.objects.by_street(), |object, length| {
            met.push((object, length));
        });
        met.sort_unstable();
        met.dedup_by_key(|&mut (object, _)| object);
        met.retain(|&(object, _)| self.wants(object));
        met.sort_unstable_by_key(|&(object, length)| (length, object));
        self.found(met.into_iter().map(|(object, length)| (length.as_metres(), object)))
    }

    fn nearest_streets(&self, count: u32) -> Vec<Found> {
        let mut few = Few::new(count);
        self.along(|object, length| few.meet(object, length));
        let exits = self.walker.map().exits(self.position);
        let wants = |object| self.wants(object);
        self.walker.nearest(exits, self.objects.by_street(), wants, &mut few);
        self.found(few.into_vec().into_iter().map(|(length, object)| (length.as_metres(), object)))
    }

    /// Straight distances to the objects that are wanted.
    fn plane(&self) -> impl Iterator<Item = (f64, u32)> {
        let here = self.walker.map().point(self.position);
        let objects = self.objects.objects().iter().zip(0_u32..);
        let wanted = objects.filter(|(object, _)| self.question.category.holds(&object.category));
        wanted.map(move |(object, number)| (here.distance(object.point), number))
    }

    fn within_plane(&self, radius: Length) -> Vec<Found> {
        let radius = radius.as_metres();
        let mut met: Vec<_> = self.plane().filter(|&(metres, _)| metres <= radius).collect();
        met.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.found(met.into_iter())
    }

    fn nearest_plane(&self, count: u32) -> Vec<Found> {
        let mut few = Few::new(count);
        self.plane().for_each(|(metres, object)| few.meet(object, metres));
        self.found(few.into_vec().into_iter())
    }

    fn found(&self, met: impl Iterator<Item = (f64, u32)>) -> Vec<Found> {
        let objects = self.objects.objects();
        met.map(|(metres, object)| Found { object: objects[object as usize].clone(), metres })
            .collect()
    }
}

#[cfg(test)]
mod tests;
