//! MeshCloak, the scheme (Algorithm 4, lines 10–15), by the fastest way to the same answer: one
//! walk per query for its edges, branch and bound for a largest clique of each, one mesh per set.

use crate::cells::Cells;
use crate::cliques::{Largest, LargestCliques};
use crate::constraint_graph::{Coverage, GraphBuilder};
use crate::distance::Atlas;
pub use crate::group_cloak::Hold;
use crate::group_cloak::{GroupCloak, Task};
use crate::guarantee::{DEFAULT_HORIZON, Guarantee};
use crate::guard::{Guard, Promise};
use crate::query::Query;
pub use crate::region_builder::RegionRule;
use crate::region_builder::{RegionBuilder, SetPublisher};
use crate::scheme::{Description, Observer, Pace, Published, Scheme, Stage, State, Stats};
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
    /// Which streets the service is asked about.
    pub region: RegionRule,
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
            region: RegionRule::default(),
            budget: 20_000,
            horizon: DEFAULT_HORIZON,
            hold: None,
        }
    }
}

/// The scheme, with the room it needs from batch to batch.
#[derive(Debug)]
pub struct MeshCloak {
    settings: Settings,
    atlas: Arc<Atlas>,
    graph: GraphBuilder,
    cliques: LargestCliques,
    meshes: SetPublisher,
    sets: Sets,
    groups: GroupCloak,
    guard: Guard,
    published: Published,
}

const NONE: u32 = u32::MAX;

/// Steps of one search where edges had to be left out: people stand so close that a few steps find
/// a clique larger than anyone asked for, and there are tens of thousands of searches.
const BUDGET_OF_A_CRUSH: u32 = 200;

impl MeshCloak {
    /// MeshCloak on a prepared map.
    pub fn new(atlas: Arc<Atlas>, settings: Settings) -> MeshCloak {
        let regions = RegionBuilder::new(&atlas, settings.region, None);
        MeshCloak::with_regions(atlas, settings, regions)
    }

    /// MeshCloak with cells that were made before, whatever length the settings ask for.
    pub fn with_cells(atlas: Arc<Atlas>, settings: Settings, cells: Arc<Cells>) -> MeshCloak {
        let regions = RegionBuilder::new(&atlas, settings.region, Some(cells));
        MeshCloak::with_regions(atlas, settings, regions)
    }

    fn with_regions(atlas: Arc<Atlas>, settings: Settings, regions: RegionBuilder) -> MeshCloak {
        MeshCloak {
            settings,
            graph: GraphBuilder::default(),
            cliques: LargestCliques::default(),
            meshes: SetPublisher::new(regions),
            sets: Sets::default(),
            groups: GroupCloak::default(),
            guard: Guard::default(),
            published: Published::default(),
            atlas,
        }
    }
}

impl MeshCloak {
    /// The same for disjoint groups, with a look by the guard.
    fn cloak_in_groups(
        &mut self,
        state: &State,
        now: Time,
        watch: &mut dyn Observer,
    ) -> &Published {
        let MeshCloak { settings, atlas, graph, meshes, groups, guard, published, .. } = self;
        let Settings { guarantee, coverage, hold, .. } = *settings;
        watch.stage(Stage::Graph);
        graph.build(atlas, coverage, &state.waiting);
        let most = if graph.truncated() { BUDGET_OF_A_CRUSH } else { settings.budget };
        let budget = settings.budget.min(most);
        let task = Task { atlas, guarantee, budget, hold, graph, state, now };
        groups.publish(task, watch, meshes, published);
        watch.stage(Stage::Settle);
        guard.inspect(atlas.map(), Promise { guarantee, coverage }, state, published);
        published
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

    fn history_horizon(&self) -> Option<Duration> {
        (self.settings.guarantee == Guarantee::History).then_some(self.settings.horizon)
    }

    fn cloak(&mut self, state: &State, now: Time, watch: &mut dyn Observer) -> &Published {
        if self.settings.guarantee != Guarantee::Paper {
            return self.cloak_in_groups(state, now, watch);
        }
        let MeshCloak { settings, atlas, graph, cliques, meshes, sets, published, .. } = self;
        let waiting = &state.waiting;
        watch.stage(Stage::Graph);
        graph.build(atlas, settings.coverage, waiting); // line 10
        let cut = graph.truncated();
        watch.stage(Stage::Cliques);
        let budget = if cut { settings.budget.min(BUDGET_OF_A_CRUSH) } else { settings.budget };
        let largest = cliques.find_enough(graph.graph(), graph.k(), budget); // lines 11 and 13
        watch.stage(Stage::Mesh);
        published.clear();
        published.stats = Stats {
            nodes: waiting.len(),
            edges: graph.graph().edge_count(),
            cliques: largest.clique_count(),
            steps: largest.steps,
            truncated: largest.truncated > 0 || cut,
            rejected: 0,
        };
        sets.choose(waiting, graph, largest, published);
        meshes.publish(&sets.cliques, published, |&clique| {
            let nodes = largest.members(clique).iter();
            nodes.map(|&node| graph.member(node))
        });
        published
    }
}

/// Which cliques become sets.
#[derive(Clone, Debug, Default)]
struct Sets {
    /// Who is served.
    nodes: Vec<u32>,
    /// For each clique its set.
    set_of: Vec<u32>,
    /// For each place of the waiting list its set.
    serves: Vec<Option<u32>>,
    /// The clique of each set.
    cliques: Vec<u32>,
}

impl Sets {
    /// Serves everyone whose largest clique is large enough (line 14), and notes those cliques.
    ///
    /// Whoever is next is written down in any case, and counted if it is one: nobody could guess.
    fn choose(
        &mut self,
        waiting: &[Query],
        graph: &GraphBuilder,
        largest: &Largest,
        published: &mut Published,
    ) {
        let places = graph.nodes();
        self.nodes.resize(places.len(), 0);
        let mut served = 0;
        for node in 0..places.len() as u32 {
            self.nodes[served] = node;
            served += usize::from(graph.is_satisfied(node, largest.size(node), waiting));
        }
        self.set_of.clear();
        self.set_of.resize(largest.clique_count(), NONE);
        self.serves.clear();
        self.serves.resize(waiting.len(), None);
        self.cliques.resize(largest.clique_count() + 1, 0);
        let mut sets = 0;
        for &node in &self.nodes[..served] {
            let clique = largest.chosen(node);
            let set = &mut self.set_of[clique as usize];
            self.cliques[sets as usize] = clique;
            let number = (*set).min(sets);
            sets += u32::from(*set == NONE);
            *set = number;
            self.serves[places[node as usize] as usize] = Some(number);
        }
        self.cliques.truncate(sets as usize);
        published.serve_all(&self.serves);
    }
}
