//! Phones as they are: OwnTracks in HTTP mode, Traccar Client, OsmAnd. Each report of a person
//! who has settings is a query; the phone is not asked for anything that it does not send anyway.
//!
//! These apps keep what was not taken and send it again and again, so whatever a well-meaning
//! phone can send is taken, and dropped where it is of no use.

mod osmand;
mod owntracks;
mod report;
mod routes;
mod time;
mod traccar;
mod track;

pub use report::Report;
pub(crate) use report::reach;
pub use routes::routes;
pub use track::{Fix, Pace, Track, When};
