//! The seam: a scheme sees who waits and says whom to cloak now, and under which region.
//!
//! Published sets are flat arrays, because a batch has thousands of them. What may leave for the
//! service is a [`Disclosure`], which has neither a user nor a position.

mod published;

pub use published::{AnonymitySet, Disclosure, Published, Served};

use crate::history::History;
use crate::query::{Query, QueryId};
use crate::service_odds::ServiceOdds;
use crate::units::Time;
use std::time::Duration;

/// Everything the engine remembers from one batch to the next.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Those who wait, in order of arrival.
    pub waiting: Vec<Query>,
    /// How many of them, at the end of the list, came in with this turn.
    pub arrived: usize,
    /// Who has left the list since the scheme was last asked.
    pub departed: Vec<QueryId>,
    /// How many turns there have been: a scheme that saw the one before needs only the changes.
    pub turns: u64,
    /// Where people were, if the scheme asks for it.
    pub history: History,
    /// How likely it is to be served later, if the scheme learns it.
    pub odds: ServiceOdds,
    /// Nobody's patience is over before this; a turn that comes sooner need not look.
    pub(crate) patient_until: Time,
}

impl State {
    /// A state in which these wait, all of them new.
    pub fn with_waiting(waiting: Vec<Query>) -> State {
        State { arrived: waiting.len(), waiting, ..State::default() }
    }
}

/// A way of hiding people among one another.
pub trait Scheme: Send {
    /// As in tables, URLs and metrics: `meshcloak`.
    fn name(&self) -> &'static str;

    /// What kind of scheme it is, for tables.
    fn describe(&self) -> Description;

    /// How long the engine is to remember where people were; `None`: not at all.
    fn history_horizon(&self) -> Option<Duration> {
        None
    }

    /// Whom to cloak now. Same input, same answer; what a scheme remembers only makes it faster.
    fn cloak(&mut self, state: &State, now: Time, watch: &mut dyn Observer) -> &Published;
}

/// A scheme in the words of Table I of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Description {
    /// Whether it knows streets: `map` or `free space`.
    pub setting: &'static str,
    /// How it finds people to hide among.
    pub cliques: &'static str,
    /// What bounds the distance between them.
    pub constraint: &'static str,
    /// When it wants to be asked.
    pub pace: Pace,
}

/// When a scheme wants to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Once a batch, about everyone who waits.
    Batch,
    /// Whenever somebody asks.
    Sequential,
}

/// The steps of a batch, for whoever measures them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Collecting arrivals and removing who has expired (Algorithm 4, lines 3–9).
    Collect,
    /// Building the constraint graph (line 10).
    Graph,
    /// Finding cliques (lines 11 and 13).
    Cliques,
    /// Building meshes (lines 14–15).
    Mesh,
    /// The guard's look at what is published, and removing who was served (lines 16–17).
    Settle,
}

/// Is told when a stage begins: the core has no clock of its own.
pub trait Observer {
    /// A stage begins.
    fn stage(&mut self, stage: Stage);
}

/// Nobody measures.
impl Observer for () {
    fn stage(&mut self, _: Stage) {}
}

/// What a batch looked like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Nodes of the constraint graph.
    pub nodes: usize,
    /// Its edges.
    pub edges: usize,
    /// Cliques that were kept or listed.
    pub cliques: usize,
    /// Steps of all clique searches.
    pub steps: u64,
    /// Whether a search spent its budget, or edges did not fit into memory.
    pub truncated: bool,
    /// Sets that the guard held back.
    pub rejected: usize,
}
