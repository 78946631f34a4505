//! Other cloaking schemes behind the trait of MeshCloak, for comparison. Each follows its authors'
//! description; PAPER.md names sources and deviations.
//!
//! ```
//! use meshcloak::{distance::Atlas, town::town, units::Length};
//! use std::sync::Arc;
//!
//! let map = town("A 0,0  B 300,0 | A-B").map;
//! let atlas = Arc::new(Atlas::new(map, Length::metres(2_000.0)));
//! let casper = baselines::by_name(&atlas, "casper").expect("casper is a scheme");
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

mod buckets;
mod clique_list;
mod distinct_users;
mod hilbert;
mod quadrant_areas;
mod quadrants;
mod query_grid;
mod runs;
mod scheme_random;
mod square;
mod street_walk;
#[cfg(test)]
mod testing;
mod undirected_streets;
mod waiting_table;

use casper::Casper;
use clique_cloak::{CliqueCloak, KSearch};
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

type Constructor = fn(Arc<Atlas>) -> Box<dyn Scheme>;

/// All schemes, in the order of the tables.
const SCHEMES: &[(&str, Constructor)] = &[
    ("meshcloak", |atlas| Box::new(MeshCloak::new(atlas, Settings::default()))),
    ("meshcloak-printed", |atlas| Box::new(Printed::new(atlas, Settings::paper()))),
    ("sequential", |atlas| Box::new(Sequential::new(atlas))),
    ("sequential-edges", |atlas| Box::new(Sequential::edge_by_edge(atlas))),
    ("clique-cloak", |atlas| Box::new(CliqueCloak::new(atlas, KSearch::Local))),
    ("clique-cloak-nbr", |atlas| Box::new(CliqueCloak::new(atlas, KSearch::Neighbours))),
    ("i-clique-cloak", |atlas| Box::new(ICliqueCloak::new(atlas))),
    ("hilbert-cloak", |atlas| Box::new(HilbertCloak::new(atlas))),
    ("hilbert-streets", |atlas| Box::new(HilbertStreets::new(atlas))),
    ("casper", |atlas| Box::new(Casper::new(atlas, Default::default()))),
    ("interval-cloak", |atlas| Box::new(IntervalCloak::new(atlas))),
    ("xstar", |atlas| Box::new(XStar::new(&atlas, Default::default()))),
    ("planar-laplace", |atlas| Box::new(PlanarLaplace::new(atlas, Default::default()))),
];

/// Names of all schemes, in the order of the tables.
pub fn names() -> impl ExactSizeIterator<Item = &'static str> {
    SCHEMES.iter().map(|&(name, _)| name)
}

/// Creates all schemes with their default settings, in the order of the tables.
pub fn all(atlas: &Arc<Atlas>) -> Vec<Box<dyn Scheme>> {
    SCHEMES.iter().map(|(_, constructor)| constructor(Arc::clone(atlas))).collect()
}

/// Creates the scheme of that name with its default settings.
pub fn by_name(atlas: &Arc<Atlas>, name: &str) -> Option<Box<dyn Scheme>> {
    let (_, constructor) = SCHEMES.iter().find(|(known, _)| *known == name)?;
    Some(constructor(Arc::clone(atlas)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::town;
    use meshcloak::units::Length;

    #[test]
    fn by_name_finds_every_scheme() {
        let atlas = Arc::new(Atlas::new(town("A 0,0  B 9,0 | A-B").map, Length::metres(9.0)));
        assert!(all(&atlas).iter().map(Scheme::name).eq(names()));
        for name in names() {
            assert_eq!(by_name(&atlas, name).map(|scheme| scheme.name()), Some(name));
        }
        assert!(by_name(&atlas, "nothing").is_none());
    }
}
