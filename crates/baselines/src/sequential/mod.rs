//! MeshCloak one query at a time (§V-C): MeshCloak's edges, and all maximal cliques of the waiting
//! queries, kept up to date from one query to the next.
//!
//! Publishes as Algorithm 4 does: whoever is in a maximal clique with at least her k members
//! succeeds with the largest such clique, and leaves.

mod crush;
mod streets;

use crate::clique_list::{CliqueList, Increment};
use crate::roster::{Roster, place_of};
use crush::Crush;
use meshcloak::distance::Atlas;
use meshcloak::map::StreetId;
use meshcloak::mesh::{MeshBuilder, MeshKey, MeshRule};
use meshcloak::query::{Query, QueryId};
use meshcloak::scheme::{
    Description, Observer, Pace, Published, RegionDependence, Scheme, Stage, State, Stats,
};
use meshcloak::units::Time;
use std::cmp::Ordering;
use std::sync::Arc;
use streets::Streets;

/// Sequential MeshCloak, with the cliques it maintains.
#[derive(Debug)]
pub struct Sequential {
    atlas: Arc<Atlas>,
    increment: Increment,
    roster: Roster,
    streets: Streets,
    cliques: CliqueList,
    crush: Crush,
    mesh: MeshBuilder,
    neighbours: Vec<u32>,
    /// For each number the clique to be published, in this turn.
    chosen: Vec<Option<u32>>,
    published: Published,
}

/// How many members all cliques together may have: what the work of a turn is bounded by. Real
/// traffic has a few for each query.
const fn most_members(queries: usize) -> usize {
    queries * 64 + (1 << 14)
}

impl Sequential {
    /// The scheme that the paper measures: a query comes with all its edges at once.
    pub fn new(atlas: Arc<Atlas>) -> Sequential {
        Sequential::with(atlas, Increment::Node)
    }

    /// The same, but cliques are brought up to date edge by edge, as in ICliqueCloak.
    pub fn edge_by_edge(atlas: Arc<Atlas>) -> Sequential {
        Sequential::with(atlas, Increment::Edge)
    }

    fn with(atlas: Arc<Atlas>, increment: Increment) -> Sequential {
        Sequential {
            increment,
            roster: Roster::default(),
            streets: Streets::default(),
            cliques: CliqueList::default(),
            crush: Crush::default(),
            mesh: MeshBuilder::new(Arc::clone(&atlas), MeshRule::Reach),
            neighbours: Vec::new(),
            chosen: Vec::new(),
            published: Published::default(),
            atlas,
        }
    }

    /// Brings the cliques up to date; `false` if there are too many of them.
    fn follow(&mut self, state: &State, watch: &mut dyn Observer) -> bool {
        let waiting = &state.waiting;
        let mut known = waiting.len() - state.arrived;
        watch.stage(Stage::Cliques);
        self.cliques.begin();
        if self.roster.is_of_the_turn_before(state) {
            for id in &state.departed {
                if let Some((number, query)) = self.roster.leave(*id) {
                    self.streets.leave(number, &query);
                    self.cliques.remove_node(number);
                }
            }
        } else {
            self.roster.clear();
            self.cliques.clear();
            self.streets.clear(self.atlas.map().street_count());
            known = 0;
        }
        for query in &waiting[known..] {
            watch.stage(Stage::Graph);
            self.streets.neighbours(&self.atlas, &self.roster, query, &mut self.neighbours);
            let number = self.roster.enter(query);
            self.streets.enter(number, query);
            watch.stage(Stage::Cliques);
            self.cliques.add(number, &self.neighbours, self.increment);
            // The maximal cliques of some of the queries are never more, nor larger, than those
            // of all: who finds too many on the way would find too many at the end.
            if self.cliques.size() > most_members(waiting.len()) {
                self.roster.spoil();
                return false;
            }
        }
        self.roster.settle(state);
        true
    }

