//! Other cloaking schemes behind the trait of MeshCloak, for comparison. Each follows its authors'
//! description; docs/RIVALS.md names sources and deviations.
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
pub mod footprints;
pub mod hilbert_cloak;
pub mod hilbert_streets;
pub mod i_clique_cloak;
pub mod interval_cloak;
pub mod k_sharing;
pub mod l2p2;
pub mod location_update;
pub mod optimal;
pub mod planar_laplace;
pub mod plpca;
pub mod query_aware;
pub mod reciprocal_framework;
pub mod registry;
pub mod road_network_k;
pub mod semantics;
pub mod sequential;
pub mod star_cloak;
pub mod xstar;

mod buckets;
mod clique_list;
mod distinct_users;
mod hilbert;
mod quadrant_areas;
mod quadrants;
mod query_grid;
mod region_reach;
mod rounded_rectangle;
mod runs;
mod scheme_random;
mod segment_region;
mod segment_users;
mod square;
mod stars;
mod street_walk;
#[cfg(test)]
mod testing;
mod undirected_streets;
mod waiting_table;

pub use registry::{SchemeChoice, SchemeEntry, SchemeError};

use meshcloak::distance::Atlas;
use meshcloak::scheme::Scheme;
use registry::SCHEMES;
use std::sync::Arc;

/// Names of all schemes, in the order of the tables.
pub fn names() -> impl ExactSizeIterator<Item = &'static str> {
    SCHEMES.iter().map(|entry| entry.name)
}

/// Creates the scheme of that name, with default settings or with `:PARAMETER=VALUE` behind it.
///
/// # Errors
/// If the name or a parameter is invalid, or if the map lacks what the scheme needs.
pub fn by_name(atlas: &Arc<Atlas>, name: &str) -> Result<Box<dyn Scheme>, SchemeError> {
    SchemeChoice::parse(name)?.build(atlas)
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::town;
    use meshcloak::units::Length;

    #[test]
    fn by_name_finds_every_scheme() {
        let map = testing::with_pois(&town("A 0,0  B 9,0 | A-B"), 1);
        let atlas = Arc::new(Atlas::new(map, Length::metres(9.0)));
        for name in names() {
            assert_eq!(by_name(&atlas, name).expect("a name of the table").name(), name);
        }
        assert!(by_name(&atlas, "nothing").is_err());
    }
}
