//! MeshCloak as the paper describes it, written with ordinary care: the readable reference, and
//! the yardstick against which [`crate::mesh_cloak`] is measured in the same run.
//!
//! M in a hash map, a quadtree of the waiting queries, the constraint graph built anew for each
//! batch, all maximal cliques by Tomita, a mesh for every query that is served.

mod quadtree;
mod tomita;

use crate::constraint_graph::Coverage;
use crate::distance::{Atlas, Search, Ways};
use crate::map::{Position, StreetId, TerminalId};
use crate::mesh::{MeshBuilder, MeshRule, Standpoint};
use crate::mesh_cloak::{Settings, standpoint};
use crate::query::Query;
use crate::scheme::{Description, Pace, Published, Scheme, Stage, State, Stats, Watch};
use crate::units::{Length, Time};
use quadtree::QuadTree;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use tomita::{Budget, maximal_cliques};

/// The scheme as printed.
#[derive(Debug)]
pub struct Printed {
    atlas: Arc<Atlas>,
    settings: Settings,
    /// M(dc_max): the distance from one terminal to another (Algorithm 1).
    matrix: FxHashMap<(TerminalId, TerminalId), Length>,
    ways: Ways,
    search: Search,
    mesh: MeshBuilder,
    published: Published,
}

impl Printed {
    /// The scheme on a prepared map.
    pub fn new(atlas: Arc<Atlas>, settings: Settings) -> Printed {
        let map = atlas.map();
        let rows =
            map.terminals().flat_map(|u| atlas.matrix().row(u).map(move |(v, d)| ((u, v), d)));
        Printed {
            matrix: rows.collect(),
            ways: Ways::forward(map),
            search: Search::new(map.terminal_count()),
            mesh: MeshBuilder::default(),
            published: Published::default(),
            settings,
            atlas,
        }
    }

    /// `d(A, B)`: leave by any exit, cross the map, enter by any entrance, or go along (§IV-A).
    fn distance(&self, a: Position, b: Position) -> Option<Length> {
        let map = self.atlas.map();
        let mut shortest = map.along(a, b);
        for (u, leave) in map.exits(a) {
            for (w, arrive) in map.entrances(b) {
                if let Some(&across) = self.matrix.get(&(u, w)) {
                    let way = leave + across + arrive;
                    shortest = Some(shortest.map_or(way, |shortest| shortest.min(way)));
                }
            }
        }
        shortest
    }

    /// Algorithm 2: for each query those it covers, then only where both cover each other.
    fn constraint_graph(&self, waiting: &[Query]) -> Vec<Vec<u32>> {
        let point = |query: &Query| self.atlas.map().point(query.position);
        let tree = QuadTree::new(waiting.iter().map(point).collect());
        let mut covered: Vec<Vec<u32>> = Vec::with_capacity(waiting.len());
        for a in waiting {
            let mut covers = Vec::new();
            tree.within(point(a), a.distance_constraint.as_metres(), &mut |b| {
                let other = &waiting[b as usize];
                let limit = match self.settings.coverage {
                    Coverage::Own => a.distance_constraint,
                    Coverage::Both => a.distance_constraint.min(other.distance_constraint),
                };
                let distance = || self.distance(a.position, other.position);
                if a.user != other.user && distance().is_some_and(|d| d <= limit) {
                    covers.push(b);
                }
            });
            covers.sort_unstable();
            covered.push(covers);
        }
        let mutual = |a: u32, b: u32| covered[b as usize].binary_search(&a).is_ok();
        let keep = |(a, covers): (usize, &Vec<u32>)| {
            covers.iter().copied().filter(|&b| mutual(a as u32, b)).collect()
        };
        covered.iter().enumerate().map(keep).collect() // line 9
    }

    /// The cloaking mesh of a set, found by searching from every member (Algorithm 3).
    fn cloaking_mesh(&mut self, members: &[Standpoint], streets: &mut Vec<StreetId>) {
        let map = self.atlas.map();
        if self.settings.mesh == MeshRule::Printed {
            let members = members.iter().copied();
            return self.mesh.cloaking_mesh(&self.atlas, MeshRule::Printed, members, streets);
        }
        let mut mesh: FxHashSet<StreetId> = FxHashSet::default();
        for member in members {
            mesh.insert(member.street);
            let far_end = map.street(member.street).length;
            let exits = map.exits(Position { street: member.street, offset: far_end });
            let sources: Vec<_> = exits.map(|(exit, _)| (exit, Length::ZERO)).collect();
            let nearer = member.dc.checked_sub(Length::UNIT).unwrap_or(Length::ZERO);
            self.search.run(&self.ways, sources, nearer, |terminal, _| {
                mesh.extend(map.leaving(terminal).iter().map(|arm| arm.street));
            });
        }
        let start = streets.len();
        streets.extend(mesh);
        streets[start..].sort_unstable();
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
        }
    }

    fn cloak(&mut self, state: &State, _: Time, watch: &mut dyn Watch) -> &Published {
        let waiting = &state.waiting;
        watch.stage(Stage::Graph);
        let graph = self.constraint_graph(waiting); // Algorithm 4, line 10
        watch.stage(Stage::Cliques);
        let mut budget = Budget::new(self.settings.budget);
        let cliques = maximal_cliques(&graph, &mut budget); // line 11
        let mut largest: Vec<usize> = vec![usize::MAX; waiting.len()];
        for (number, clique) in cliques.iter().enumerate() {
            for &member in clique {
                let best = &mut largest[member as usize];
                if *best == usize::MAX || cliques[*best].len() < clique.len() {
                    *best = number; // line 13
                }
            }
        }
        watch.stage(Stage::Mesh);
        let mut published = std::mem::take(&mut self.published);
        published.clear();
        published.stats = Stats {
            nodes: waiting.len(),
            edges: graph.iter().map(Vec::len).sum::<usize>() / 2,
            cliques: cliques.len(),
            steps: budget.steps,
            truncated: budget.truncated,
            suppressed: 0,
        };
        for (place, query) in waiting.iter().enumerate() {
            let clique = &cliques[largest[place]];
            if clique.len() >= query.k as usize {
                let members: Vec<&Query> = clique.iter().map(|&m| &waiting[m as usize]).collect();
                let standpoints: Vec<Standpoint> =
                    members.iter().map(|member| standpoint(member)).collect();
                let ids = members.iter().map(|member| member.id);
                let set =
                    published.add_mesh(ids, |streets| self.cloaking_mesh(&standpoints, streets)); // line 15
                published.serve(place as u32, set);
            }
        }
        self.published = published;
        &self.published
    }
}
