//! The schemes of the demo: ids, labels, construction.

use meshcloak::cells::{Cells, DEFAULT_CELL_LENGTH, DEFAULT_CELLS_LENGTH};
use meshcloak::distance::Atlas;
use meshcloak::guarantee::{Guarantee, HistoryClock};
use meshcloak::mesh_cloak::{MeshCloak, RegionRule, Settings};
use meshcloak::scheme::{Description, Scheme};
use meshcloak::{Extent, Length, MapBuilder, Point, RawStreet, StreetMap};
use serde::Serialize;
use std::sync::{Arc, LazyLock, OnceLock};

/// A scheme that can be selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// Id in URLs and requests.
    pub id: &'static str,
    /// Label in lists.
    pub label: &'static str,
    /// Description in one sentence.
    pub about: &'static str,
}

/// Ids of MeshCloak by guarantee and region rule.
const MESHCLOAK_IDS: [&str; 9] = [
    "reciprocal",
    "history",
    "history-published",
    "cells",
    "history-cells",
    "cell",
    "history-cell",
    "history-published-cell",
    "paper",
];

/// Baselines that are not listed: MeshCloak is listed by guarantee, two publish the same sets at a
/// different cost, and two need a map with categories or seconds to be built.
const UNLISTED: [&str; 5] =
    ["meshcloak", "meshcloak-printed", "sequential-edges", "semantics", "optimal"];

/// All schemes, in the order of the list. A scheme declares its own label, which does not depend on
/// the map: a map of one street is enough to ask for it.
pub static SCHEMES: LazyLock<Vec<Choice>> = LazyLock::new(|| {
    let factory = SchemeFactory::new(Arc::new(Atlas::new(one_street(), Length::metres(1.0))));
    let choice = |id| {
        let Description { label, summary, .. } = factory.make(id)?.describe();
        let (label, about) = match id {
            "history-published" => (
                "MeshCloak, history, clock published",
                "History, against an adversary who knows publication times only.",
            ),
            "history-published-cell" => (
                "MeshCloak, history, clock published, cell",
                "The same; a set lies in one fixed cell, its region.",
            ),
            _ => (label, summary),
        };
        Some(Choice { id, label, about })
    };
    let baselines = baselines::names().filter(|name| !UNLISTED.contains(name));
    MESHCLOAK_IDS.into_iter().chain(baselines).filter_map(choice).collect()
});

fn one_street() -> StreetMap {
    let mut builder = MapBuilder::new();
    let ends = [("A", 0.0), ("B", 1.0)].map(|(id, x)| builder.terminal(id, Point::new(x, 0.0)));
    let [Ok(a), Ok(b)] = ends else { unreachable!("the ids differ") };
    builder.street(RawStreet::new("A-B", a, b)).expect("both ends exist");
    builder.build(Extent::Whole).expect("the map has a street").map
}

/// Builds schemes on one map; cells are computed once.
pub struct SchemeFactory {
    /// Map and distances.
    pub atlas: Arc<Atlas>,
    /// Cells of the regions `cells` and `cell`.
    cells: [OnceLock<Arc<Cells>>; 2],
}

impl SchemeFactory {
    /// Creates a factory for schemes on this map.
    pub fn new(atlas: Arc<Atlas>) -> SchemeFactory {
        SchemeFactory { atlas, cells: Default::default() }
    }

    /// Builds the scheme with this id; `None` if unknown.
    pub fn make(&self, id: &str) -> Option<Box<dyn Scheme>> {
        let guarantee = match id {
            "reciprocal" | "cells" | "cell" => Guarantee::Reciprocal,
            "history" | "history-cells" | "history-cell" => Guarantee::History,
            "history-published" | "history-published-cell" => Guarantee::History,
            "paper" => Guarantee::Paper,
            _ => {
                let is_listed = !UNLISTED.contains(&id);
                return is_listed.then(|| baselines::by_name(&self.atlas, id).ok()).flatten();
            }
        };
        let history_clock = match id.starts_with("history-published") {
            true => HistoryClock::Published,
            false => HistoryClock::Asked,
        };
        let region = match id.rsplit('-').next().unwrap_or(id) {
            "cells" => RegionRule::Cells(DEFAULT_CELLS_LENGTH),
            "cell" => RegionRule::Cell(DEFAULT_CELL_LENGTH),
            _ => RegionRule::default(),
        };
        let (atlas, settings) = (
            Arc::clone(&self.atlas),
            Settings { guarantee, region, history_clock, ..Settings::default() },
        );
        let Some(length) = region.cell_length() else {
            return Some(Box::new(MeshCloak::new(atlas, settings)));
        };
        let cells = &self.cells[usize::from(matches!(region, RegionRule::Cell(_)))];
        let cells = cells.get_or_init(|| Arc::new(Cells::new(atlas.map(), length)));
        Some(Box::new(MeshCloak::with_cells(Arc::clone(&atlas), settings, Arc::clone(cells))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::town;
    use std::collections::BTreeSet;

    #[test]
    fn every_listed_scheme_can_be_built() {
        let map = town("A 0,0  B 300,0 | A-B").map;
        let factory = SchemeFactory::new(Arc::new(Atlas::new(map, Length::metres(2_000.0))));
        for choice in SCHEMES.iter() {
            assert!(factory.make(choice.id).is_some(), "{}", choice.id);
        }
        assert!(factory.make("nonsense").is_none());
    }

    #[test]
    fn every_scheme_is_listed_once_with_a_label_of_its_own() {
        assert!(UNLISTED.iter().all(|id| baselines::names().any(|name| name == *id)));
        let count = MESHCLOAK_IDS.len() + baselines::names().len() - UNLISTED.len();
        let labels: BTreeSet<&str> = SCHEMES.iter().map(|choice| choice.label).collect();
        assert_eq!((SCHEMES.len(), labels.len()), (count, count));
    }
}
