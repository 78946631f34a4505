//! The MeshCloak scheme (Algorithm 4, lines 10–15).
//!
//! `paper`: constraint graph, a largest clique of each query by branch and bound, one mesh per set.
//! `reciprocal` and `history`: constraint graph, then disjoint groups (`group_cloak.rs`).
//! Reference: [`crate::printed`], the algorithms of the paper to the letter.

use crate::cells::Cells;
use crate::cliques::crowd::{CountingShare, CrowdRule};
use crate::cliques::{CliqueAssignment, LargestCliqueSearch, RootBudget};
use crate::constraint_graph::{GraphBuilder, Subgraph};
use crate::distance::Atlas;
pub use crate::group_cloak::Hold;
use crate::group_cloak::{GroupCloak, Task};
use crate::group_search::Budget;
use crate::grouping::reach_schedule::ReachLimits;
use crate::guarantee::Guarantee;
use crate::guard::Promise;
use crate::history::Horizon;
use crate::query::Query;
pub use crate::region_builder::RegionRule;
use crate::region_builder::{RegionBuilder, SetPublisher};
use crate::scheme::{Description, Observer, Pace, Published, Scheme, Stage, State, Stats};
pub use crate::settings::Settings;
use crate::units::Time;
use std::ops::Range;
use std::sync::Arc;

/// MeshCloak with its scratch buffers.
#[derive(Debug)]
pub struct MeshCloak {
    settings: Settings,
    atlas: Arc<Atlas>,
    graph: GraphBuilder,
    cliques: LargestCliqueSearch,
    meshes: SetPublisher,
    sets: Sets,
    groups: GroupCloak,
    published: Published,
    /// The cells that sets lie in, under [`RegionRule::Cell`].
    cells: Option<Arc<Cells>>,
}

const NONE: u32 = u32::MAX;

/// Step limit of a search when edges were dropped for lack of memory. Users are then so dense that
/// a few steps find a clique larger than any `k`, and there are tens of thousands of searches.
const DENSE_BUDGET: u32 = 200;

impl MeshCloak {
    /// Returns MeshCloak on a prepared map.
    pub fn new(atlas: Arc<Atlas>, settings: Settings) -> MeshCloak {
        let regions = RegionBuilder::new(&atlas, settings.region, None);
        MeshCloak::with_regions(atlas, settings, regions)
    }

    /// Returns MeshCloak with existing cells; the cell length of the settings is ignored.
    pub fn with_cells(atlas: Arc<Atlas>, settings: Settings, cells: Arc<Cells>) -> MeshCloak {
        let regions = RegionBuilder::new(&atlas, settings.region, Some(cells));
        MeshCloak::with_regions(atlas, settings, regions)
    }

    fn with_regions(atlas: Arc<Atlas>, settings: Settings, regions: RegionBuilder) -> MeshCloak {
        let is_cell = matches!(settings.region, RegionRule::Cell(_));
        MeshCloak {
            settings,
            cells: regions.cells().filter(|_| is_cell).cloned(),
            graph: GraphBuilder::default(),
            cliques: LargestCliqueSearch::default(),
            meshes: SetPublisher::new(regions),
            sets: Sets::default(),
            groups: GroupCloak::default(),
            published: Published::default(),
            atlas,
        }
    }

    /// Builds the constraint graph (line 10).
    fn build_graph(&mut self, waiting: &[Query], observer: &mut dyn Observer) {
        observer.stage(Stage::Graph);
        let MeshCloak { atlas, settings, graph, cells, .. } = self;
        match cells {
            None => graph.build(atlas, settings.coverage, waiting),
            Some(cells) => graph.build_in_cells(atlas, settings.coverage, cells, waiting),
        };
    }

    /// Proposes disjoint groups (`reciprocal` and `history`).
    fn cloak_groups(&mut self, state: &State, now: Time, observer: &mut dyn Observer) {
        self.build_graph(&state.waiting, observer);
        let MeshCloak { settings, atlas, graph, meshes, groups, published, cells, .. } = self;
        let Settings { guarantee, history_clock, hold, across_accounts, presence, budget, .. } =
            *settings;
        let reach = cells.as_ref().map(|cells| ReachLimits::of_cell(cells.count()));
        let budget = Budget { cliques: budget, dense: DENSE_BUDGET, crowds: settings.crowds };
        let task = Task {
            atlas,
            guarantee,
            history_clock,
            budget,
            reach: reach.unwrap_or(ReachLimits::BATCH),
            hold,
            across_accounts,
            presence,
            graph,
            state,
            is_in_cells: cells.is_some(),
            now,
        };
        groups.publish(task, observer, meshes, published);
    }

