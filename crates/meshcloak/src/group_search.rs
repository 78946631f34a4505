//! Search for the groups of every section of a constraint graph.
//!
//! ```text
//! one section     the whole graph: one worker, whose stages use all threads
//! many sections   one per cell (docs/SPEC.md §7, `cell`): sections are independent, so workers take
//!                 runs of them, one thread each
//! ```
//!
//! Each section has its own budgets, and a worker keeps nothing from one section to the next: the
//! groups of a section are a function of the queries in it.

use crate::accounts::AccountId;
use crate::constraint_graph::{ConstraintGraph, Section, Subgraph};
use crate::distance::{Atlas, ReachedTerminals};
use crate::group_table::GroupTable;
use crate::grouping::reachability::{Destination, Origin, Reachability};
use crate::grouping::{CountingRule, Demands, Grouping};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Scratch buffers and result of the search.
#[derive(Debug, Default)]
pub(crate) struct GroupSearch {
    workers: Vec<Worker>,
    found: GroupTable,
    effort: Effort,
}

/// Work of a search.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    /// Candidate cliques.
    pub(crate) cliques: usize,
    /// Steps of clique searches and local searches.
    pub(crate) steps: u64,
    /// Whether a budget was spent.
    pub(crate) truncated: bool,
}

/// Input of a search; slices are by node.
#[derive(Clone, Copy)]
pub(crate) struct SearchTask<'a> {
    pub(crate) atlas: &'a Atlas,
    pub(crate) graph: &'a ConstraintGraph,
    pub(crate) sections: &'a [Section],
    pub(crate) demands: Demands<'a>,
    /// Number of neighbours.
    pub(crate) degree: &'a [u32],
    /// Positions, if the past limits which members count.
    pub(crate) past: Option<Past<'a>>,
    /// Whether present nodes do not count for all others ([`Role`](crate::grouping::Role)).
    pub(crate) is_limited: bool,
    /// Accounts, if every k is met without the members of any one other account.
    pub(crate) accounts: Option<&'a [AccountId]>,
    pub(crate) budget: Budget,
    /// Whether [`GroupTable::is_open`] is needed.
    pub(crate) needs_open: bool,
}

/// Present and previous position of the user of each node, and the result of its search.
#[derive(Clone, Copy)]
pub(crate) struct Past<'a> {
    pub(crate) destinations: &'a [Destination],
    pub(crate) origins: &'a [Option<Origin>],
    pub(crate) searched: &'a [Option<Arc<ReachedTerminals>>],
}

/// Limits of the searches in one section, in steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// Steps of each clique search.
    pub(crate) cliques: u32,
    /// Steps of each clique search in a truncated section.
    pub(crate) dense: u32,
    /// Whether groups in crowds are as large as needed.
    pub(crate) crowds: bool,
}

/// Number of runs of sections, the unit of work of a thread.
const RUNS: usize = 16;

impl GroupSearch {
    /// Finds the groups of all sections.
    pub(crate) fn run(&mut self, task: SearchTask<'_>) {
        let GroupSearch { workers, found, effort } = self;
        let threads = rayon::current_num_threads();
        let is_whole = task.sections.len() == 1;
        let runs = if is_whole || threads == 1 { 1 } else { RUNS };
        if runs > workers.len() {
            workers.resize_with(runs, Worker::default);
        }
        let used = &mut workers[..runs];
        if let [worker] = used {
            worker.run(task, task.sections, if is_whole { threads } else { 1 });
        } else {
            let nodes = task.graph.len() as u32;
            let start = |run: usize| {
                let first = (u64::from(nodes) * run as u64 / RUNS as u64) as u32;
                task.sections.partition_point(|section| section.nodes.start < first)
            };
            used.par_iter_mut().enumerate().for_each(|(run, worker)| {
                let end = if run + 1 == RUNS { task.sections.len() } else { start(run + 1) };
                worker.run(task, &task.sections[start(run)..end], 1);
            });
        }
        found.clear();
        *effort = Effort::default();
        for worker in used {
            found.append(&worker.found);
            effort.add(worker.effort);
        }
    }

