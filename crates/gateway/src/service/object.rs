//! Objects of a service, snapped to the street map.

use super::objects_by_street::{ObjectsByStreet, StreetObject};
use super::point_grid::PointGrid;
use meshcloak::map::{PoiId, Position, StreetMap};
use meshcloak::units::Point;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// An object with its point (questions in the plane) and its position on a street (questions along
/// streets), both computed by the gateway (docs/SPEC.md §10). `Debug` prints the id only, because
/// objects near a user reveal the user's position.
#[derive(Clone, PartialEq)]
pub struct Object {
    /// Unique id assigned by the service.
    pub id: String,
    /// Display name; may be empty.
    pub name: String,
    /// Category, as in questions.
    pub category: String,
    /// Point in the plane of the map; finite.
    pub point: Point,
    /// Position on the nearest street; `None` beyond the largest snapping distance.
    pub position: Option<Position>,
}

impl Object {
    /// Memory in bytes in an answer that is being received: with the key and the entry of a map, and
    /// the entries of the final lists.
    pub(crate) fn memory(&self) -> usize {
        let texts = [&self.id, &self.id, &self.name, &self.category].map(String::len);
        texts.into_iter().fold(OBJECT_SIZE + ENTRIES_SIZE + 64, usize::saturating_add)
    }
}

/// Answer of a service: a superset of the answers of all users in the region. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    objects: Arc<[Arc<Object>]>,
    by_street: Arc<ObjectsByStreet>,
    shared_index: Option<Arc<SharedIndex>>,
    completeness: Completeness,
}

/// Memory of an object and its counters without its texts, in bytes.
const OBJECT_SIZE: usize = size_of::<Object>() + 16;

/// Memory of an object's entries in both lists, in bytes.
const ENTRIES_SIZE: usize = size_of::<Arc<Object>>() + size_of::<StreetObject>();

/// Index and cache for objects that answer many questions.
pub(crate) struct SharedIndex {
    /// Points of the objects.
    pub grid: PointGrid,
    /// JSON text of each object, written on first use.
    pub json: Vec<OnceLock<Box<[u8]>>>,
}

impl fmt::Debug for SharedIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedIndex(…)")
    }
}

impl PartialEq for Objects {
    fn eq(&self, other: &Objects) -> bool {
        self.objects == other.objects && self.completeness == other.completeness
    }
}

impl Object {
    /// Returns the points of interest of a map, ascending by id. A missing or duplicate id is made
    /// unique with the number of the point.
    pub fn all_of(map: &StreetMap) -> Vec<Arc<Object>> {
        let mut ids = BTreeSet::new();
        let mut objects: Vec<Arc<Object>> = map
            .pois()
            .map(|poi| {
                let mut id = map.poi_label(poi).unwrap_or_default().to_owned();
                while id.is_empty() || ids.contains(&id) {
                    id.push_str(&format!("#{}", poi.index().saturating_add(1)));
                }
                ids.insert(id.clone());
                Arc::new(Object::of(map, poi, id))
            })
            .collect();
        objects.sort_by(|a, b| a.id.cmp(&b.id));
        objects
    }

    fn of(map: &StreetMap, poi: PoiId, id: String) -> Object {
        let name = map.poi_name(poi).unwrap_or_default().to_owned();
        let category = map.category(poi).to_owned();
        let &meshcloak::map::Poi { point, position, .. } = map.poi(poi);
        Object { id, name, category, point, position: Some(position) }
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Object({})", self.id)
    }
}

impl Objects {
    /// Sorts objects by id and removes duplicate ids.
    pub fn new(mut objects: Vec<Arc<Object>>, completeness: Completeness) -> Objects {
        objects.sort_by(|a, b| a.id.cmp(&b.id));
        objects.dedup_by(|later, first| later.id == first.id);
        let by_street = ObjectsByStreet::new(objects.iter().map(|object| object.position));
        Objects {
            objects: objects.into(),
            by_street: Arc::new(by_street),
            shared_index: None,
            completeness,
        }
    }

    /// Adds the indexes that pay off when many answers are extracted from the same objects.
    pub(crate) fn with_shared_index(mut self) -> Objects {
        let points: Vec<(Point, u32)> =
            self.objects.iter().zip(0..).map(|(object, number)| (object.point, number)).collect();
        let json = points.iter().map(|_| OnceLock::new()).collect();
        self.shared_index = Some(Arc::new(SharedIndex { grid: PointGrid::new(&points), json }));
        self.by_street = Arc::new(ObjectsByStreet::clone(&self.by_street).with_street_index());
        self
    }

    /// The objects, ascending by id.
    pub fn objects(&self) -> &[Arc<Object>] {
        &self.objects
    }

    /// Returns whether no object is missing. Answers from incomplete objects are not exact.
    pub fn is_complete(&self) -> bool {
        self.completeness == Completeness::Complete
    }

    /// Memory of the objects and their lists in bytes, without what has other owners too.
    #[expect(clippy::arithmetic_side_effects, reason = "sizes of what is in memory")]
    pub(crate) fn size(&self) -> usize {
        if Arc::strong_count(&self.objects) > 1 {
            return 0;
        }
        let is_own = |object: &&Arc<Object>| Arc::strong_count(object) == 1;
        let text = |object: &Object| object.id.len() + object.name.len() + object.category.len();
        let memory = |object: &Arc<Object>| text(object) + OBJECT_SIZE;
        let objects: usize = self.objects.iter().filter(is_own).map(memory).sum();
        objects + self.objects.len() * ENTRIES_SIZE
    }

    pub(crate) fn shared_index(&self) -> Option<&SharedIndex> {
        self.shared_index.as_deref()
    }

    pub(crate) fn by_street(&self) -> &ObjectsByStreet {
        &self.by_street
    }
}

/// Whether an answer holds every object in its range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Completeness {
    /// No object is missing.
    Complete,
    /// Objects may be missing.
    #[default]
    Partial,
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::map::{Extent, MapBuilder, RawPoi};
    use meshcloak::town::town;

    #[test]
    fn every_point_of_interest_gets_a_unique_id() {
        let mut builder = MapBuilder::from_map(&town("A 0,0  B 100,0 | A-B").map);
        for label in ["b", "", "b", "a", "", "b#3"] {
            let point = Point::new(5.0, 5.0);
            builder.poi(RawPoi { label, point, category: "cafe", name: "" }).unwrap();
        }
        let map = builder.build(Extent::Whole).unwrap().map;
        let objects = Object::all_of(&map);
        let ids: Vec<&str> = objects.iter().map(|object| object.id.as_str()).collect();
        assert_eq!(ids, ["#2", "#5", "a", "b", "b#3", "b#3#6"]);
        assert_eq!(format!("{:?}", objects[2]), "Object(a)");
    }

    #[test]
    fn duplicate_ids_are_removed() {
        let object = |id: &str| {
            let (name, category) = (String::new(), String::new());
            let point = Point::default();
            Arc::new(Object { id: id.into(), name, category, point, position: None })
        };
        let duplicated = vec![object("b"), object("a"), object("b")];
        let objects = Objects::new(duplicated, Completeness::Complete);
        assert_eq!(objects.objects(), [object("a"), object("b")]);
    }
}
