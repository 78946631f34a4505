//! Cloaking by location semantics (Lee, Oh, Yu, Kim 2011): a region holds places of different meaning,
//! so that it does not reveal what its users do. Places are points of interest; their meaning is the
//! category and how long people stay.
//!
//! The streets are divided once among the places nearest to them. Areas of places are merged into a
//! tree: the least diverse area joins the adjacent one that adds most of what is missing. A query
//! publishes the lowest area around it that has k users and as many places as required which differ
//! pairwise by θ.

mod area_tree;
mod place_areas;
mod stay_time;
#[cfg(test)]
mod tests;

use crate::distinct_users::DistinctUsers;
use crate::registry::{Crowd, KRule, OwnAttack, Parameter, SchemeEntry, SchemeError, ThreatModel};
use area_tree::AreaTree;
use meshcloak::distance::Atlas;
use meshcloak::map::StreetMap;
use meshcloak::query::Query;
use meshcloak::region::Region;
use meshcloak::scheme::{
    Description, DifferentPlaces, Observer, Pace, Published, RegionDependence, Requirement, Scheme,
    Stage, State, Stats,
};
use meshcloak::units::Time;
use place_areas::PlaceAreas;
use rustc_hash::FxHashMap;
use stay_time::{class, most_different};
use std::collections::BTreeSet;

/// Row in the table of schemes.
pub(crate) const ENTRY: SchemeEntry = SchemeEntry {
    name: "semantics",
    parameters: &[
        Parameter::number(
            "theta",
            "θ, smallest difference of two places; from 0.2 also of stay times",
            "0.3",
            (0.0, 1.0),
        ),
        Parameter::whole("places", "smallest number of different places", "2", (1, 100)),
    ],
    threat_model: ThreatModel {
        crowd: Crowd::Registered,
        k: KRule::Personal,
        attack: OwnAttack::Places,
        promise: "places of different meaning are inside the region",
    },
    build: |atlas, arguments| {
        let (theta, places) = (arguments.number("theta"), arguments.whole("places") as u32);
        match Semantics::new(atlas, PlaceRule { theta, places }) {
            Some(semantics) => Ok(Box::new(semantics)),
            None => Err(SchemeError::Map {
                scheme: ENTRY_NAME,
                problem: "the map has no points of interest with a category; add --pois FILE, or \
                          use an OpenStreetMap extract"
                    .to_owned(),
            }),
        }
    },
};

const ENTRY_NAME: &str = "semantics";

/// Which places a region must hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaceRule {
    /// Smallest difference of two places, 0 to 1.
    pub theta: f64,
    /// Smallest number of places that differ pairwise.
    pub places: u32,
}

/// The scheme and its buffers.
#[derive(Debug)]
pub struct Semantics {
    required: PlaceRule,
    areas: PlaceAreas,
    tree: AreaTree,
    users: DistinctUsers,
    published: Published,
}

impl Semantics {
    /// Creates the scheme for a map; `None` if the map has no point of interest with a category.
    pub fn new(atlas: &Atlas, required: PlaceRule) -> Option<Semantics> {
        let areas = PlaceAreas::new(atlas.map())?;
        Some(Semantics {
            required,
            tree: AreaTree::new(atlas.map(), &areas, required),
            areas,
            users: DistinctUsers::default(),
            published: Published::default(),
        })
    }
}

impl Scheme for Semantics {
    fn name(&self) -> &'static str {
        ENTRY_NAME
    }

    fn describe(&self) -> Description {
        Description {
            label: "Location semantics",
            summary: "Areas of places with different meaning.",
            setting: "map",
            cliques: "areas of k users and different places",
            constraint: "θ",
            pace: Pace::Batch,
            regions: RegionDependence::Fixed,
        }
    }

    fn requirement(&self, map: &StreetMap, query: &Query, region: &Region<'_>) -> Requirement {
        let inside = map.pois().filter(|&poi| region.contains(map, map.poi(poi).position));
        let categories: BTreeSet<&str> = inside.map(|poi| map.category(poi)).collect();
        let mut classes: Vec<u8> =
            categories.into_iter().filter(|name| !name.is_empty()).map(class).collect();
        classes.sort_unstable();
        let PlaceRule { theta, places: required } = self.required;
        let present = most_different(&classes, theta);
        let places = Some(DifferentPlaces { required, present });
        Requirement { users: query.k, places }
    }

    fn cloak(&mut self, state: &State, _: Time, observer: &mut dyn Observer) -> &mut Published {
        let Semantics { required, areas, tree, users, published } = self;
        let waiting = &state.waiting;
        observer.stage(Stage::Graph);
        let indices = users.select(waiting);
        let area = |index: u32| areas.of(waiting[index as usize].position.street);
        let users = tree.place_users(indices.iter().map(|&index| (area(index), index)));
        observer.stage(Stage::Cliques);
        published.clear();
        let mut sets: FxHashMap<u32, u32> = FxHashMap::default();
        for &index in indices {
            let k = waiting[index as usize].k;
            let suffices =
                |node: u32| users.count(node) >= k && tree.diversity(node) >= required.places;
            let Some(node) = tree.path(area(index)).find(|&node| suffices(node)) else { continue };
            let set = *sets.entry(node).or_insert_with(|| {
                let ids = users.inside(tree, node).map(|index| waiting[index as usize].id);
                published.add_mesh(ids, |mesh| tree.append_streets(areas, node, mesh))
            });
            published.serve(index, set);
        }
        let (nodes, cliques) = (indices.len(), published.set_count());
        published.stats = Stats { nodes, cliques, ..Stats::default() };
        published
    }
}