    /// Returns the groups.
    pub(crate) fn found(&self) -> &GroupTable {
        &self.found
    }

    /// Returns the work of the last search.
    pub(crate) fn effort(&self) -> Effort {
        self.effort
    }
}

impl Effort {
    fn add(&mut self, other: Effort) {
        self.cliques += other.cliques;
        self.steps += other.steps;
        self.truncated |= other.truncated;
    }
}

/// Searches one section after the other with reused buffers.
#[derive(Debug, Default)]
struct Worker {
    grouping: Grouping,
    /// One per thread.
    reachability: Vec<Reachability>,
    found: GroupTable,
    effort: Effort,
}

impl Worker {
    fn run(&mut self, task: SearchTask<'_>, sections: &[Section], threads: usize) {
        self.found.clear();
        self.effort = Effort::default();
        self.reachability.resize_with(threads, Reachability::default);
        self.grouping.set_sequential(threads == 1);
        sections.iter().for_each(|section| self.search(task, section));
    }

    fn search(&mut self, task: SearchTask<'_>, section: &Section) {
        let Worker { grouping, reachability, found, effort } = self;
        let range = section.nodes.start as usize..section.nodes.end as usize;
        let demands = task.demands.of(&range);
        let mut rules: Vec<CountingRule<'_>> = Vec::new();
        if let Some(past) = task.past {
            let past = past.of(&range);
            rules.extend(reachability.iter_mut().map(|reachability| {
                Box::new(past.rule(task.atlas, reachability)) as CountingRule<'_>
            }));
        } else if task.is_limited {
            // Everyone can be anywhere; the roles decide who counts.
            rules
                .extend(reachability.iter().map(|_| Box::new(|_, _: &[_], _: &mut [_]| true) as _));
        }
        // The rule of accounts reads the rows of a restricted relation, which crowds do not have.
        let Budget { cliques, dense, crowds } = task.budget;
        grouping.set_ignores_crowds(!crowds || task.accounts.is_some() && !rules.is_empty());
        let budget = if section.truncated { cliques.min(dense) } else { cliques };
        let graph = Subgraph::new(task.graph, &section.nodes);
        let graph = graph.with_degrees(&task.degree[range.clone()]);
        grouping.find(graph, demands, &mut rules, budget);
        if let Some(accounts) = task.accounts {
            grouping.require_across_accounts(demands, &accounts[range.clone()]);
        }
        let first = found.add_nodes(range.len());
        for group in 0..grouping.groups().len() as u32 {
            let members = grouping.group(group);
            if members.is_empty() {
                continue;
            }
            found.add_group(members.iter().map(|member| first + member));
            if task.needs_open {
                found.set_open(grouping.has_free_neighbour(group));
            }
        }
        effort.cliques += grouping.clique_count();
        effort.steps += grouping.steps();
        effort.truncated |= grouping.truncated() || section.truncated;
    }
}

impl<'a> Past<'a> {
    /// Returns the positions of some nodes.
    fn of(self, nodes: &Range<usize>) -> Past<'a> {
        Past {
            destinations: &self.destinations[nodes.clone()],
            origins: &self.origins[nodes.clone()],
            searched: &self.searched[nodes.clone()],
        }
    }

    /// Returns the counting rule of `history`: a neighbour counts for a node if its position is
    /// reachable from the node's previous position in time.
    fn rule(
        self,
        atlas: &'a Atlas,
        reachability: &'a mut Reachability,
    ) -> impl FnMut(u32, &[u32], &mut [bool]) -> bool {
        let Past { destinations, origins, searched } = self;
        move |node, neighbours, counts| {
            let Some(origin) = origins[node as usize] else { return true };
            let searched = searched[node as usize].as_deref();
            let reachable = reachability.reachable_from(atlas, origin, searched);
            for (&other, counts) in neighbours.iter().zip(counts) {
                *counts = reachable.contains(destinations[other as usize]);
            }
            reachable.contains(destinations[node as usize])
        }
    }
}
