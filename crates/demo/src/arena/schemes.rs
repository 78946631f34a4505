//! The schemes of the demo: ids, labels, construction.

use meshcloak::cells::{CellRule, Cells};
use meshcloak::distance::Atlas;
use meshcloak::guarantee::Guarantee;
use meshcloak::mesh_cloak::{MeshCloak, RegionRule, Settings};
use meshcloak::scheme::Scheme;
use serde::Serialize;
use std::sync::{Arc, OnceLock};

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

const fn choice(id: &'static str, label: &'static str, about: &'static str) -> Choice {
    Choice { id, label, about }
}

/// All schemes, in the order of the list.
pub const SCHEMES: &[Choice] = &[
    choice(
        "reciprocal",
        "MeshCloak, reciprocal",
        "Disjoint sets; all members publish the same mesh.",
    ),
    choice(
        "history",
        "MeshCloak, history",
        "Reciprocal; also safe against a known previous position.",
    ),
    choice("cells", "MeshCloak, cells", "Reciprocal; the region is a union of fixed cells."),
    choice(
        "history-cells",
        "MeshCloak, history, cells",
        "History; the region is a union of fixed cells.",
    ),
    choice("paper", "MeshCloak, as printed", "Each query takes a largest clique; sets overlap."),
    choice(
        "sequential",
        "MeshCloak, sequential",
        "As printed, processed query by query without batches.",
    ),
    choice("clique-cloak", "CliqueCloak", "A rectangle around a clique in the plane."),
    choice("clique-cloak-nbr", "CliqueCloak, neighbours", "CliqueCloak that tries larger cliques."),
    choice("i-clique-cloak", "ICliqueCloak", "CliqueCloak with movement boundaries."),
    choice("hilbert-cloak", "Hilbert Cloak", "Neighbours along a space-filling curve."),
    choice("hilbert-streets", "Hilbert on streets", "Neighbours along a tour of the streets."),
    choice("casper", "Casper", "A cell of a grid pyramid."),
    choice("interval-cloak", "Interval Cloak", "A quadrant with at least k users."),
    choice("xstar", "XSTAR", "Stars of street segments, merged."),
    choice("planar-laplace", "Planar Laplace", "Noise added to the position; no anonymity set."),
];

/// Builds schemes on one map; cells are computed once.
pub struct SchemeFactory {
    /// Map and distances.
    pub atlas: Arc<Atlas>,
    cells: OnceLock<Arc<Cells>>,
}

impl SchemeFactory {
    /// A factory for schemes on this map.
    pub fn new(atlas: Arc<Atlas>) -> SchemeFactory {
        SchemeFactory { atlas, cells: OnceLock::new() }
    }

    /// Builds the scheme with this id; `None` if unknown.
    pub fn make(&self, id: &str) -> Option<Box<dyn Scheme>> {
        let guarantee = match id {
            "reciprocal" | "cells" => Guarantee::Reciprocal,
            "history" | "history-cells" => Guarantee::History,
            "paper" => Guarantee::Paper,
            _ => {
                SCHEMES.iter().find(|scheme| scheme.id == id)?;
                return baselines::by_name(&self.atlas, id);
            }
        };
        let (atlas, settings) =
            (Arc::clone(&self.atlas), Settings { guarantee, ..Settings::default() });
        if !matches!(id, "cells" | "history-cells") {
            return Some(Box::new(MeshCloak::new(atlas, settings)));
        }
        let rule = CellRule::default();
        let cells = self.cells.get_or_init(|| Arc::new(Cells::new(atlas.map(), rule.length)));
        let settings = Settings { region: RegionRule::Cells(rule), ..settings };
        Some(Box::new(MeshCloak::with_cells(Arc::clone(&atlas), settings, Arc::clone(cells))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::town;
    use meshcloak::units::Length;

    #[test]
    fn every_listed_scheme_can_be_built() {
        let map = town("A 0,0  B 300,0 | A-B").map;
        let factory = SchemeFactory::new(Arc::new(Atlas::new(map, Length::metres(2_000.0))));
        for choice in SCHEMES {
            assert!(factory.make(choice.id).is_some(), "{}", choice.id);
        }
        assert!(factory.make("nonsense").is_none());
    }

    #[test]
    fn every_baseline_is_listed() {
        // MeshCloak is listed by guarantee; the others publish the same sets at a different cost.
        let known = ["meshcloak", "meshcloak-printed", "sequential-edges"];
        let baselines = baselines::names().filter(|name| !known.contains(name));
        let missing = baselines.filter(|name| SCHEMES.iter().all(|choice| choice.id != *name));
        assert_eq!(missing.collect::<Vec<_>>(), Vec::<&str>::new());
    }
}
