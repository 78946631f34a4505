//! Patching and delaying (Cheng, Zhang, Bertino, Prabhakar 2006): wrappers around a scheme, against
//! adversaries that know the top speed of users and link their regions.
//!
//! A region that follows the last one too closely can be cut down to the part that the user can have
//! reached. *Patching* publishes the last region together with the reachable part of the new one;
//! *delaying* holds the new region back until all of it can be reached.

pub mod delaying;
pub mod patching;

mod crowd;
#[cfg(test)]
mod naive;
#[cfg(test)]
mod tests;

use crate::region_reach::RegionReach;
use crate::registry::{Arguments, Parameter, SchemeError, ValueRange};
use meshcloak::distance::Atlas;
use meshcloak::history::{Horizon, Publication};
use meshcloak::query::{Query, UserId};
use meshcloak::region::Region;
use meshcloak::scheme::{Description, Observer, Published, Scheme, State};
use meshcloak::units::Time;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::time::Duration;

/// How long the last region of a user is kept.
const HORIZON: Duration = Duration::from_secs(600);

/// Schemes that can be wrapped: those that are called in batches and keep no past of their own. A
/// withheld set would contradict the graph of the sequential schemes, the groups of `k-sharing` and
/// the visits of `footprints`.
const WRAPPED: &[&str] = &[
    "casper",
    "interval-cloak",
    "hilbert-cloak",
    "hilbert-streets",
    "reciprocal-framework",
    "xstar",
    "planar-laplace",
    "plpca",
    "l2p2",
    "semantics",
    "query-aware",
    "star-cloak",
    "road-network-k",
    "optimal",
    "meshcloak",
    "meshcloak-printed",
];

/// Parameter that names the wrapped scheme.
const OF: Parameter = Parameter {
    name: crate::registry::OF,
    meaning: "the wrapped scheme; one that keeps graphs, groups, visits or regions of its own \
              cannot be wrapped",
    default: "casper",
    range: ValueRange::Word(WRAPPED),
};

/// A wrapped scheme and the searches from its last regions.
struct WrappedScheme {
    scheme: Box<dyn Scheme>,
    reach: RegionReach,
    /// Publications of this turn: a scheme may serve several queries of a user.
    fresh: FxHashMap<UserId, Arc<Publication>>,
}

impl WrappedScheme {
    fn build(atlas: &Arc<Atlas>, arguments: &Arguments) -> Result<WrappedScheme, SchemeError> {
        let wrapped = arguments.wrapped().expect("the parameter `of` names a scheme");
        Ok(WrappedScheme {
            scheme: wrapped.build(atlas)?,
            reach: RegionReach::new(Arc::clone(atlas)),
            fresh: FxHashMap::default(),
        })
    }

    /// Proposes the sets of the wrapped scheme and begins a turn.
    fn propose(&mut self, state: &State, now: Time, observer: &mut dyn Observer) -> Published {
        self.fresh.clear();
        self.scheme.cloak(state, now, observer).clone()
    }

    /// What was last published for a user.
    fn last(&self, state: &State, user: UserId) -> Option<Arc<Publication>> {
        self.fresh.get(&user).or_else(|| state.history.publication(user)).cloned()
    }

    /// Remembers a region that is published for a query.
    fn remember(
        &mut self,
        published: &mut Published,
        query: &Query,
        now: Time,
        region: Arc<Region<'static>>,
    ) {
        let publication =
            Publication { asked_at: query.asked_at, at: now, region, users: Arc::from([]) };
        let publication = Arc::new(publication);
        self.fresh.insert(query.user, Arc::clone(&publication));
        published.remember(query.id, publication);
    }

    /// The wrapped scheme's description with another label.
    fn describe(&self, label: &'static str, summary: &'static str) -> Description {
        Description { label, summary, constraint: "v × Δt", ..self.scheme.describe() }
    }

    fn horizon(&self) -> Horizon {
        let inner = self.scheme.history_horizon();
        inner.map_or(HORIZON.into(), |inner| Horizon { time: inner.time.max(HORIZON), ..inner })
    }
}

/// Distance in metres that the user of a query can travel in a time: `v·Δt`, or the distance
/// constraint if the query has no speed.
fn travel_range(query: &Query, span: Duration) -> f64 {
    query.speed.map_or(query.distance_constraint, |speed| speed * span).as_metres()
}
