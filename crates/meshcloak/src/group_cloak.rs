//! Proposal of disjoint sets for `reciprocal` and `history`.
//!
//! 1. Weigh each query: the lower its probability of being served later, the higher its worth.
//! 2. Under `history`, locate each user's previous position: it limits which members count.
//! 3. Find disjoint groups of large total worth ([`crate::grouping`]).
//! 4. Defer groups if [`Hold`] allows it; propose the others with one region each.

use crate::constraint_graph::GraphBuilder;
use crate::distance::Atlas;
use crate::grouping::reachability::{
    Destination, Origin, ReachEffort, Reachability, steps_per_origin,
};
use crate::grouping::{CountingRule, Demands, FULL_WORTH, Grouping};
use crate::guarantee::{Guarantee, max_travel};
use crate::query::Query;
use crate::region_builder::SetPublisher;
use crate::scheme::{Observer, Published, Stage, State, Stats};
use crate::service_odds::QueryClass;
use crate::units::Time;
use std::time::Duration;

/// Scratch buffers, kept from one batch to the next.
#[derive(Debug, Default)]
pub(crate) struct GroupCloak {
    grouping: Grouping,
    /// One per thread.
    reachability: Vec<Reachability>,
    /// By node: k, worth of serving it now, number of neighbours.
    k: Vec<u32>,
    worth: Vec<u32>,
    degree: Vec<u32>,
    /// Node of each waiting query.
    node_of: Vec<u32>,
    /// Set of each group, [`NONE`] or [`DEFERRED`].
    set_of: Vec<u32>,
    /// Group of each set.
    sets: Vec<u32>,
    /// Position of each node.
    destinations: Vec<Destination>,
    /// Previous position of each node.
    origins: Vec<Option<Origin>>,
}

/// Input of one batch.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) atlas: &'a Atlas,
    pub(crate) guarantee: Guarantee,
    pub(crate) budget: u32,
    pub(crate) hold: Option<Hold>,
    pub(crate) across_accounts: bool,
    pub(crate) graph: &'a GraphBuilder,
    pub(crate) state: &'a State,
    pub(crate) now: Time,
}

