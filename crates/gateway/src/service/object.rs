//! Objects that a service knows, placed on our map.

use super::by_street::ByStreet;
use super::point_grid::PointGrid;
use meshcloak::map::{PoiId, Position, StreetMap};
use meshcloak::units::Point;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A thing with a place: it keeps its own point (plane questions) and its place on a street
/// (questions along streets), both computed by us (SPEC §10). Places are not printed: what is
/// near a person tells where she is.
#[derive(Clone, PartialEq)]
pub struct Object {
    /// The service's own id; unique.
    pub id: String,
    /// What people call it; may be empty.
    pub name: String,
    /// What kind of place it is.
    pub category: String,
    /// Where it is in the plane of the map; finite.
    pub point: Point,
    /// Its place on the nearest street; `None` if no street is near.
    pub position: Option<Position>,
}

/// What a service answered: a superset of everyone's answer in the region. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    objects: Arc<[Arc<Object>]>,
    by_street: Arc<ByStreet>,
    for_many: Option<Arc<ForMany>>,
    complete: bool,
}

/// What is worth having ready if many people's answers are in the same objects.
pub(crate) struct ForMany {
    /// Where they are.
    pub grid: PointGrid,
    /// The words in which each is told, once it has been.
    pub words: Vec<OnceLock<Box<[u8]>>>,
}

/// Places are not printed.
impl fmt::Debug for ForMany {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ForMany(…)")
    }
}

impl PartialEq for Objects {
    fn eq(&self, other: &Objects) -> bool {
        self.objects == other.objects && self.complete == other.complete
    }
}

impl Object {
    /// The points of interest of a map, in order of id. One without an id of its own, or with one
    /// that is taken, gets its number as well.
    pub fn all_of(map: &StreetMap) -> Vec<Arc<Object>> {
        let mut taken = BTreeSet::new();
        let mut objects: Vec<Arc<Object>> = map
            .pois()
            .map(|poi| {
                let mut id = map.poi_label(poi).unwrap_or_default().to_owned();
                while id.is_empty() || taken.contains(&id) {
                    id.push_str(&format!("#{}", poi.index() + 1));
                }
                taken.insert(id.clone());
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
    /// Objects by id, each once; `complete` says whether none is missing.
    pub fn new(mut objects: Vec<Arc<Object>>, complete: Complete) -> Objects {
        objects.sort_by(|a, b| a.id.cmp(&b.id));
        objects.dedup_by(|later, first| later.id == first.id);
        let by_street = ByStreet::new(objects.iter().map(|object| object.position));
        Objects {
            objects: objects.into(),
            by_street: Arc::new(by_street),
            for_many: None,
            complete: complete == Complete::Yes,
        }
    }

    /// The same, prepared for many people whose answers are in it.
    pub(crate) fn prepared(mut self) -> Objects {
        let points: Vec<(Point, u32)> =
            self.objects.iter().zip(0..).map(|(object, number)| (object.point, number)).collect();
        let words = points.iter().map(|_| OnceLock::new()).collect();
        self.for_many = Some(Arc::new(ForMany { grid: PointGrid::new(&points), words }));
        self.by_street = Arc::new(ByStreet::clone(&self.by_street).at_hand());
        self
    }

    /// The objects, ascending by id.
    pub fn objects(&self) -> &[Arc<Object>] {
        &self.objects
    }

    /// Whether every object that matters is there: if not, answers are not exact.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    pub(crate) fn for_many(&self) -> Option<&ForMany> {
        self.for_many.as_deref()
    }

    pub(crate) fn by_street(&self) -> &ByStreet {
        &self.by_street
    }
}

/// Whether every object that matters is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Complete {
    /// It is.
    Yes,
    /// Some may be missing.
    No,
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::map::{Extent, MapBuilder, RawPoi};
    use meshcloak::town::town;

    #[test]
    fn every_point_of_interest_gets_an_id_of_its_own() {
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
    fn an_object_that_is_told_twice_counts_once() {
        let object = |id: &str| {
            let (name, category) = (String::new(), String::new());
            let point = Point::default();
            Arc::new(Object { id: id.into(), name, category, point, position: None })
        };
        let objects = Objects::new(vec![object("b"), object("a"), object("b")], Complete::Yes);
        assert_eq!(objects.objects(), [object("a"), object("b")]);
    }
}
