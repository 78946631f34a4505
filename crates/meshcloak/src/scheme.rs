//! The interface between the engine and a cloaking scheme.
//!
//! A scheme sees the waiting queries and proposes anonymity sets with their regions. The engine
//! ([`crate::engine`]) collects, expires, checks the proposal with the guard and publishes it, so
//! these steps are the same for every scheme. CONTRIBUTING.md, "Add a scheme", shows all steps.

pub use crate::guard::Promise;
pub use crate::published::{AnonymitySet, Disclosure, Published, Served, Stats};

use crate::accounts::Accounts;
use crate::guard::Guard;
use crate::history::{History, Horizon};
use crate::map::{Position, StreetMap};
use crate::mesh::MeshRule;
use crate::query::{Query, QueryId};
use crate::region::Region;
use crate::replacement::Replacement;
use crate::service_odds::ServiceOdds;
use crate::units::{Length, Time};

/// Everything the engine remembers from one batch to the next.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Waiting queries, in order of arrival.
    pub waiting: Vec<Query>,
    /// Number of queries at the end of `waiting` that arrived with this turn.
    pub arrived: usize,
    /// Queries that have departed from the waiting list since the last call of the scheme.
    pub departed: Vec<QueryId>,
    /// Number of turns so far. A scheme that saw turn `turns - 1` can update its data from the
    /// arrivals and `departed` alone.
    pub turns: u64,
    /// Previous positions of the waiting queries' users, for schemes with a history horizon.
    pub history: History,
    /// Accounts of the waiting queries, for [`Promise::across_accounts`] and for the turns of the
    /// accounts in searches of `history`.
    pub accounts: Accounts,
    /// Probability of being served later, for schemes that fill [`Published::classes`].
    pub odds: ServiceOdds,
    /// Finds the queries that newer ones replace; holds scratch buffers only.
    pub(crate) replacement: Replacement,
    /// No waiting query expires before this time; an earlier turn skips the check.
    pub(crate) next_expiry: Time,
    /// Checks every proposal with a promise; a clone of the state starts with an empty cache.
    pub(crate) guard: Guard,
}

impl State {
    /// Returns a state with these waiting queries, all of them new.
    pub fn with_waiting(waiting: Vec<Query>) -> State {
        State { arrived: waiting.len(), waiting, ..State::default() }
    }
}

/// A cloaking scheme: proposes anonymity sets among the waiting queries.
pub trait Scheme: Send {
    /// Returns the name in tables, URLs and metrics, such as `meshcloak`.
    fn name(&self) -> &'static str;

    /// Returns what tables and attacks need to know of the scheme.
    fn describe(&self) -> Description;

    /// Returns how long the engine keeps a user's past; `None` keeps nothing.
    fn history_horizon(&self) -> Option<Horizon> {
        None
    }

    /// Whether the scheme returns publications with
    /// [`Published::remember`](crate::published::Published::remember). `false` saves the
    /// book-keeping of when each user asked last.
    fn remembers(&self) -> bool {
        true
    }

    /// Returns what the engine's guard checks before it publishes a set; `None` publishes sets as
    /// proposed. A scheme that wraps another forwards this call.
    fn promise(&self) -> Option<Promise> {
        None
    }

    /// Returns the likelihood, up to a factor, that a user at `position` publishes `region`, for a
    /// scheme that draws a region from the position alone; `None` for all others. Adversaries use
    /// it: the algorithm is public.
    fn likelihood(&self, _: &StreetMap, _: &Region<'_>, _: Position) -> Option<f64> {
        None
    }

    /// Returns what the region of a query must hold by the promise of the scheme's authors. Judges of
    /// this promise and schemes that wrap another use it.
    fn requirement(&self, _: &StreetMap, query: &Query, _: &Region<'_>) -> Requirement {
        Requirement { users: query.k, places: None }
    }

