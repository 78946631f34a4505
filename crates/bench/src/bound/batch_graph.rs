//! Constraint graph of one batch in which nothing was ever served.

use super::depends_on_what_left;
use meshcloak::constraint_graph::{ConstraintGraph, GraphBuilder};
use meshcloak::grouping::{CountingRule, Demands, Grouping, Role};
use meshcloak::guarantee::{Guarantee, max_travel};
use meshcloak::guard::Promise;
use meshcloak::history::PastPosition;
use meshcloak::query::Query;
use meshcloak::scheme::State;
use meshcloak::units::Time;
use std::sync::OnceLock;

/// Constraint graph of one batch with symmetric adjacency.
pub(super) struct BatchGraph<'a> {
    promise: &'a Promise,
    state: &'a State,
    now: Time,
    graph: &'a GraphBuilder,
    /// Neighbours of each node, ascending.
    neighbours: Vec<Vec<u32>>,
    /// For each node, by its previous position, which neighbours count, and last whether it counts for
    /// itself. Computed on demand.
    counting: Vec<OnceLock<Vec<bool>>>,
}

/// Steps of the two searches of a query. The second is made if the first is truncated without a set:
/// where users are dense, the first finds one.
const BUDGETS: [u32; 2] = [200, 20_000];

impl<'a> BatchGraph<'a> {
    /// Builds the graph of all waiting queries.
    pub(super) fn new(
        graph: &'a mut GraphBuilder,
        promise: &'a Promise,
        state: &'a State,
        now: Time,
    ) -> BatchGraph<'a> {
        let Promise { atlas, coverage, cells, .. } = promise;
        match cells {
            None => graph.build(atlas, *coverage, &state.waiting),
            Some(cells) => graph.build_in_cells(atlas, *coverage, cells, &state.waiting),
        };
        let mut neighbours = vec![Vec::new(); state.waiting.len()];
        for node in 0..state.waiting.len() as u32 {
            for &later in graph.graph().later(node) {
                neighbours[node as usize].push(later);
                neighbours[later as usize].push(node);
            }
        }
        neighbours.iter_mut().for_each(|row| row.sort_unstable());
        let counting = neighbours.iter().map(|_| OnceLock::new()).collect();
        BatchGraph { promise, state, now, graph, neighbours, counting }
    }

    pub(super) fn nodes(&self) -> std::ops::Range<u32> {
        0..self.state.waiting.len() as u32
    }

    pub(super) fn query(&self, node: u32) -> &'a Query {
        &self.state.waiting[self.graph.waiting_indices()[node as usize] as usize]
    }

    /// Returns whether a node is in a set that keeps the promise; `None` if that is unknown. With the
    /// clock `published`, `past` is the query of the same user that left last.
    pub(super) fn has_set(
        &self,
        grouping: &mut Grouping,
        node: u32,
        past: Option<&Query>,
    ) -> Option<bool> {
        if self.graph.truncated() {
            return None;
        }
        // Every set of the node lies in its neighbourhood. It is the only root of the search.
        let row = &self.neighbours[node as usize];
        let nodes: Vec<u32> = std::iter::once(node).chain(row.iter().copied()).collect();
        let is_adjacent = |a: u32, b: u32| {
            let row = &self.neighbours[nodes[a as usize] as usize];
            row.binary_search(&nodes[b as usize]).is_ok()
        };
        let graph = ConstraintGraph::from_fn(nodes.len() as u32, is_adjacent);
        let k: Vec<u32> = nodes.iter().map(|&node| self.query(node).k).collect();
        let mut roles = vec![Role::present(true, true); nodes.len()];
        roles[0] = Role::ASKING;
        let demands = Demands { k: &k, worth: &[], roles: &roles };
        for budget in BUDGETS {
            let mut rules: Vec<CountingRule<'_>> = Vec::new();
            if depends_on_what_left(self.promise) {
                rules.extend(past.map(|past| self.rule_of_past(&nodes, past)));
            } else if self.promise.guarantee == Guarantee::History {
                rules.push(self.rule_of_all(&nodes));
            }
            grouping.survey(&graph, demands, &mut rules, budget);
            if grouping.could_be_grouped(0) {
                return Some(true);
            }
            if !grouping.truncated() {
                return Some(false);
            }
        }
        None
    }

    /// Returns the rule by which the previous position of the first of `nodes` is that of `past`, and
    /// the others have none.
    fn rule_of_past<'r>(&'r self, nodes: &'r [u32], past: &'r Query) -> CountingRule<'r> {
        let past = PastPosition { at: past.asked_at, position: past.position, travelled: None };
        let is_reachable = move |node: u32| {
            self.is_reachable(self.query(nodes[0]), past, self.query(nodes[node as usize]))
        };
        Box::new(move |node: u32, neighbours: &[u32], counts: &mut [bool]| {
            if node == 0 {
                for (counts, &other) in counts.iter_mut().zip(neighbours) {
                    *counts = is_reachable(other);
                }
            }
            node != 0 || is_reachable(0)
        })
    }

    /// Returns the rule by which all have the previous positions of the state.
    fn rule_of_all<'r>(&'r self, nodes: &'r [u32]) -> CountingRule<'r> {
        Box::new(move |node: u32, neighbours: &[u32], counts: &mut [bool]| {
            let node = nodes[node as usize];
            let (row, counting) = (&self.neighbours[node as usize], self.counting(node));
            for (counts, &other) in counts.iter_mut().zip(neighbours) {
                let index = row.binary_search(&nodes[other as usize]);
                *counts = index.is_ok_and(|index| counting[index]);
            }
            counting[row.len()]
        })
    }

    fn counting(&self, node: u32) -> &[bool] {
        self.counting[node as usize].get_or_init(|| {
            let query = self.query(node);
            let previous = self.state.history.previous(query.id);
            let others = self.neighbours[node as usize].iter().chain([&node]);
            let counts = |&other: &u32| {
                previous.is_none_or(|past| self.is_reachable(query, past, self.query(other)))
            };
            others.map(counts).collect()
        })
    }

    /// Returns whether the user of a query can have come from a past position to that of `to`.
    /// Distances beyond the atlas count as reachable.
    fn is_reachable(&self, query: &Query, past: PastPosition, to: &Query) -> bool {
        let Promise { atlas, history_clock, .. } = self.promise;
        let limit = max_travel(query, past, history_clock.until(query, self.now));
        let length = atlas.distance(past.position, to.position);
        length.map_or(limit > atlas.dc_max(), |length| length <= limit)
    }
}
