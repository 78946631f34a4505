//! k, worth, role and number of neighbours of each node of a constraint graph.
//!
//! The worth of serving a query now falls with its probability of being served later, which depends on
//! the class of the query ([`QueryClass`]) or, with region `cell`, is a fixed function. Queries of a
//! class have the same worth, which is computed once per batch: a batch has many times as many queries
//! as classes.

use crate::constraint_graph::GraphBuilder;
use crate::grouping::{Demands, FULL_WORTH, Role};
use crate::presence::PresenceRule;
use crate::scheme::State;
use crate::service_odds::{QueryClass, fixed_probability};
use crate::stamps::Stamps;
use crate::units::Time;

/// Scratch buffers, kept from one batch to the next.
#[derive(Debug, Default)]
pub(crate) struct NodeDemands {
    pub(crate) k: Vec<u32>,
    worth: Vec<u32>,
    /// Number of neighbours.
    pub(crate) degree: Vec<u32>,
    /// Role of each node; empty if all ask.
    roles: Vec<Role>,
    /// Node of each waiting query.
    pub(crate) node_of: Vec<u32>,
    /// Worth of each class of this batch.
    class_worth: Stamps<u32>,
}

/// Input of one batch.
#[derive(Clone, Copy)]
pub(crate) struct DemandInput<'a> {
    pub(crate) graph: &'a GraphBuilder,
    pub(crate) state: &'a State,
    pub(crate) presence: PresenceRule,
    /// Whether sets lie in one cell, whose queries alone may have an effect.
    pub(crate) is_in_cells: bool,
    pub(crate) now: Time,
}

/// Worth of a present query: sets are chosen by the queries that ask, but a present query is added to
/// a set if it can be (docs/SPEC.md §6, "Maximal").
const PRESENT_WORTH: u32 = 1;

/// Factor on the probability of being served later. It exceeds 1 because a waiting query also
/// helps others to reach their `k`. Measured: docs/EVALUATION.md, "Weights".
const WAITING_VALUE: f64 = 1.2;

/// Returns the worth of serving a query now that is served later with this probability.
fn worth_of(probability: f64) -> u32 {
    let loss = 1.0 - WAITING_VALUE * probability;
    1 + (loss.max(0.0) * f64::from(FULL_WORTH)) as u32
}

impl NodeDemands {
    /// Loads the nodes of a batch. `classes` receives the class of each waiting query unless sets lie
    /// in one cell.
    pub(crate) fn load(&mut self, input: DemandInput<'_>, classes: &mut Vec<QueryClass>) {
        self.count_neighbours(input.graph);
        self.weigh(input, classes);
        self.assign_roles(input);
    }

    /// Returns the demands of all nodes.
    pub(crate) fn demands(&self) -> Demands<'_> {
        Demands { k: &self.k, worth: &self.worth, roles: &self.roles }
    }

    /// Returns whether a query does not ask.
    pub(crate) fn has_present(&self) -> bool {
        !self.roles.is_empty()
    }

    fn count_neighbours(&mut self, graph: &GraphBuilder) {
        let edges = graph.graph();
        self.degree.clear();
        self.degree.resize(edges.len(), 0);
        for node in 0..edges.len() as u32 {
            self.degree[node as usize] += edges.later(node).len() as u32;
            for &later in edges.later(node) {
                self.degree[later as usize] += 1;
            }
        }
        self.node_of.resize(edges.len(), 0);
        for (node, &index) in (0..).zip(graph.waiting_indices()) {
            self.node_of[index as usize] = node;
        }
    }

    /// Sets `k` and `worth`.
    fn weigh(&mut self, input: DemandInput<'_>, classes: &mut Vec<QueryClass>) {
        self.k.resize(self.node_of.len(), 0);
        self.worth.resize(self.node_of.len(), 0);
        self.class_worth.clear(QueryClass::COUNT);
        classes.clear();
        let NodeDemands { k, worth, degree, node_of, class_worth, .. } = self;
        // In waiting-list order: more is read from the list than is written by node.
        for (query, &node) in input.state.waiting.iter().zip(&*node_of) {
            let node = node as usize;
            k[node] = query.k;
            let remaining = (query.asked_at + query.temporal_tolerance) - input.now;
            worth[node] = if input.is_in_cells {
                match query.asks {
                    true => worth_of(fixed_probability(query.k, remaining, degree[node])),
                    false => PRESENT_WORTH,
                }
            } else if query.asks {
                let class = QueryClass::of(query, remaining, degree[node]);
                classes.push(class);
                class_worth.get(class.index()).unwrap_or_else(|| {
                    let worth = worth_of(input.state.odds.probability(class));
                    class_worth.insert(class.index(), worth);
                    worth
                })
            } else {
                classes.push(QueryClass::default());
                PRESENT_WORTH
            };
        }
    }

    fn assign_roles(&mut self, input: DemandInput<'_>) {
        self.roles.clear();
        let waiting = &input.state.waiting;
        if waiting.iter().all(|query| query.asks) {
            return;
        }
        let PresenceRule { counts, max_age } = input.presence;
        self.roles.resize(self.node_of.len(), Role::ASKING);
        for (query, &node) in waiting.iter().zip(&self.node_of).filter(|(query, _)| !query.asks) {
            let is_young = max_age.is_none_or(|max_age| input.now - query.asked_at <= max_age);
            self.roles[node as usize] = Role::present(counts && is_young, counts);
        }
    }
}
