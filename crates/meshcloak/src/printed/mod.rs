//! MeshCloak as printed in the paper: the readable reference for [`crate::mesh_cloak`], and the
//! baseline of its benchmarks.
//!
//! The distance matrix is kept in hash maps. Each batch builds a quadtree of the waiting queries and
//! the constraint graph, lists all maximal cliques (Tomita et al. 2006) and builds one mesh per
//! served query.

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
use graph::{EdgeRule, Lists, PrintedGraph};
use matrix::HashMatrix;
use mesh::PrintedMesh;
use std::sync::Arc;
use tomita::Tomita;
pub use tomita::maximal_cliques;

/// MeshCloak as printed, for the guarantee `paper`.
#[derive(Debug)]
pub struct Printed {
    atlas: Arc<Atlas>,
    settings: Settings,
    matrix: HashMatrix,
    graph: PrintedGraph,
    cliques: Tomita,
    largest: Vec<u32>,
    mesh: PrintedMesh,
    /// Builder for all region rules but [`MeshRule::Reach`].
    other_regions: RegionBuilder,
    published: Published,
}

impl Printed {
    /// Creates the scheme and computes its own distance matrix (Algorithm 1).
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
            label: "MeshCloak, reference",
            summary: "The algorithms of the paper to the letter.",
            setting: "map",
            cliques: "batch, all maximal by Tomita",
            constraint: "v × Δt along streets",
            pace: Pace::Batch,
            regions: self.settings.region.dependence(),
        }
    }

    fn cloak(&mut self, state: &State, _: Time, observer: &mut dyn Observer) -> &mut Published {
        let Printed { atlas, settings, matrix, graph, cliques, largest, .. } = self;
        let Printed { mesh, other_regions, published, .. } = self;
        let waiting = &state.waiting;
        observer.stage(Stage::Graph);
        let is_cell = matches!(settings.region, RegionRule::Cell(_));
        let cells = other_regions.cells().filter(|_| is_cell).map(|cells| &**cells);
        let rule = EdgeRule { coverage: settings.coverage, cells };
        graph.build(atlas.map(), matrix, rule, waiting); // Algorithm 4, line 10
        let edges = graph.edges();
        observer.stage(Stage::Cliques);
        let (found, spent) = cliques.find(edges, settings.budget); // line 11
        largest_cliques(found, edges.len(), largest);
        observer.stage(Stage::Mesh);
        published.clear();
        published.stats = Stats {
            nodes: waiting.len(),
            edges: edges.items.len() / 2,
            cliques: found.len(),
            steps: spent.steps,
            truncated: spent.truncated,
            ..Stats::default()
        };
        for (index, query) in waiting.iter().enumerate() {
            let clique = found.of(largest[index]);
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
            published.serve(index as u32, set);
        }
        published
    }
}

/// Computes for every node the first of its largest cliques (line 13).
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

/// Returns half the side of the square that contains everything within `reach` along streets. One
/// unit is added because coordinates are rounded; M decides about each candidate.
fn half_side(reach: Length) -> f64 {
    (reach + Length::UNIT).as_metres()
}
