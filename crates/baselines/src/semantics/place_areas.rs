//! Division of the streets among the places nearest to them.

use super::stay_time::class;
use crate::runs::Runs;
use crate::undirected_streets::UndirectedStreets;
use meshcloak::map::{Poi, StreetId, StreetMap, TerminalId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// Areas of streets around the streets with points of interest.
#[derive(Clone, Debug)]
pub(super) struct PlaceAreas {
    /// By street; [`NONE`] for a component without places.
    area_of: Vec<u32>,
    /// By area: its streets.
    pub(super) streets: Runs<StreetId>,
    /// By area: distinct categories, by their number in the map.
    pub(super) categories: Vec<BTreeSet<u16>>,
    /// By number of a category: class of its stay time.
    pub(super) classes: Vec<u8>,
}

/// Area of streets from which no place can be reached.
pub(super) const NONE: u32 = u32::MAX;

impl PlaceAreas {
    /// Divides the streets of a map; `None` if it has no point of interest with a category.
    pub(super) fn new(map: &StreetMap) -> Option<PlaceAreas> {
        let mut places: BTreeMap<StreetId, BTreeSet<u16>> = BTreeMap::new();
        let mut classes = Vec::new();
        for poi in map.pois().filter(|&poi| !map.category(poi).is_empty()) {
            let &Poi { position, category, .. } = map.poi(poi);
            places.entry(position.street).or_default().insert(category);
            if classes.len() <= usize::from(category) {
                classes.resize(usize::from(category) + 1, 0);
            }
            classes[usize::from(category)] = class(map.category(poi));
        }
        if places.is_empty() {
            return None;
        }
        let area_of = nearest(map, &places.keys().copied().collect::<Vec<_>>());
        let all = (0..map.street_count() as u32).map(StreetId);
        let known = all.filter(|street| area_of[street.index()] != NONE);
        let mut streets = Runs::default();
        streets.fill(places.len(), known.map(|street| (area_of[street.index()] as usize, street)));
        let categories = places.into_values().collect();
        Some(PlaceAreas { area_of, streets, categories, classes })
    }

    /// Area of a street, or [`NONE`].
    pub(super) fn of(&self, street: StreetId) -> u32 {
        self.area_of[street.index()]
    }

    /// Pairs of areas that share a terminal, each once.
    pub(super) fn adjacent(&self, map: &StreetMap) -> BTreeSet<(u32, u32)> {
        let network = UndirectedStreets::new(map);
        let mut pairs = BTreeSet::new();
        for terminal in map.terminals() {
            let mut here: Vec<u32> =
                network.at(terminal).iter().map(|arm| self.of(arm.street)).collect();
            here.sort_unstable();
            here.dedup();
            here.retain(|&area| area != NONE);
            for (index, &a) in here.iter().enumerate() {
                pairs.extend(here[index + 1..].iter().map(|&b| (a, b)));
            }
        }
        pairs
    }
}

/// By street: number of the nearest of `places`, along streets in any direction, measured from the
/// ends of the place's street. Ties by the lower number.
fn nearest(map: &StreetMap, places: &[StreetId]) -> Vec<u32> {
    let network = UndirectedStreets::new(map);
    let mut area_of = vec![NONE; map.street_count()];
    let mut reached: Vec<Option<(u64, u32)>> = vec![None; map.terminal_count()];
    let mut open: BinaryHeap<Reverse<(u64, u32, TerminalId)>> = BinaryHeap::new();
    for (place, &street) in places.iter().enumerate() {
        area_of[street.index()] = place as u32;
        let ends = map.street(street);
        open.extend([ends.from, ends.to].map(|end| Reverse((0, place as u32, end))));
    }
    while let Some(Reverse((distance, place, terminal))) = open.pop() {
        if reached[terminal.index()].is_some() {
            continue;
        }
        reached[terminal.index()] = Some((distance, place));
        for arm in network.at(terminal) {
            if area_of[arm.street.index()] == NONE {
                area_of[arm.street.index()] = place;
            }
            let length = u64::from(map.street(arm.street).length.units());
            open.push(Reverse((distance + length, place, arm.terminal)));
        }
    }
    area_of
}