    /// Proposes the sets of one batch. Equal states give equal proposals: what a scheme keeps
    /// between batches may only make it faster.
    fn cloak(&mut self, state: &State, now: Time, observer: &mut dyn Observer) -> &mut Published;
}

macro_rules! forward {
    ($pointer:ty) => {
        impl<S: Scheme + ?Sized> Scheme for $pointer {
            fn name(&self) -> &'static str {
                (**self).name()
            }

            fn describe(&self) -> Description {
                (**self).describe()
            }

            fn history_horizon(&self) -> Option<Horizon> {
                (**self).history_horizon()
            }

            fn remembers(&self) -> bool {
                (**self).remembers()
            }

            fn promise(&self) -> Option<Promise> {
                (**self).promise()
            }

            fn likelihood(
                &self,
                map: &StreetMap,
                region: &Region<'_>,
                position: Position,
            ) -> Option<f64> {
                (**self).likelihood(map, region, position)
            }

            fn requirement(
                &self,
                map: &StreetMap,
                query: &Query,
                region: &Region<'_>,
            ) -> Requirement {
                (**self).requirement(map, query, region)
            }

            fn cloak(
                &mut self,
                state: &State,
                now: Time,
                observer: &mut dyn Observer,
            ) -> &mut Published {
                (**self).cloak(state, now, observer)
            }
        }
    };
}

forward!(&mut S);
forward!(Box<S>);

/// What the region of a query must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// Smallest number of users inside.
    pub users: u32,
    /// Places of different meaning, for a scheme that promises them.
    pub places: Option<DifferentPlaces>,
}

/// Places of different meaning inside a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DifferentPlaces {
    /// Smallest number that the scheme promises.
    pub required: u32,
    /// Number inside.
    pub present: u32,
}

/// A scheme as lists, tables (Table I of the paper) and attacks see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Description {
    /// Label in lists, such as `Hilbert Cloak`.
    pub label: &'static str,
    /// What the scheme does, in one sentence.
    pub summary: &'static str,
    /// `map` if the scheme uses streets, otherwise `free space`.
    pub setting: &'static str,
    /// How the scheme finds anonymity sets.
    pub cliques: &'static str,
    /// What bounds the distance between members.
    pub constraint: &'static str,
    /// When the scheme is called.
    pub pace: Pace,
    /// What an adversary can conclude from a region; decides which attacks apply.
    pub regions: RegionDependence,
}

impl Description {
    /// Describes a scheme that no list or table shows, such as one of a test: all texts are empty.
    pub const fn unlisted(pace: Pace, regions: RegionDependence) -> Description {
        let (label, summary, setting, cliques, constraint) = ("", "", "", "", "");
        Description { label, summary, setting, cliques, constraint, pace, regions }
    }
}

/// How a region depends on the positions of the members, as far as attacks can use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionDependence {
    /// The union of what each member reaches, by street and dc.
    Mesh(MeshRule),
    /// The members' cells of the fixed partition into cells of that length. Every member can reach
    /// every other cell of the region within its dc.
    Cells(Length),
    /// Independent of the positions within the region: one cell, segments, quadrants.
    Fixed,
    /// The smallest rectangle around the members.
    Tight,
}

/// When a scheme is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Once per batch, with all waiting queries.
    Batch,
    /// At each arrival (sequential processing, §V-B.3).
    Sequential,
}

/// Stages of a turn, for measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Collecting arrivals and removing expired queries (Algorithm 4, lines 3–9).
    Collect,
    /// Building the constraint graph (line 10).
    Graph,
    /// Finding cliques or groups (lines 11 and 13).
    Cliques,
    /// Building regions (lines 14–15).
    Mesh,
    /// Checking the proposal and removing served queries (lines 16–17).
    Settle,
}

/// Receives the start of each stage. The core has no clock; an observer measures.
pub trait Observer {
    /// Called when a stage begins.
    fn stage(&mut self, stage: Stage);
}

/// Ignores all stages.
impl Observer for () {
    fn stage(&mut self, _: Stage) {}
}
