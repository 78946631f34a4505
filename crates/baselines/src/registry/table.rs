//! All schemes, in the order of the tables.

use super::{Constructor, SchemeEntry, ThreatModel};
use crate::clique_cloak::{CliqueCloak, KSearch};
use crate::hilbert_cloak::HilbertCloak;
use crate::hilbert_streets::HilbertStreets;
use crate::interval_cloak::IntervalCloak;
use crate::location_update::{delaying, patching};
use crate::sequential::Sequential;
use crate::{
    casper, footprints, i_clique_cloak, k_sharing, l2p2, optimal, planar_laplace, plpca,
    query_aware, reciprocal_framework, road_network_k, semantics, star_cloak, xstar,
};
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::printed::Printed;
use std::sync::Arc;

/// All schemes, in the order of the tables.
pub static SCHEMES: &[&SchemeEntry] = &[
    &plain("meshcloak", ThreatModel::ASKING, |atlas, _| {
        Ok(Box::new(MeshCloak::new(Arc::clone(atlas), Settings::default())))
    }),
    &plain("meshcloak-printed", ThreatModel::ASKING, |atlas, _| {
        Ok(Box::new(Printed::new(Arc::clone(atlas), Settings::paper())))
    }),
    &plain("sequential", ThreatModel::ASKING, |atlas, _| {
        Ok(Box::new(Sequential::new(Arc::clone(atlas))))
    }),
    &plain("sequential-edges", ThreatModel::ASKING, |atlas, _| {
        Ok(Box::new(Sequential::edge_by_edge(Arc::clone(atlas))))
    }),
    &plain("clique-cloak", ThreatModel::ASKING, |atlas, _| {
        Ok(Box::new(CliqueCloak::new(Arc::clone(atlas), KSearch::Local)))
    }),
    &plain("clique-cloak-nbr", ThreatModel::ASKING, |atlas, _| {
        Ok(Box::new(CliqueCloak::new(Arc::clone(atlas), KSearch::Neighbours)))
    }),
    &i_clique_cloak::ENTRY,
    &plain("hilbert-cloak", ThreatModel::RECIPROCAL, |atlas, _| {
        Ok(Box::new(HilbertCloak::new(Arc::clone(atlas))))
    }),
    &plain("hilbert-streets", ThreatModel::RECIPROCAL, |atlas, _| {
        Ok(Box::new(HilbertStreets::new(Arc::clone(atlas))))
    }),
    &reciprocal_framework::ENTRY,
    &casper::ENTRY,
    &plain("interval-cloak", ThreatModel::IN_REGION, |atlas, _| {
        Ok(Box::new(IntervalCloak::new(Arc::clone(atlas))))
    }),
    &xstar::ENTRY,
    &planar_laplace::ENTRY,
    &patching::ENTRY,
    &delaying::ENTRY,
    &k_sharing::ENTRY,
    &plpca::ENTRY,
    &l2p2::ENTRY,
    &semantics::ENTRY,
    &footprints::ENTRY,
    &query_aware::ENTRY,
    &star_cloak::ENTRY,
    &road_network_k::ENTRY,
    &optimal::ENTRY,
];

/// The row of a scheme without parameters.
const fn plain(name: &'static str, threat_model: ThreatModel, build: Constructor) -> SchemeEntry {
    SchemeEntry { name, parameters: &[], threat_model, build }
}
