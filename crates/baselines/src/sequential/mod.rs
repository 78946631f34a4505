//! Sequential MeshCloak (§V-B.3): MeshCloak's edges, with all maximal cliques of the waiting queries
//! maintained from one query to the next.
//!
//! Publishes as Algorithm 4: a query in a maximal clique with at least k members succeeds with the
//! largest such clique.

mod dense;
mod waiting_by_street;

use crate::clique_list::{CliqueList, Increment};
use crate::waiting_table::{WaitingTable, waiting_index};
use dense::DenseSearch;
use meshcloak::distance::Atlas;
use meshcloak::map::StreetId;
use meshcloak::mesh::{MeshBuilder, MeshRule};
use meshcloak::query::{Query, QueryId};
use meshcloak::scheme::{
    Description, Observer, Pace, Published, RegionDependence, Scheme, Stage, State, Stats,
};
use meshcloak::units::Time;
use std::cmp::Ordering;
use std::sync::Arc;
use waiting_by_street::WaitingByStreet;

/// The scheme and the cliques it maintains.
#[derive(Debug)]
pub struct Sequential {
    atlas: Arc<Atlas>,
    increment: Increment,
    waiting_table: WaitingTable,
    streets: WaitingByStreet,
    cliques: CliqueList,
    dense: DenseSearch,
    mesh: MeshBuilder,
    neighbours: Vec<u32>,
    /// By number: the clique to be published in this turn.
    chosen: Vec<Option<u32>>,
    published: Published,
}

impl Sequential {
    /// Creates the scheme that the paper measures: a query is inserted with all its edges.
    pub fn new(atlas: Arc<Atlas>) -> Sequential {
        Sequential::with_increment(atlas, Increment::Node)
    }

    /// Creates the variant that updates cliques edge by edge, as ICliqueCloak.
    pub fn edge_by_edge(atlas: Arc<Atlas>) -> Sequential {
        Sequential::with_increment(atlas, Increment::Edge)
    }

    fn with_increment(atlas: Arc<Atlas>, increment: Increment) -> Sequential {
        Sequential {
            increment,
            waiting_table: WaitingTable::default(),
            streets: WaitingByStreet::default(),
            cliques: CliqueList::default(),
            dense: DenseSearch::default(),
            mesh: MeshBuilder::new(Arc::clone(&atlas), MeshRule::Reach),
            neighbours: Vec::new(),
            chosen: Vec::new(),
            published: Published::default(),
            atlas,
        }
    }

    /// Updates the cliques; `false` if there are too many.
    fn update(&mut self, state: &State, observer: &mut dyn Observer) -> bool {
        let waiting = &state.waiting;
        let mut known = waiting.len() - state.arrived;
        observer.stage(Stage::Cliques);
        self.cliques.begin();
        if self.waiting_table.is_from_previous_turn(state) {
            for id in &state.departed {
                if let Some((number, query)) = self.waiting_table.remove(*id) {
                    self.streets.remove(number, &query);
                    self.cliques.remove_node(number);
                }
            }
        } else {
            self.waiting_table.clear();
            self.cliques.clear();
            self.streets.clear(self.atlas.map().street_count());
            known = 0;
        }
        for query in &waiting[known..] {
            observer.stage(Stage::Graph);
            self.streets.find_neighbours(
                &self.atlas,
                &self.waiting_table,
                query,
                &mut self.neighbours,
            );
            let number = self.waiting_table.insert(query);
            self.streets.insert(number, query);
            observer.stage(Stage::Cliques);
            self.cliques.add(number, &self.neighbours, self.increment);
            // A subgraph has no larger sum of clique sizes, so the result does not depend on the
            // order of insertion.
            if self.cliques.size() > CliqueList::max_size(waiting.len()) {
                self.waiting_table.invalidate();
                return false;
            }
        }
        self.waiting_table.mark_current(state);
        true
    }

    /// Chooses the largest fresh clique of at least k members for each query; returns the numbers of
    /// these queries.
    ///
    /// Older cliques were insufficient in earlier turns.
    fn choose(&mut self) -> Vec<u32> {
        let Sequential { waiting_table, cliques, chosen, .. } = self;
        chosen.clear();
        let mut numbers = Vec::new();
        for clique in cliques.fresh().to_vec() {
            let members = cliques.members(clique);
            for &member in members {
                if members.len() < waiting_table.query(member).k as usize {
                    continue; // Algorithm 4, line 14
                }
                if chosen.len() <= member as usize {
                    chosen.resize(member as usize + 1, None);
                }
                let is_better =
                    |other: u32| compare(waiting_table, members, cliques.members(other)).is_gt();
                match chosen[member as usize] {
                    Some(other) if !is_better(other) => {}
                    previous => {
                        chosen[member as usize] = Some(clique);
                        if previous.is_none() {
                            numbers.push(member);
                        }
                    }
                }
            }
        }
        numbers
    }