impl<'a> Task<'a> {
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

/// Factor on the probability of being served later. It exceeds 1 because a waiting query also
/// helps others to reach their `k`. Measured: docs/EVALUATION.md, "Weights".
const WAITING_VALUE: f64 = 1.2;

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
        self.weigh(task, published);
        self.group(task);
        observer.stage(Stage::Mesh);
        let mut reach = ReachEffort::default();
        for effort in self.reachability.iter_mut().map(Reachability::take_effort) {
            reach.steps += effort.steps;
            reach.truncated |= effort.truncated;
        }
        published.stats = Stats {
            nodes: task.graph.graph().len(),
            edges: task.graph.graph().edge_count(),
            cliques: self.grouping.clique_count(),
            steps: self.grouping.steps(),
            reach_steps: reach.steps,
            truncated: self.grouping.truncated() || task.graph.truncated() || reach.truncated,
            ..Stats::default()
        };
        self.choose(task, published);
        meshes.publish(&self.sets, published, |&group| {
            let nodes = self.grouping.group(group).iter();
            let graph = task.graph;
            nodes.map(|&node| graph.member(node))
        });
    }

    /// Serves every query in a group that is not deferred, and collects these groups.
    fn choose(&mut self, task: Task<'_>, published: &mut Published) {
        self.sets.clear();
        self.set_of.clear();
        self.set_of.resize(self.grouping.groups().len(), NONE);
        for (index, &node) in self.node_of.iter().enumerate() {
            let Some(group) = self.grouping.group_of(node) else { continue };
            let set = &mut self.set_of[group as usize];
            if *set == NONE {
                let members = self.grouping.group(group);
                let can_defer = |hold: Hold| {
                    members.iter().all(|&node| hold.can_defer(task.query(node), task.now))
                };
                if task.hold.is_some_and(can_defer) && self.grouping.has_free_neighbour(group) {
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

    /// Computes `k` and worth of each node, and the class of each waiting query.
    fn weigh(&mut self, task: Task<'_>, published: &mut Published) {
        let edges = task.graph.graph();
        self.degree.clear();
        self.degree.resize(edges.len(), 0);
        for node in 0..edges.len() as u32 {
            self.degree[node as usize] += edges.later(node).len() as u32;
            for &later in edges.later(node) {
                self.degree[later as usize] += 1;
            }
        }
        self.node_of.resize(edges.len(), 0);
        for (node, &index) in (0..).zip(task.graph.waiting_indices()) {
            self.node_of[index as usize] = node;
        }
        self.k.resize(edges.len(), 0);
        self.worth.resize(edges.len(), 0);
        published.classes.clear();
        // In waiting-list order: more is read from the list than is written by node.
        for (query, &node) in task.state.waiting.iter().zip(&self.node_of) {
            let node = node as usize;
            let remaining = (query.asked_at + query.temporal_tolerance) - task.now;
            let class = QueryClass::of(query, remaining, self.degree[node]);
            let loss = 1.0 - WAITING_VALUE * task.state.odds.probability(class);
            self.k[node] = query.k;
            self.worth[node] = 1 + (loss.max(0.0) * f64::from(FULL_WORTH)) as u32;
            published.classes.push(class);
        }
    }

    /// Sets the current and previous position of each node.
    fn locate(&mut self, task: Task<'_>) {
        self.destinations.resize(self.node_of.len(), Destination::PLACEHOLDER);
        self.origins.resize(self.node_of.len(), None);
        for (query, &node) in task.state.waiting.iter().zip(&self.node_of) {
            let previous = task.state.history.previous(query.id);
            self.origins[node as usize] = previous.map(|previous| Origin {
                position: previous.position,
                limit: max_travel(query, previous),
                neighbours_within: previous
                    .travelled
                    .map(|travelled| travelled + query.distance_constraint),
            });
            self.destinations[node as usize] = Destination::of(task.atlas.map(), query.position);
        }
    }

    /// Number of nodes whose reachable neighbours must be searched for. Nodes with too few
    /// neighbours are pruned before.
    fn search_count(&self, atlas: &Atlas) -> usize {
        let can_be_met = |node: usize| self.degree[node] + 1 >= self.k[node];
        let origins = self.origins.iter().enumerate();
        let needs_search = |origin: &Origin| origin.needs_search(atlas);
        origins
            .filter(|(node, o)| o.as_ref().is_some_and(needs_search) && can_be_met(*node))
            .count()
    }

    /// Finds the groups.
    fn group(&mut self, task: Task<'_>) {
        let history = task.guarantee == Guarantee::History;
        let mut max_steps = 0;
        if history {
            self.locate(task);
            max_steps = steps_per_origin(self.search_count(task.atlas));
        }
        let GroupCloak { grouping, reachability, k, worth, destinations, origins, .. } = self;
        let threads = if history { rayon::current_num_threads() } else { 0 };
        reachability.resize_with(threads, Reachability::default);
        reachability.iter_mut().for_each(|reachability| reachability.set_max_steps(max_steps));
        let (destinations, origins) = (&destinations[..], &origins[..]);
        let rule = |reachability| {
            let rule = reachability_rule(task.atlas, reachability, destinations, origins);
            Box::new(rule) as CountingRule<'_>
        };
        let mut rules: Vec<CountingRule<'_>> = reachability.iter_mut().map(rule).collect();
        let demands = Demands { k, worth };
        grouping.find(task.graph.graph(), demands, &mut rules, task.budget);
        if task.across_accounts {
            let nodes = 0..task.graph.graph().len() as u32;
            let of = |node| task.state.accounts.of(task.query(node).id);
            grouping.require_across_accounts(demands, &nodes.map(of).collect::<Vec<_>>());
        }
    }
}

/// Returns the counting rule of `history`: a neighbour counts for a node if its position is
/// reachable from the node's previous position in time.
fn reachability_rule<'a>(
    atlas: &'a Atlas,
    reachability: &'a mut Reachability,
    destinations: &'a [Destination],
    origins: &'a [Option<Origin>],
) -> impl FnMut(u32, &[u32], &mut [bool]) -> bool {
    move |node, neighbours, counts| {
        let Some(origin) = origins[node as usize] else { return true };
        let others = neighbours.iter().chain([&node]);
        let others = others.map(|&other| destinations[other as usize].position);
        let reachable = reachability.reachable_from(atlas, origin, &others);
        for (&other, counts) in neighbours.iter().zip(counts) {
            *counts = reachable.contains(destinations[other as usize]);
        }
        reachable.contains(destinations[node as usize])
    }
}