    /// Proposes a largest clique for each query (`paper`).
    fn cloak_cliques(&mut self, waiting: &[Query], observer: &mut dyn Observer) {
        self.build_graph(waiting, observer);
        let MeshCloak { settings, graph, cliques, meshes, sets, published, .. } = self;
        observer.stage(Stage::Cliques);
        let dense = graph.sections().iter().filter(|section| section.truncated);
        let dense: Vec<Range<u32>> = dense.map(|section| section.nodes.clone()).collect();
        let crowds = settings.crowds.then(|| dense_sections(graph));
        let budget = RootBudget {
            steps: settings.budget,
            dense_steps: DENSE_BUDGET,
            dense: &dense,
            crowds: crowds.as_deref(),
        };
        let largest = cliques.find_with_minimum(graph.graph(), graph.k(), budget); // lines 11 and 13
        observer.stage(Stage::Mesh);
        published.clear();
        published.stats = Stats {
            nodes: waiting.len(),
            edges: graph.graph().edge_count(),
            cliques: largest.clique_count(),
            steps: largest.steps,
            truncated: largest.truncated > 0 || graph.truncated(),
            ..Stats::default()
        };
        sets.choose(waiting, graph, largest, published);
        meshes.publish(&sets.cliques, published, |&clique| {
            let nodes = largest.members(clique).iter();
            nodes.map(|&node| graph.member(node))
        });
    }
}

/// Returns the nodes of the sections in which crowds are common.
fn dense_sections(graph: &GraphBuilder) -> Vec<Range<u32>> {
    let is_dense = |nodes: &Range<u32>| {
        let k = graph.k()[nodes.start as usize..nodes.end as usize].iter();
        let section = Subgraph::new(graph.graph(), nodes);
        CrowdRule::of(section, k.map(|&k| k.into()), || CountingShare::ALL).is_dense()
    };
    let sections = graph.sections().iter().map(|section| section.nodes.clone());
    sections.filter(is_dense).collect()
}

impl Scheme for MeshCloak {
    fn name(&self) -> &'static str {
        "meshcloak"
    }

    fn describe(&self) -> Description {
        let (label, summary) = self.settings.label_and_summary();
        Description {
            label,
            summary,
            setting: "map",
            cliques: match self.settings.guarantee {
                Guarantee::Paper => "batch, largest of each by branch and bound",
                _ => "batch, disjoint groups of all maximal ones",
            },
            constraint: "v × Δt along streets",
            pace: Pace::Batch,
            regions: self.settings.region.dependence(),
        }
    }

    fn history_horizon(&self) -> Option<Horizon> {
        (self.settings.guarantee == Guarantee::History).then_some(self.settings.horizon)
    }

    fn remembers(&self) -> bool {
        false
    }

    fn promise(&self) -> Option<Promise> {
        let Settings { guarantee, history_clock, coverage, .. } = self.settings;
        let Settings { across_accounts, presence, .. } = self.settings;
        (guarantee != Guarantee::Paper).then(|| Promise {
            guarantee,
            history_clock,
            coverage,
            across_accounts,
            presence,
            cells: self.cells.clone(),
            atlas: Arc::clone(&self.atlas),
        })
    }

    fn cloak(&mut self, state: &State, now: Time, observer: &mut dyn Observer) -> &mut Published {
        match self.settings.guarantee {
            Guarantee::Paper => self.cloak_cliques(&state.waiting, observer),
            Guarantee::Reciprocal | Guarantee::History => self.cloak_groups(state, now, observer),
        }
        &mut self.published
    }
}

/// Selection of the cliques that become sets.
#[derive(Clone, Debug, Default)]
struct Sets {
    /// Nodes that are served.
    nodes: Vec<u32>,
    /// Set of each clique.
    set_of: Vec<u32>,
    /// Set of each waiting query.
    serves: Vec<Option<u32>>,
    /// Clique of each set.
    cliques: Vec<u32>,
}

impl Sets {
    /// Serves each query whose largest clique has at least `k` members (line 14), and collects
    /// these cliques.
    ///
    /// Branchless compaction: every candidate is stored, the length advances only for served nodes
    /// and new sets. Whether a node is served is unpredictable.
    fn choose(
        &mut self,
        waiting: &[Query],
        graph: &GraphBuilder,
        largest: &CliqueAssignment,
        published: &mut Published,
    ) {
        let waiting_index = graph.waiting_indices();
        self.nodes.resize(waiting_index.len(), 0);
        let mut served = 0;
        for node in 0..waiting_index.len() as u32 {
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
            let clique = largest.clique_of(node);
            let set = &mut self.set_of[clique as usize];
            self.cliques[sets as usize] = clique;
            let number = (*set).min(sets);
            sets += u32::from(*set == NONE);
            *set = number;
            self.serves[waiting_index[node as usize] as usize] = Some(number);
        }
        self.cliques.truncate(sets as usize);
        published.serve_all(&self.serves);
    }
}
