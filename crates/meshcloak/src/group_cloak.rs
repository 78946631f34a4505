//! Proposal of disjoint sets for `reciprocal` and `history`.
//!
//! 1. Weigh each query: the lower its probability of being served later, the higher its worth. With
//!    region `cell` the probability is a fixed function of the query and its neighbours.
//! 2. Under `history`, locate each user's previous position: it limits which members count.
//! 3. Find disjoint groups of large total worth ([`crate::grouping`]).
//! 4. Defer groups if [`Hold`] allows it; propose the others with one region each.

use crate::accounts::AccountId;
use crate::constraint_graph::GraphBuilder;
use crate::distance::{Atlas, ReachTask};
use crate::group_demands::{DemandInput, NodeDemands};
use crate::group_search::{Budget, GroupSearch, Past, SearchTask};
use crate::grouping::reach_schedule::{ReachLimits, ReachSchedule, TightQuery};
use crate::grouping::reachability::{Destination, Origin};
use crate::guarantee::{Guarantee, HistoryClock, max_travel};
use crate::presence::PresenceRule;
use crate::query::Query;
use crate::region_builder::SetPublisher;
use crate::scheme::{Observer, Published, Stage, State, Stats};
use crate::units::Time;
use std::time::Duration;

/// Scratch buffers, kept from one batch to the next.
#[derive(Debug, Default)]
pub(crate) struct GroupCloak {
    search: GroupSearch,
    nodes: NodeDemands,
    /// Set of each group, [`NONE`] or [`DEFERRED`].
    set_of: Vec<u32>,
    /// Group of each set.
    sets: Vec<u32>,
    /// Position of each node.
    destinations: Vec<Destination>,
    /// Previous position of each node.
    origins: Vec<Option<Origin>>,
    /// Searches of this batch.
    searches: ReachSchedule,
}

/// Input of one batch.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) atlas: &'a Atlas,
    pub(crate) guarantee: Guarantee,
    pub(crate) history_clock: HistoryClock,
    pub(crate) budget: Budget,
    pub(crate) reach: ReachLimits,
    pub(crate) hold: Option<Hold>,
    pub(crate) across_accounts: bool,
    pub(crate) presence: PresenceRule,
    pub(crate) graph: &'a GraphBuilder,
    pub(crate) state: &'a State,
    /// Whether sets lie in one cell, whose queries alone may have an effect.
    pub(crate) is_in_cells: bool,
    pub(crate) now: Time,
}

impl<'a> Task<'a> {
    fn demand_input(&self) -> DemandInput<'a> {
        let Task { graph, state, presence, is_in_cells, now, .. } = *self;
        DemandInput { graph, state, presence, is_in_cells, now }
    }

    fn query(&self, node: u32) -> &'a Query {
        &self.state.waiting[self.graph.waiting_indices()[node as usize] as usize]
    }
}

/// Rule for deferring sets, so that their members can complete sets of later queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    /// A query that could be served is deferred at most this long after it was asked.
    pub max_wait: Duration,
    /// A query is not deferred if its tolerance ends within this time: it could miss the next batch.
    pub margin: Duration,
}

impl Hold {
    /// Whether a query can be deferred to the next batch.
    fn can_defer(self, query: &Query, now: Time) -> bool {
        let end = query.asked_at + query.temporal_tolerance;
        now - query.asked_at < self.max_wait && now + self.margin <= end
    }
}

const NONE: u32 = u32::MAX;
const DEFERRED: u32 = u32::MAX - 1;

impl GroupCloak {
    /// Proposes disjoint groups of the queries in the graph.
    pub(crate) fn publish(
        &mut self,
        task: Task<'_>,
        observer: &mut dyn Observer,
        meshes: &mut SetPublisher,
        published: &mut Published,
    ) {
        observer.stage(Stage::Cliques);
        published.clear();
        self.nodes.load(task.demand_input(), &mut published.classes);
        let history = task.guarantee == Guarantee::History;
        self.searches.clear(self.nodes.node_of.len());
        if history {
            self.locate(task);
            self.search_tight(task, published);
        }
        self.group(task, history);
        observer.stage(Stage::Mesh);
        let reach_steps = published.reached.iter().map(|(_, found)| u64::from(found.steps()));
        let effort = self.search.effort();
        published.stats = Stats {
            nodes: task.graph.graph().len(),
            edges: task.graph.graph().edge_count(),
            cliques: effort.cliques,
            steps: effort.steps,
            reach_steps: reach_steps.sum(),
            truncated: effort.truncated || self.searches.is_undecided(),
            ..Stats::default()
        };
        self.choose(task, published);
        meshes.publish(&self.sets, published, |&group| {
            let nodes = self.search.found().members(group).iter();
            let graph = task.graph;
            nodes.map(|&node| graph.member(node))
        });
    }