    fn publish(&mut self, state: &State) {
        let numbers = self.choose();
        let Sequential { waiting_table, cliques, mesh, chosen, published, .. } = self;
        let index = |&number: &u32| waiting_index(&state.waiting, waiting_table.query(number).id);
        let mut served: Vec<(u32, u32)> =
            numbers.iter().map(|number| (index(number), *number)).collect();
        served.sort_unstable();
        let mut sets: Vec<(u32, u32)> = Vec::new();
        for (index, number) in served {
            let Some(clique) = chosen[number as usize] else { continue };
            let known = sets.iter().find(|(other, _)| *other == clique).map(|(_, set)| *set);
            let set = known.unwrap_or_else(|| {
                let queries =
                    cliques.members(clique).iter().map(|&member| waiting_table.query(member));
                let set = add_set(mesh, published, queries);
                sets.push((clique, set));
                set
            });
            published.serve(index, set);
        }
    }

    /// Publishes the cliques around new arrivals if there are too many cliques to maintain.
    fn publish_dense(&mut self, state: &State) {
        let Sequential { atlas, dense, mesh, published, .. } = self;
        let waiting = &state.waiting;
        let found = dense.search(atlas, waiting, state.arrived);
        let largest = found.largest;
        published.stats = Stats {
            nodes: waiting.len(),
            edges: found.edges,
            cliques: largest.clique_count(),
            steps: largest.steps,
            truncated: true,
            ..Stats::default()
        };
        let query = |node: u32| &waiting[found.waiting_indices[node as usize] as usize];
        let mut set_of = vec![None; largest.clique_count()];
        let mut served: Vec<(u32, u32)> =
            (0..).zip(&found.waiting_indices).map(|(node, &index)| (index, node)).collect();
        served.sort_unstable();
        for (index, node) in served {
            let clique = largest.clique_of(node);
            if largest.size(node) >= query(node).k {
                let set = *set_of[clique as usize].get_or_insert_with(|| {
                    let members = largest.members(clique).iter().map(|&member| query(member));
                    add_set(mesh, published, members)
                });
                published.serve(index, set);
            }
        }
    }
}

/// Adds a set with its cloaking mesh and returns its number.
fn add_set<'a>(
    mesh: &mut MeshBuilder,
    published: &mut Published,
    members: impl Iterator<Item = &'a Query> + Clone,
) -> u32 {
    let ids = members.clone().map(|query| query.id);
    published.add_mesh(ids, |streets: &mut Vec<StreetId>| {
        mesh.cloaking_mesh(members.map(Query::mesh_key), streets);
    })
}

/// Orders cliques by size, then by lower ids.
fn compare(waiting_table: &WaitingTable, a: &[u32], b: &[u32]) -> Ordering {
    let ids = |members: &[u32]| {
        let mut ids: Vec<QueryId> = members.iter().map(|&m| waiting_table.query(m).id).collect();
        ids.sort_unstable();
        ids
    };
    a.len().cmp(&b.len()).then_with(|| ids(b).cmp(&ids(a)))
}

impl Scheme for Sequential {
    fn name(&self) -> &'static str {
        match self.increment {
            Increment::Node => "sequential",
            Increment::Edge => "sequential-edges",
        }
    }

    fn describe(&self) -> Description {
        Description {
            label: match self.increment {
                Increment::Node => "MeshCloak, sequential",
                Increment::Edge => "MeshCloak, sequential, edge by edge",
            },
            summary: "As printed, processed query by query without batches.",
            setting: "map",
            cliques: match self.increment {
                Increment::Node => "node-based incremental",
                Increment::Edge => "edge-based incremental",
            },
            constraint: "v × Δt along streets",
            pace: Pace::Sequential,
            regions: RegionDependence::Mesh(MeshRule::Reach),
        }
    }

    fn cloak(&mut self, state: &State, _: Time, observer: &mut dyn Observer) -> &mut Published {
        self.published.clear();
        if self.update(state, observer) {
            self.published.stats = Stats {
                nodes: state.waiting.len(),
                edges: self.cliques.edge_count(),
                cliques: self.cliques.len(),
                steps: self.cliques.size() as u64,
                truncated: false,
                ..Stats::default()
            };
            observer.stage(Stage::Mesh);
            self.publish(state);
        } else {
            observer.stage(Stage::Cliques);
            self.publish_dense(state);
        }
        &mut self.published
    }
}
