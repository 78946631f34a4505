//! The rivals of MeshCloak, behind the same trait: each as its authors would want it, so that the
//! comparison is fair. PAPER.md says what was taken from where.
//!
//! ```
//! use meshcloak::{distance::Atlas, town::town, units::Length};
//! use std::sync::Arc;
//!
//! let map = town("A 0,0  B 300,0 | A-B").map;
//! let atlas = Arc::new(Atlas::new(map, Length::metres(2_000.0)));
//! let casper = baselines::by_name(&atlas, "casper").expect("it is one of the names");
//! assert_eq!(casper.describe().setting, "free space");
//! assert!(baselines::names().any(|name| name == casper.name()));
//! ```

pub mod casper;
pub mod clique_cloak;
pub mod hilbert_cloak;
pub mod hilbert_streets;
pub mod i_clique_cloak;
pub mod interval_cloak;
pub mod planar_laplace;
pub mod sequential;
pub mod xstar;

mod areas;
mod buckets;
mod chance;
mod clique_list;
mod crowd;
mod grid;
mod hilbert;
mod network;
mod quadrants;
mod roster;
mod square;
mod street_walk;
#[cfg(test)]
mod testing;

use casper::Casper;
use clique_cloak::{Ambition, CliqueCloak};
use hilbert_cloak::HilbertCloak;
use hilbert_streets::HilbertStreets;
use i_clique_cloak::ICliqueCloak;
use interval_cloak::IntervalCloak;
use meshcloak::distance::Atlas;
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::printed::Printed;
use meshcloak::scheme::Scheme;
use planar_laplace::PlanarLaplace;
use sequential::Sequential;
use std::sync::Arc;
use xstar::XStar;

type Make = fn(Arc<Atlas>) -> Box<dyn Scheme>;

/// Every scheme we compare, in the order of the tables.
const SCHEMES: &[(&str, Make)] = &[
    ("meshcloak", |atlas| Box::new(MeshCloak::new(atlas, Settings::paper()))),
    ("meshcloak-printed", |atlas| Box::new(Printed::new(atlas, Settings::paper()))),
    ("sequential", |atlas| Box::new(Sequential::new(atlas))),
    ("sequential-edges", |atlas| Box::new(Sequential::edge_by_edge(atlas))),
    ("clique-cloak", |atlas| Box::new(CliqueCloak::new(atlas, Ambition::Local))),
    ("clique-cloak-nbr", |atlas| Box::new(CliqueCloak::new(atlas, Ambition::Neighbours))),
    ("i-clique-cloak", |atlas| Box::new(ICliqueCloak::new(atlas))),
    ("hilbert-cloak", |atlas| Box::new(HilbertCloak::new(atlas))),
    ("hilbert-streets", |atlas| Box::new(HilbertStreets::new(atlas))),
    ("casper", |atlas| Box::new(Casper::new(atlas, Default::default()))),
    ("interval-cloak", |atlas| Box::new(IntervalCloak::new(atlas))),
    ("xstar", |atlas| Box::new(XStar::new(&atlas, Default::default()))),
    ("planar-laplace", |atlas| Box::new(PlanarLaplace::new(atlas, Default::default()))),
];

/// The names of all schemes, in the order of the tables.
pub fn names() -> impl ExactSizeIterator<Item = &'static str> {
    SCHEMES.iter().map(|&(name, _)| name)
}

/// All schemes with their default settings, in the order of the tables.
pub fn all(atlas: &Arc<Atlas>) -> Vec<Box<dyn Scheme>> {
    SCHEMES.iter().map(|(_, make)| make(Arc::clone(atlas))).collect()
}

/// The scheme of that name with its default settings.
pub fn by_name(atlas: &Arc<Atlas>, name: &str) -> Option<Box<dyn Scheme>> {
    let (_, make) = SCHEMES.iter().find(|(known, _)| *known == name)?;
    Some(make(Arc::clone(atlas)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::town;
    use meshcloak::units::Length;

    #[test]
    fn every_scheme_is_found_by_its_own_name() {
        let atlas = Arc::new(Atlas::new(town("A 0,0  B 9,0 | A-B").map, Length::metres(9.0)));
        assert!(all(&atlas).iter().map(|scheme| scheme.name()).eq(names()));
        for name in names() {
            assert_eq!(by_name(&atlas, name).map(|scheme| scheme.name()), Some(name));
        }
        assert!(by_name(&atlas, "nothing").is_none());
    }
}
