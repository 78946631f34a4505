//! Patching and delaying (Cheng, Zhang, Bertino, Prabhakar 2006): wrappers around any scheme, against
//! adversaries that know the top speed of users and link their regions.
//!
//! A region that follows the last one too closely can be cut down to the part that the user can have
//! reached. *Patching* publishes the last region together with the reachable part of the new one;
//! *delaying* holds the new region back until all of it can be reached.

pub mod delaying;
pub mod patching;

mod crowd;
#[cfg(test)]
mod tests;

use crate::region_reach::RegionReach;
use crate::registry::{Arguments, Parameter, SchemeError, ValueRange};
use meshcloak::distance::Atlas;
use meshcloak::history::{Horizon, Publication};
use meshcloak::query::Query;
use meshcloak::region::Region;
use meshcloak::scheme::{Description, Published, Scheme};
use meshcloak::units::Time;
use std::sync::Arc;
use std::time::Duration;

/// How long the last region of a user is kept.
const HORIZON: Duration = Duration::from_secs(600);

/// Schemes that can be wrapped: those that are called in batches and keep no state of their own.
const WRAPPED: &[&str] = &[
    "casper",
    "interval-cloak",
    "hilbert-cloak",
    "hilbert-streets",
    "reciprocal-framework",
    "xstar",
    "planar-laplace",
    "meshcloak",
    "meshcloak-printed",
];

/// Parameter that names the wrapped scheme.
const OF: Parameter = Parameter {
    name: crate::registry::OF,
    meaning: "the wrapped scheme",
    default: "casper",
    range: ValueRange::Word(WRAPPED),
};

/// A wrapped scheme and the searches from its last regions.
struct WrappedScheme {
    scheme: Box<dyn Scheme>,
    reach: RegionReach,
}

impl WrappedScheme {
    fn build(atlas: &Arc<Atlas>, arguments: &Arguments) -> Result<WrappedScheme, SchemeError> {
        let wrapped = arguments.wrapped().expect("the parameter `of` names a scheme");
        Ok(WrappedScheme {
            scheme: wrapped.build(atlas)?,
            reach: RegionReach::new(Arc::clone(atlas)),
        })
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

/// Remembers a region that is published for a query.
fn remember(published: &mut Published, query: &Query, now: Time, region: Arc<Region<'static>>) {
    let publication =
        Publication { asked_at: query.asked_at, at: now, region, users: Arc::from([]) };
    published.remember(query.id, Arc::new(publication));
}

/// Distance in metres that the user of a query can travel in a time: `v·Δt`, or the distance
/// constraint if the query has no speed.
fn travel_range(query: &Query, span: Duration) -> f64 {
    query.speed.map_or(query.distance_constraint, |speed| speed * span).as_metres()
}
