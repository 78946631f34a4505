//! Location reports of unmodified tracker apps: OwnTracks in HTTP mode, Traccar Client, OsmAnd.
//! Each report of a user with settings becomes a query.
//!
//! These apps store a report that was not accepted and send it again until it is. Every report
//! that a correct app can send is therefore acknowledged; unusable reports are dropped.

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzzing;
mod motion;
mod osmand;
mod owntracks;
mod report;
mod routes;
mod time;
mod traccar;

pub use motion::{Fix, FixTime, Motion, MotionTrack, ReportTime};
pub use report::{Tracker, TrackerReport};
pub(crate) use report::{query_of, reachable_distance};
pub use routes::routes;
