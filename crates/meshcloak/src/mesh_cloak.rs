//! MeshCloak, the scheme (Algorithm 4, lines 10–15), by the fastest way to the same answer: one
//! walk per query for its edges, branch and bound for a largest clique of each, one mesh per set.

use crate::cliques::LargestCliques;
use crate::constraint_graph::{Coverage, GraphBuilder};
use crate::distance::Atlas;
pub use crate::group_cloak::Hold;
use crate::group_cloak::{GroupCloak, Task};
use crate::guarantee::{Guarantee, HORIZON};
use crate::guard::{Guard, Promise};
use crate::mesh::{MeshBuilder, MeshRule, Standpoint};
use crate::query::Query;
use crate::scheme::{Description, Pace, Published, Scheme, Stage, State, Stats, Watch};
use crate::units::Time;
use std::sync::Arc;
use std::time::Duration;

/// What can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What is promised to whom.
    pub guarantee: Guarantee,
    /// When two people count as within reach of each other.
    pub coverage: Coverage,
    /// Which streets belong to a mesh.
    pub mesh: MeshRule,
    /// How many steps the search for the cliques of one query may take.
    pub budget: u32,
    /// For how long `history` minds where people were.
    pub horizon: Duration,
    /// Whether sets may be kept back under `reciprocal` and `history`, and for how long.
    pub hold: Option<Hold>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            guarantee: Guarantee::Paper,
            coverage: Coverage::Own,
            mesh: MeshRule::Reach,
            budget: 20_000,
            horizon: HORIZON,
            hold: None,
        }
    }
}

/// The scheme, with the room it needs from batch to batch.
#[derive(Debug)]
pub struct MeshCloak {
    atlas: Arc<Atlas>,
    settings: Settings,
    graph: GraphBuilder,
    cliques: LargestCliques,
    mesh: MeshBuilder,
    groups: GroupCloak,
    guard: Guard,
    node_of: Vec<u32>,
    set_of: Vec<u32>,
    published: Published,
}

const NONE: u32 = u32::MAX;

/// Steps of one search where edges had to be left out: people stand so close that a few steps find
/// a clique larger than anyone asked for, and there are tens of thousands of searches.
const BUDGET_OF_A_CRUSH: u32 = 200;

impl MeshCloak {
    /// MeshCloak on a prepared map.
    pub fn new(atlas: Arc<Atlas>, settings: Settings) -> MeshCloak {
        MeshCloak {
            atlas,
            settings,
            graph: GraphBuilder::default(),
            cliques: LargestCliques::default(),
            mesh: MeshBuilder::default(),
            groups: GroupCloak::default(),
            guard: Guard::default(),
            node_of: Vec::new(),
            set_of: Vec::new(),
            published: Published::default(),
        }
    }
}

impl Scheme for MeshCloak {
    fn name(&self) -> &'static str {
        "meshcloak"
    }

    fn describe(&self) -> Description {
        Description {
            setting: "map",
            cliques: "batch, largest of each by branch and bound",
            constraint: "v × Δt along streets",
            pace: Pace::Batch,
        }
    }

    fn memory(&self) -> Option<Duration> {
        (self.settings.guarantee == Guarantee::History).then_some(self.settings.horizon)
    }

    fn cloak(&mut self, state: &State, now: Time, watch: &mut dyn Watch) -> &Published {
        let MeshCloak {
            atlas,
            settings,
            graph,
            cliques,
            mesh,
            groups,
            guard,
            node_of,
            set_of,
            published,
        } = self;
        let waiting = &state.waiting;
        watch.stage(Stage::Graph);
        graph.build(atlas, settings.coverage, waiting);
        let Settings { guarantee, coverage, mesh: rule, budget, hold, .. } = *settings;
        if guarantee != Guarantee::Paper {
            let most = if graph.truncated() { BUDGET_OF_A_CRUSH } else { budget };
            let budget = budget.min(most);
            let task = Task { atlas, guarantee, mesh: rule, budget, hold, graph, state, now };
            groups.publish(task, watch, mesh, published);
            watch.stage(Stage::Settle);
            guard.inspect(atlas.map(), Promise { guarantee, coverage }, state, published);
            return published;
        }
        let edges = graph.graph();
        let (nodes, edge_count) = (edges.len(), edges.edge_count());
        let cut = graph.truncated();
        watch.stage(Stage::Cliques);
        let budget = if cut { settings.budget.min(BUDGET_OF_A_CRUSH) } else { settings.budget };
        let largest = cliques.find(edges, budget);
        watch.stage(Stage::Mesh);
        published.clear();
        published.stats = Stats {
            nodes,
            edges: edge_count,
            cliques: largest.clique_count(),
            steps: largest.steps,
            truncated: largest.truncated > 0 || cut,
            suppressed: 0,
        };
        node_of.clear();
        node_of.resize(nodes, 0);
        for (node, &place) in graph.nodes().iter().enumerate() {
            node_of[place as usize] = node as u32;
        }
        set_of.clear();
        set_of.resize(largest.clique_count(), NONE);
        for (place, query) in waiting.iter().enumerate() {
            let node = node_of[place];
            if largest.size(node) < query.k {
                continue; // line 14
            }
            let clique = largest.chosen(node);
            if set_of[clique as usize] == NONE {
                let members = largest.members(clique);
                let query_of = |&node: &u32| &waiting[graph.nodes()[node as usize] as usize];
                set_of[clique as usize] =
                    published.add_mesh(members.iter().map(|node| query_of(node).id), |streets| {
                        let standpoints = members.iter().map(|node| standpoint(query_of(node)));
                        mesh.cloaking_mesh(atlas, settings.mesh, standpoints, streets);
                    });
            }
            published.serve(place as u32, set_of[clique as usize]);
        }
        published
    }
}

/// All that the mesh of a query depends on.
pub(crate) fn standpoint(query: &Query) -> Standpoint {
    Standpoint { street: query.position.street, dc: query.distance_constraint }
}