    /// Chooses, for everyone in a fresh clique of her k or more, the largest. Gives who they are.
    ///
    /// Those not in such a clique are in none: what is not fresh was there before, and did not
    /// suffice.
    fn choose(&mut self) -> Vec<u32> {
        let Sequential { roster, cliques, chosen, .. } = self;
        chosen.clear();
        let mut numbers = Vec::new();
        for clique in cliques.fresh().to_vec() {
            let members = cliques.members(clique);
            for &member in members {
                if members.len() < roster.query(member).k as usize {
                    continue; // Algorithm 4, line 14
                }
                if chosen.len() <= member as usize {
                    chosen.resize(member as usize + 1, None);
                }
                let better = |other: u32| larger(roster, members, cliques.members(other)).is_gt();
                match chosen[member as usize] {
                    Some(other) if !better(other) => {}
                    old => {
                        chosen[member as usize] = Some(clique);
                        if old.is_none() {
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
        let Sequential { roster, cliques, mesh, chosen, published, .. } = self;
        let place = |&number: &u32| place_of(&state.waiting, roster.query(number).id);
        let mut served: Vec<(u32, u32)> =
            numbers.iter().map(|number| (place(number), *number)).collect();
        served.sort_unstable();
        let mut sets: Vec<(u32, u32)> = Vec::new();
        for (place, number) in served {
            let Some(clique) = chosen[number as usize] else { continue };
            let known = sets.iter().find(|(other, _)| *other == clique).map(|(_, set)| *set);
            let set = known.unwrap_or_else(|| {
                let queries = cliques.members(clique).iter().map(|&member| roster.query(member));
                let set = add_set(mesh, published, queries);
                sets.push((clique, set));
                set
            });
            published.serve(place, set);
        }
    }

    /// Publishes what is found around those who came, where cliques are too many to be kept.
    fn publish_in_a_crush(&mut self, state: &State) {
        let Sequential { atlas, crush, mesh, published, .. } = self;
        let waiting = &state.waiting;
        let found = crush.search(atlas, waiting, state.arrived);
        let largest = found.largest;
        published.stats = Stats {
            nodes: waiting.len(),
            edges: found.edges,
            cliques: largest.clique_count(),
            steps: largest.steps,
            truncated: true,
            rejected: Default::default(),
        };
        let query = |node: u32| &waiting[found.place_of[node as usize] as usize];
        let mut set_of = vec![None; largest.clique_count()];
        let mut served: Vec<(u32, u32)> =
            (0..).zip(&found.place_of).map(|(node, &place)| (place, node)).collect();
        served.sort_unstable();
        for (place, node) in served {
            let clique = largest.chosen(node);
            if largest.size(node) >= query(node).k {
                let set = *set_of[clique as usize].get_or_insert_with(|| {
                    let members = largest.members(clique).iter().map(|&member| query(member));
                    add_set(mesh, published, members)
                });
                published.serve(place, set);
            }
        }
    }
}

/// Publishes a set under its cloaking mesh. Gives its number.
fn add_set<'a>(
    mesh: &mut MeshBuilder,
    published: &mut Published,
    members: impl Iterator<Item = &'a Query> + Clone,
) -> u32 {
    let stands =
        |query: &Query| MeshKey { street: query.position.street, dc: query.distance_constraint };
    let ids = members.clone().map(|query| query.id);
    published.add_mesh(ids, |streets: &mut Vec<StreetId>| {
        mesh.cloaking_mesh(members.map(stands), streets);
    })
}

/// The larger of two cliques; of equally large ones that with the lower ids.
fn larger(roster: &Roster, a: &[u32], b: &[u32]) -> Ordering {
    let ids = |members: &[u32]| {
        let mut ids: Vec<QueryId> = members.iter().map(|&m| roster.query(m).id).collect();
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

    fn cloak(&mut self, state: &State, _: Time, watch: &mut dyn Observer) -> &mut Published {
        self.published.clear();
        if self.follow(state, watch) {
            self.published.stats = Stats {
                nodes: state.waiting.len(),
                edges: self.cliques.edge_count(),
                cliques: self.cliques.len(),
                steps: self.cliques.size() as u64,
                truncated: false,
                rejected: Default::default(),
            };
            watch.stage(Stage::Mesh);
            self.publish(state);
        } else {
            watch.stage(Stage::Cliques);
            self.publish_in_a_crush(state);
        }
        &mut self.published
    }
}