    /// Serves every query in a group that is not deferred, and collects these groups.
    fn choose(&mut self, task: Task<'_>, published: &mut Published) {
        self.sets.clear();
        self.set_of.clear();
        let groups = self.search.found();
        self.set_of.resize(groups.len(), NONE);
        for group in self.searches.deferred_groups(task.reach, |node| groups.group_of(node)) {
            self.set_of[group as usize] = DEFERRED;
            published.stats.truncated = true;
        }
        for (index, &node) in self.nodes.node_of.iter().enumerate() {
            let Some(group) = groups.group_of(node) else { continue };
            let set = &mut self.set_of[group as usize];
            if *set == NONE {
                let members = groups.members(group);
                let can_defer = |hold: Hold| {
                    members.iter().all(|&node| hold.can_defer(task.query(node), task.now))
                };
                if task.hold.is_some_and(can_defer) && groups.is_open(group) {
                    *set = DEFERRED;
                    published.stats.held += 1;
                } else {
                    *set = self.sets.len() as u32;
                    self.sets.push(group);
                }
            }
            if *set != DEFERRED {
                published.serve(index as u32, *set);
            }
        }
    }

    /// Sets the current and previous position of each node.
    fn locate(&mut self, task: Task<'_>) {
        self.destinations.resize(self.nodes.node_of.len(), Destination::PLACEHOLDER);
        self.origins.resize(self.nodes.node_of.len(), None);
        let queries = task.state.waiting.iter().zip(&self.nodes.node_of);
        for (index, (query, &node)) in queries.enumerate() {
            let previous = task.state.history.previous_at(index, query.id);
            self.origins[node as usize] = previous.map(|previous| Origin {
                position: previous.position,
                limit: max_travel(query, previous, task.history_clock.until(query, task.now)),
                neighbours_within: previous
                    .travelled
                    .map(|travelled| travelled + query.distance_constraint),
            });
            self.destinations[node as usize] = Destination::of(task.atlas.map(), query.position);
        }
    }

    /// Searches for what tight queries can have reached. Nodes with too few neighbours are pruned
    /// before.
    fn search_tight(&mut self, task: Task<'_>, published: &mut Published) {
        let queries = task.state.waiting.iter().zip(&self.nodes.node_of);
        for (index, (query, &node)) in queries.enumerate() {
            let at = node as usize;
            let tight = self.origins[at].filter(|origin| origin.is_tight(task.atlas));
            let Some(origin) = tight.filter(|_| self.nodes.degree[at] + 1 >= self.nodes.k[at])
            else {
                continue;
            };
            let Some(previous) = task.state.history.previous_at(index, query.id) else { continue };
            // The result stays valid while the query waits: the search has the last limit.
            let last = task.now.max(query.asked_at + query.temporal_tolerance);
            let reach = ReachTask {
                from: origin.position,
                around: query.position,
                distance_constraint: query.distance_constraint,
                limit: max_travel(query, previous, task.history_clock.until(query, last)),
            };
            let account = task.state.accounts.of(query.id);
            let tight = TightQuery { node, query: query.id, account, task: reach };
            self.searches.add(tight, task.state.history.reached(query.id));
        }
        published.reached = self.searches.search(task.atlas, task.graph.sections(), task.reach);
    }

    /// Finds the groups.
    fn group(&mut self, task: Task<'_>, history: bool) {
        let accounts: Option<Vec<AccountId>> = task.across_accounts.then(|| {
            let nodes = 0..task.graph.graph().len() as u32;
            nodes.map(|node| task.state.accounts.of(task.query(node).id)).collect()
        });
        let GroupCloak { search, nodes, destinations, origins, searches, .. } = self;
        let searched = searches.searched();
        search.run(SearchTask {
            atlas: task.atlas,
            graph: task.graph.graph(),
            sections: task.graph.sections(),
            demands: nodes.demands(),
            degree: &nodes.degree,
            is_limited: nodes.has_present() && task.presence.is_limited(),
            past: history.then_some(Past { destinations, origins, searched }),
            accounts: accounts.as_deref(),
            budget: task.budget,
            needs_open: task.hold.is_some(),
        });
    }
}
