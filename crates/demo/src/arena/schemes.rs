//! The schemes one can choose from, in words.

use meshcloak::cells::{CellRule, Cells};
use meshcloak::distance::Atlas;
use meshcloak::guarantee::Guarantee;
use meshcloak::mesh_cloak::{MeshCloak, RegionRule, Settings};
use meshcloak::scheme::Scheme;
use serde::Serialize;
use std::sync::{Arc, OnceLock};

/// Something that can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// As in addresses.
    pub id: &'static str,
    /// As in lists.
    pub label: &'static str,
    /// What it is, in a sentence.
    pub about: &'static str,
}

const fn choice(id: &'static str, label: &'static str, about: &'static str) -> Choice {
    Choice { id, label, about }
}

/// Every scheme that can be chosen.
pub const SCHEMES: &[Choice] = &[
    choice("reciprocal", "MeshCloak, reciprocal", "Disjoint sets; all members publish one mesh."),
    choice("history", "MeshCloak, history", "Reciprocal, and safe against a known last position."),
    choice(
        "cells",
        "MeshCloak, cells",
        "Reciprocal; the region is made of fixed cells of the city.",
    ),
    choice(
        "history-cells",
        "MeshCloak, history, cells",
        "History; the region is made of fixed cells.",
    ),
    choice("paper", "MeshCloak, as printed", "Each takes a largest clique; sets overlap."),
    choice("sequential", "MeshCloak, one by one", "As printed, but nobody waits for a batch."),
    choice("clique-cloak", "CliqueCloak", "A rectangle around a clique in the plane."),
    choice("clique-cloak-nbr", "CliqueCloak, neighbours", "CliqueCloak that tries larger cliques."),
    choice("i-clique-cloak", "ICliqueCloak", "CliqueCloak that minds movement boundaries."),
    choice("hilbert-cloak", "Hilbert Cloak", "Neighbours along a space-filling curve."),
    choice("hilbert-streets", "Hilbert on streets", "Neighbours along a walk of the streets."),
    choice("casper", "Casper", "A cell of a pyramid of grids."),
    choice("interval-cloak", "Interval Cloak", "A quadrant with enough people in it."),
    choice("xstar", "XSTAR", "Stars of street segments, merged."),
    choice("planar-laplace", "Planar Laplace", "Noise around the point; no crowd at all."),
];

/// Makes schemes on one map; cells are made once.
pub struct Workshop {
    /// The map.
    pub atlas: Arc<Atlas>,
    cells: OnceLock<Arc<Cells>>,
}

impl Workshop {
    /// A workshop on a map.
    pub fn new(atlas: Arc<Atlas>) -> Workshop {
        Workshop { atlas, cells: OnceLock::new() }
    }

    /// The scheme of that name.
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
    fn every_choice_is_a_scheme() {
        let map = town("A 0,0  B 300,0 | A-B").map;
        let workshop = Workshop::new(Arc::new(Atlas::new(map, Length::metres(2_000.0))));
        for choice in SCHEMES {
            assert!(workshop.make(choice.id).is_some(), "{}", choice.id);
        }
        assert!(workshop.make("nonsense").is_none());
    }

    #[test]
    fn every_rival_can_be_chosen() {
        // MeshCloak itself is there by its guarantees; these publish what others do, at other cost.
        let known = ["meshcloak", "meshcloak-printed", "sequential-edges"];
        let rivals = baselines::names().filter(|name| !known.contains(name));
        let missing = rivals.filter(|name| SCHEMES.iter().all(|choice| choice.id != *name));
        assert_eq!(missing.collect::<Vec<_>>(), Vec::<&str>::new());
    }
}
