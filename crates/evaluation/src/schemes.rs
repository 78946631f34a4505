//! The schemes that are compared, by name. MeshCloak's settings are spelt out as in the paper
//! (guarantee `paper`, coverage `own`, region `reach`), whatever the defaults become.

use meshcloak::constraint_graph::Coverage;
use meshcloak::distance::Atlas;
use meshcloak::guarantee::{Guarantee, HORIZON};
use meshcloak::mesh::MeshRule;
use meshcloak::mesh_cloak::{MeshCloak, RegionRule, Settings};
use meshcloak::printed::Printed;
use meshcloak::scheme::Scheme;
use std::sync::Arc;

/// Everything that is compared, in the order of tables.
pub fn names() -> Vec<&'static str> {
    baselines::names().collect()
}

/// The settings of the paper.
pub const PAPER: Settings = Settings {
    guarantee: Guarantee::Paper,
    coverage: Coverage::Own,
    region: RegionRule::Mesh(MeshRule::Reach),
    budget: 20_000,
    horizon: HORIZON,
    hold: None,
};

/// The scheme of that name on a prepared map.
pub fn by_name(atlas: &Arc<Atlas>, name: &str) -> Option<Box<dyn Scheme>> {
    match name {
        "meshcloak" => Some(Box::new(MeshCloak::new(Arc::clone(atlas), PAPER))),
        "meshcloak-printed" => Some(Box::new(Printed::new(Arc::clone(atlas), PAPER))),
        _ => baselines::by_name(atlas, name),
    }
}
