//! Extracts the exact answer of one user from the superset for a region.
//!
//! Distances, order and categories are computed here, from the user's position; the service's
//! values are not used.

use crate::question::{Along, Operation, Question};
use crate::service::{NearestSet, Object, Objects, SharedIndex};
use crate::walk::Walker;
use meshcloak::map::Position;
use meshcloak::units::{Length, Point};
use std::fmt;
use std::sync::Arc;

/// Answer of one user.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Objects by distance, then by id. A question about the nearest objects has exactly the
    /// requested number, or all that can be reached.
    pub found: Vec<FoundObject>,
    /// Whether the answer equals that of a question from the exact position.
    pub exact: bool,
}

/// An object with its distance from the user. `Debug` prints the id only.
#[derive(Clone, PartialEq)]
pub struct FoundObject {
    /// The object.
    pub object: Arc<Object>,
    /// Distance in metres, in the plane or along streets as the question says.
    pub metres: f64,
}

impl fmt::Debug for FoundObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FoundObject({})", self.object.id)
    }
}

/// Answers the question of a user at `position` from the objects of the region.
pub fn refine(
    walker: &Walker,
    position: Position,
    question: &Question,
    objects: &Objects,
) -> Answer {
    let found = find(walker, position, question, objects).into_iter();
    let found = found.filter_map(|(metres, object)| {
        let object = Arc::clone(objects.objects().get(object as usize)?);
        Some(FoundObject { object, metres })
    });
    Answer { found: found.collect(), exact: objects.is_complete() }
}

/// As [`refine`]: returns distances and indices into `objects`, nearest first.
pub(crate) fn find(
    walker: &Walker,
    position: Position,
    question: &Question,
    objects: &Objects,
) -> Vec<(f64, u32)> {
    let refiner = Refiner { walker, position, question, objects };
    match question.operation {
        Operation::Within { radius, along: Along::Streets } => refiner.within_streets(radius),
        Operation::Within { radius, along: Along::Plane } => refiner.within_plane(radius),
        Operation::Nearest { count, along: Along::Streets } => refiner.nearest_streets(count),
        Operation::Nearest { count, along: Along::Plane } => refiner.nearest_plane(count),
    }
}

/// A question at a position with the objects of its region.
struct Refiner<'a> {
    walker: &'a Walker,
    position: Position,
    question: &'a Question,
    objects: &'a Objects,
}

impl Refiner<'_> {
    fn is_wanted(&self, object: u32) -> bool {
        let object = self.objects.objects().get(object as usize);
        object.is_some_and(|object| self.question.category.includes(&object.category))
    }

    /// Calls `visit` with the objects that are reached without leaving the user's street.
    fn visit_own_street(&self, mut visit: impl FnMut(u32, Length)) {
        for neighbour in self.objects.by_street().on_street(self.position.street) {
            if let Some(length) = self.walker.map().along(self.position, neighbour.position)
                && self.is_wanted(neighbour.object)
            {
                visit(neighbour.object, length);
            }
        }
    }

    fn within_streets(&self, radius: Length) -> Vec<(f64, u32)> {
        let mut found: Vec<(u32, Length)> = Vec::new();
        self.visit_own_street(|object, length| found.push((object, length)));
        found.retain(|&(_, length)| length <= radius);
        let exits = self.walker.map().exits(self.position);
        self.walker.within(exits, radius, self.objects.by_street(), |object, length| {
            found.push((object, length));
        });
        found.sort_unstable();
        found.dedup_by_key(|&mut (object, _)| object);
        found.retain(|&(object, _)| self.is_wanted(object));
        found.sort_unstable_by_key(|&(object, length)| (length, object));
        found.into_iter().map(|(object, length)| (length.as_metres(), object)).collect()
    }

    fn nearest_streets(&self, count: u32) -> Vec<(f64, u32)> {
        let mut nearest = NearestSet::new(count);
        self.visit_own_street(|object, length| nearest.offer(object, length));
        let exits = self.walker.map().exits(self.position);
        let is_wanted = |object| self.is_wanted(object);
        self.walker.nearest(exits, self.objects.by_street(), is_wanted, &mut nearest);
        nearest
            .into_vec()
            .into_iter()
            .map(|(length, object)| (length.as_metres(), object))
            .collect()
    }

    /// The user's position in the plane.
    fn point(&self) -> Point {
        self.walker.map().point(self.position)
    }

    /// Returns the distances in the plane of all wanted objects.
    fn plane_distances(&self) -> impl Iterator<Item = (f64, u32)> {
        let here = self.point();
        let objects = self.objects.objects().iter().zip(0_u32..);
        let wanted =
            objects.filter(|(object, _)| self.question.category.includes(&object.category));
        wanted.map(move |(object, number)| (here.distance(object.point), number))
    }

    fn within_plane(&self, radius: Length) -> Vec<(f64, u32)> {
        let radius = radius.as_metres();
        let mut found = Vec::new();
        if let Some(SharedIndex { grid, .. }) = self.objects.shared_index() {
            grid.within(self.point(), radius, |object, metres| {
                if self.is_wanted(object) {
                    found.push((metres, object));
                }
            });
        } else {
            found.extend(self.plane_distances().filter(|&(metres, _)| metres <= radius));
        }
        found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        found
    }

    fn nearest_plane(&self, count: u32) -> Vec<(f64, u32)> {
        let mut nearest = NearestSet::new(count);
        if let Some(SharedIndex { grid, .. }) = self.objects.shared_index() {
            grid.nearest(self.point(), |object| self.is_wanted(object), &mut nearest);
        } else {
            self.plane_distances().for_each(|(metres, object)| nearest.offer(object, metres));
        }
        nearest.into_vec()
    }
}

#[cfg(test)]
mod tests;
