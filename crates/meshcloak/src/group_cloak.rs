//! From groups to what is published: what it is worth to serve whom now, who can have come from
//! where somebody was before, and one region for each group.

use crate::constraint_graph::GraphBuilder;
use crate::distance::Atlas;
use crate::grouping::past::{Before, Past, Whereabouts};
use crate::grouping::{FULL_WORTH, Grouping, WhoCounts};
use crate::guarantee::{Guarantee, max_travel};
use crate::query::Query;
use crate::region_builder::SetPublisher;
use crate::scheme::{Observer, Published, Stage, State, Stats};
use crate::service_odds::QueryClass;
use crate::units::Time;
use std::time::Duration;

/// What a batch needs, kept from one to the next.
#[derive(Debug, Default)]
pub(crate) struct GroupCloak {
    grouping: Grouping,
    /// One for each thread.
    pasts: Vec<Past>,
    k: Vec<u32>,
    worth: Vec<u32>,
    degree: Vec<u32>,
    node_of: Vec<u32>,
    set_of: Vec<u32>,
    /// The group of each set.
    sets: Vec<u32>,
    /// Where everyone is, by node.
    standing: Vec<Whereabouts>,
    /// Where everyone was before, by node.
    before: Vec<Option<Before>>,
}

/// A batch, and what is wanted of it.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) atlas: &'a Atlas,
    pub(crate) guarantee: Guarantee,
    pub(crate) budget: u32,
    pub(crate) hold: Option<Hold>,
    pub(crate) graph: &'a GraphBuilder,
    pub(crate) state: &'a State,
    pub(crate) now: Time,
}

impl<'a> Task<'a> {
    fn query(&self, node: u32) -> &'a Query {
        &self.state.waiting[self.graph.nodes()[node as usize] as usize]
    }
}

/// Sets may be kept back for a while, for the sake of those who would find no set without them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    /// Nobody is kept waiting longer than this though she could be served.
    pub max_wait: Duration,
    /// Nor if her patience ends sooner than this: she would miss the next batch.
    pub margin: Duration,
}

impl Hold {
    /// Whether somebody can be kept waiting until the next batch.
    fn can_wait(self, query: &Query, now: Time) -> bool {
        let end = query.asked_at + query.temporal_tolerance;
        now - query.asked_at < self.max_wait && now + self.margin <= end
    }
}

const NONE: u32 = u32::MAX;
const HELD: u32 = u32::MAX - 1;

/// Whoever waits may be served later, and is company for others until then: so her chance counts
/// for more than itself. Found by measurement, see PAPER.md.
const COMPANY: f64 = 1.2;

impl GroupCloak {
    /// Publishes disjoint groups of those in the graph.
    pub(crate) fn publish(
        &mut self,
        task: Task<'_>,
        watch: &mut dyn Observer,
        meshes: &mut SetPublisher,
        published: &mut Published,
    ) {
        watch.stage(Stage::Cliques);
        published.clear();
        self.weigh(task, published);
        self.group(task);
        watch.stage(Stage::Mesh);
        published.stats = Stats {
            nodes: task.graph.graph().len(),
            edges: task.graph.graph().edge_count(),
            cliques: self.grouping.clique_count(),
            steps: self.grouping.steps(),
            truncated: self.grouping.truncated() || task.graph.truncated(),
            rejected: 0,
        };
        self.choose(task, published);
        meshes.publish(&self.sets, published, |&group| {
            let nodes = self.grouping.group(group).iter();
            let graph = task.graph;
            nodes.map(|&node| graph.member(node))
        });
    }

    /// Serves everyone in a group that is not kept back, and notes those groups.
    fn choose(&mut self, task: Task<'_>, published: &mut Published) {
        self.sets.clear();
        self.set_of.clear();
        self.set_of.resize(self.grouping.groups().len(), NONE);
        for (place, &node) in self.node_of.iter().enumerate() {
            let Some(group) = self.grouping.group_of(node) else { continue };
            let set = &mut self.set_of[group as usize];
            if *set == NONE {
                let members = self.grouping.group(group);
                let can_wait = |hold: Hold| {
                    members.iter().all(|&node| hold.can_wait(task.query(node), task.now))
                };
                if task.hold.is_some_and(can_wait) && self.grouping.is_wanted(group) {
                    *set = HELD;
                } else {
                    *set = self.sets.len() as u32;
                    self.sets.push(group);
                }
            }
            if *set != HELD {
                published.serve(place as u32, *set);
            }
        }
    }

    /// By node, how many each asks for and what it is worth to serve her now.
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
        for (node, &place) in (0..).zip(task.graph.nodes()) {
            self.node_of[place as usize] = node;
        }
        self.k.resize(edges.len(), 0);
        self.worth.resize(edges.len(), 0);
        published.classes.clear();
        // In the order of the waiting list, of which there is more to read than is written.
        for (query, &node) in task.state.waiting.iter().zip(&self.node_of) {
            let node = node as usize;
            let left = (query.asked_at + query.temporal_tolerance) - task.now;
            let class = QueryClass::of(query, left, self.degree[node]);
            let lost = 1.0 - COMPANY * task.state.odds.probability(class);
            self.k[node] = query.k;
            self.worth[node] = 1 + (lost.max(0.0) * f64::from(FULL_WORTH)) as u32;
            published.classes.push(class);
        }
    }

    /// By node, where everyone is and where she was before.
    fn locate(&mut self, task: Task<'_>) {
        self.standing.resize(self.node_of.len(), Whereabouts::NOWHERE);
        self.before.resize(self.node_of.len(), None);
        for (query, &node) in task.state.waiting.iter().zip(&self.node_of) {
            let before = task.state.history.previous(query.id).map(|before| Before {
                position: before.position,
                farthest: max_travel(query, before),
            });
            self.before[node as usize] = before;
            self.standing[node as usize] = Whereabouts::of(task.atlas.map(), query.position);
        }
    }

    fn group(&mut self, task: Task<'_>) {
        let history = task.guarantee == Guarantee::History;
        if history {
            self.locate(task);
        }
        let GroupCloak { grouping, pasts, k, worth, standing, before, .. } = self;
        let threads = if history { rayon::current_num_threads() } else { 0 };
        pasts.resize_with(threads, Past::default);
        let (standing, before) = (&standing[..], &before[..]);
        let ask = |past| Box::new(who_comes(task.atlas, past, standing, before)) as WhoCounts<'_>;
        let mut past: Vec<WhoCounts<'_>> = pasts.iter_mut().map(ask).collect();
        grouping.find(task.graph.graph(), (k, worth), &mut past, task.budget);
    }
}

/// Says who of those who stand somewhere can have come from where somebody was before.
fn who_comes<'a>(
    atlas: &'a Atlas,
    past: &'a mut Past,
    standing: &'a [Whereabouts],
    before: &'a [Option<Before>],
) -> impl FnMut(u32, &[u32], &mut [bool]) -> bool {
    move |node, neighbours, counts| {
        let Some(before) = before[node as usize] else { return true };
        let others = neighbours.iter().chain([&node]);
        let others = others.map(|&other| standing[other as usize].position);
        let reachable = past.reach(atlas, before, &others);
        for (&other, counts) in neighbours.iter().zip(counts) {
            *counts = reachable.holds(standing[other as usize]);
        }
        reachable.holds(standing[node as usize])
    }
}
