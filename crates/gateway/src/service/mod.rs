//! Services that store points of interest: the [`Service`] trait, the connectors that implement
//! it, and [`ServiceClient`] with time-outs, retries and circuit breakers behind a
//! [`RequestQueue`].
//!
//! A service receives an [`Inquiry`] and nothing else. It returns a superset of the answers of
//! all users in the region; `refine` extracts the answer of each user from it.

mod answer_budget;
mod answer_memory;
mod breaker;
mod built_in;
mod category_names;
mod client;
mod endpoint;
mod error;
mod fixed_lonlat;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzzing;
mod geojson;
mod held;
mod http_client;
#[cfg(test)]
pub(crate) mod in_memory;
mod lenient_json;
mod nearest_set;
mod object;
mod object_geometry;
mod objects_by_street;
mod ogc;
mod overpass;
mod planar;
mod point_grid;
mod polylines;
pub mod postgis;
mod projection;
mod queue;
mod radius_search;
mod remote;
mod request_policy;
mod response_time;
mod samples;
mod snapping;
mod webhook;

pub use built_in::BuiltIn;
pub use client::{ServiceClient, ServiceClientSettings};
pub use error::ServiceError;
pub use held::{HeldObjects, ReceivedBytes};
pub(crate) use nearest_set::NearestSet;
pub(crate) use object::SharedIndex;
pub use object::{Completeness, Object, Objects};
pub(crate) use objects_by_street::ObjectsByStreet;
pub use ogc::{OgcFilter, OgcSettings};
pub use overpass::OverpassSettings;
pub(crate) use overpass::{CATEGORY_KEYS, key_of_category};
pub use planar::{
    Planar, PlanarService, PlanarSettings, RangeAnswer, RangeRequest, RawObject, Surroundings,
};
pub use polylines::Polylines;
pub use queue::{RequestEnd, RequestQueue, RequestQueueSettings, expected_wait};
pub use remote::{Protocol, RemoteError, RemoteSettings};
pub use request_policy::RequestPolicy;

use crate::inquiry::Inquiry;
use std::future::Future;
use std::pin::Pin;

/// Boxed future of a service's answer.
pub type ServiceFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, ServiceError>> + Send + 'a>>;

/// A source of objects with positions.
pub trait Service: Send + Sync {
    /// Name of the connector, for example `built-in` or `postgis`.
    fn name(&self) -> &'static str;

    /// Returns a superset of the objects that the answer of any user in the region can hold.
    ///
    /// What is sent depends on the inquiry and on earlier answers only. A repeated inquiry sends
    /// the same bytes.
    fn ask<'a>(&'a self, inquiry: &'a Inquiry) -> ServiceFuture<'a, Objects>;

    /// As [`Service::ask`], with every request under the rules of `policy`. By default an inquiry is
    /// one request.
    fn ask_under<'a>(
        &'a self,
        inquiry: &'a Inquiry,
        policy: &'a RequestPolicy,
    ) -> ServiceFuture<'a, Objects> {
        Box::pin(policy.send(|| self.ask(inquiry)))
    }

    /// Returns the categories of the objects, ascending.
    fn categories(&self) -> ServiceFuture<'_, Vec<String>>;
}
