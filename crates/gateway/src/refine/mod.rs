//! From a superset for everyone in a region to the exact answer of one person.
//!
//! Distances are computed here, from the person's own position: nothing a service says about
//! distance, order or category is believed.

use crate::question::{Along, Operation, Question};
use crate::service::{Few, ForMany, Object, Objects};
use crate::walk::Walker;
use meshcloak::map::Position;
use meshcloak::units::{Length, Point};
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
    let found = find(walker, position, question, objects).into_iter();
    let found = found.map(|(metres, object)| Found {
        object: Arc::clone(&objects.objects()[object as usize]),
        metres,
    });
    Answer { found: found.collect(), exact: objects.is_complete() }
}

/// The same by number: how far each is, and which of the objects, nearest first.
pub(crate) fn find(
    walker: &Walker,
    position: Position,
    question: &Question,
    objects: &Objects,
) -> Vec<(f64, u32)> {
    let person = Person { walker, position, question, objects };
    match question.operation {
        Operation::Within { radius, along: Along::Streets } => person.within_streets(radius),
        Operation::Within { radius, along: Along::Plane } => person.within_plane(radius),
        Operation::Nearest { count, along: Along::Streets } => person.nearest_streets(count),
        Operation::Nearest { count, along: Along::Plane } => person.nearest_plane(count),
    }
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

    fn within_streets(&self, radius: Length) -> Vec<(f64, u32)> {
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
        met.into_iter().map(|(object, length)| (length.as_metres(), object)).collect()
    }

    fn nearest_streets(&self, count: u32) -> Vec<(f64, u32)> {
        let mut few = Few::new(count);
        self.along(|object, length| few.meet(object, length));
        let exits = self.walker.map().exits(self.position);
        let wants = |object| self.wants(object);
        self.walker.nearest(exits, self.objects.by_street(), wants, &mut few);
        few.into_vec().into_iter().map(|(length, object)| (length.as_metres(), object)).collect()
    }

    /// Where she is in the plane.
    fn here(&self) -> Point {
        self.walker.map().point(self.position)
    }

    /// Straight distances to the objects that are wanted.
    fn plane(&self) -> impl Iterator<Item = (f64, u32)> {
        let here = self.here();
        let objects = self.objects.objects().iter().zip(0_u32..);
        let wanted = objects.filter(|(object, _)| self.question.category.holds(&object.category));
        wanted.map(move |(object, number)| (here.distance(object.point), number))
    }

    fn within_plane(&self, radius: Length) -> Vec<(f64, u32)> {
        let radius = radius.as_metres();
        let mut met = Vec::new();
        if let Some(ForMany { grid, .. }) = self.objects.for_many() {
            grid.within(self.here(), radius, |object, metres| {
                if self.wants(object) {
                    met.push((metres, object));
                }
            });
        } else {
            met.extend(self.plane().filter(|&(metres, _)| metres <= radius));
        }
        met.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        met
    }

    fn nearest_plane(&self, count: u32) -> Vec<(f64, u32)> {
        let mut few = Few::new(count);
        if let Some(ForMany { grid, .. }) = self.objects.for_many() {
            grid.nearest_of(self.here(), |object| self.wants(object), &mut few);
        } else {
            self.plane().for_each(|(metres, object)| few.meet(object, metres));
        }
        few.into_vec()
    }
}

#[cfg(test)]
mod tests;
