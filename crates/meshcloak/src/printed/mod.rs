//! MeshCloak as the paper describes it, written with ordinary care: the readable reference, and
//! the yardstick against which [`crate::mesh_cloak`] is measured in the same run.
//!
//! M in hash maps, a quadtree of the waiting queries, the constraint graph built anew for each
//! batch, all maximal cliques by Tomita, a mesh for every query that is served.

mod graph;
mod matrix;
mod mesh;
mod quadtree;
mod tomita;

use crate::distance::Atlas;
use crate::mesh::MeshRule;
use crate::mesh_cloak::{RegionRule, Settings};
use crate::query::Query;
use crate::region_builder::RegionBuilder;
use crate::scheme::{Description, Observer, Pace, Published, Scheme, Stage, State, Stats};
use crate::units::{Length, Time};
use graph::{Lists, PrintedGraph};
use matrix::HashMatrix;
use mesh::PrintedMesh;
use std::sync::Arc;
use tomita::Tomita;

/// The scheme as printed.
#[derive(Debug)]
pub struct Printed {
    atlas: Arc<Atlas>,
    settings: Settings,
    matrix: HashMatrix,
    graph: PrintedGraph,
    cliques: Tomita,
    largest: Vec<u32>,
    mesh: PrintedMesh,
    /// Unless the region is to be complete.
    other_regions: RegionBuilder,
    published: Published,
}

impl Printed {
    /// The scheme on a prepared map: it prepares its own M, the way Algorithm 1 does.
    pub fn new(atlas: Arc<Atlas>, settings: Settings) -> Printed {
        Printed {
            matrix: HashMatrix::new(atlas.map(), atlas.dc_max()),
            graph: PrintedGraph::default(),
            cliques: Tomita::default(),
            largest: Vec::new(),
            mesh: PrintedMesh::new(atlas.map()),
            other_regions: RegionBuilder::new(&atlas, settings.region, None),
            published: Published::default(),
            settings,
            atlas,
        }
    }
}

impl Scheme for Printed {
    fn name(&self) -> &'static str {
        "meshcloak-printed"
    }

    fn describe(&self) -> Description {
        Description {
            setting: "map",
            cliques: "batch, all maximal by Tomita",
            constraint: "v × Δt along streets",
            pace: Pace::Batch,
            regions: self.settings.region.dependence(),
        }
    }

    fn cloak(&mut self, state: &State, _: Time, watch: &mut dyn Observer) -> &mut Published {
        let Printed { atlas, settings, matrix, graph, cliques, largest, .. } = self;
        let Printed { mesh, other_regions, published, .. } = self;
        let waiting = &state.waiting;
        watch.stage(Stage::Graph);
        graph.build(atlas.map(), matrix, settings.coverage, waiting); // Algorithm 4, line 10
        let edges = graph.edges();
        watch.stage(Stage::Cliques);
        let (found, spent) = cliques.find(edges, settings.budget); // line 11
        largest_cliques(found, edges.len(), largest);
        watch.stage(Stage::Mesh);
        published.clear();
        published.stats = Stats {
            nodes: waiting.len(),
            edges: edges.items.len() / 2,
            cliques: found.len(),
            steps: spent.steps,
            truncated: spent.truncated,
            rejected: Default::default(),
        };
        for (place, query) in waiting.iter().enumerate() {
            let clique = found.of(largest[place]);
            if clique.len() < query.k as usize {
                continue; // line 14
            }
            let members = clique.iter().map(|&member| &waiting[member as usize]);
            let ids = members.clone().map(|member| member.id);
            let mesh_keys = members.map(Query::mesh_key);
            let set = published.add_mesh(ids, |streets| match settings.region {
                RegionRule::Mesh(MeshRule::Reach) => {
                    mesh.cloaking_mesh(atlas.map(), mesh_keys, streets);
                }
                _ => other_regions.region(mesh_keys, streets),
            }); // line 15
            published.serve(place as u32, set);
        }
        published
    }
}

/// For every node the first of the largest cliques that hold it (line 13).
fn largest_cliques(cliques: &Lists, nodes: usize, largest: &mut Vec<u32>) {
    largest.clear();
    largest.resize(nodes, u32::MAX);
    for number in 0..cliques.len() as u32 {
        let clique = cliques.of(number);
        for &member in clique {
            let best = &mut largest[member as usize];
            if *best == u32::MAX || cliques.of(*best).len() < clique.len() {
                *best = number;
            }
        }
    }
}

/// Half the side of the square to search for what is within `reach` along streets. One unit more,
/// for points are rounded: the square must lose nobody, and M decides.
fn half_side(reach: Length) -> f64 {
    (reach + Length::UNIT).as_metres()
}
