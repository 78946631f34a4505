//! Services that know where things are: one small trait, the connectors behind it, and the
//! [`Asker`] that keeps them from doing harm.
//!
//! A service gets an [`Inquiry`] and nothing else. It answers with a superset of what anyone in
//! the region may want; `refine` finds in it what one person wants.

mod asker;
mod breaker;
mod built_in;
mod by_street;
mod cache;
mod categories;
mod drawn;
mod error;
mod few;
mod geojson;
mod ground;
mod http;
mod line;
#[cfg(test)]
pub(crate) mod memory;
mod nearest;
mod object;
mod ogc;
mod overpass;
mod piece;
mod plain;
mod point_grid;
pub mod postgis;
mod remote;
mod samples;
mod secret;
mod spot;
mod webhook;

pub use asker::{Asker, AskerSettings};
pub use built_in::BuiltIn;
pub(crate) use by_street::ByStreet;
pub use error::ServiceError;
pub(crate) use few::Few;
pub(crate) use object::ForMany;
pub use object::{Complete, Object, Objects};
pub use ogc::{OgcFilter, OgcSettings};
pub use overpass::OverpassSettings;
pub use piece::Piece;
pub use plain::{Page, Plain, PlainService, PlainSettings, Range, Row};
pub use remote::{Protocol, RemoteError, RemoteSettings};
pub use secret::Secret;

use crate::inquiry::Inquiry;
use std::future::Future;
use std::pin::Pin;

/// Something of a service that is on its way.
pub type Coming<'a, T> = Pin<Box<dyn Future<Output = Result<T, ServiceError>> + Send + 'a>>;

/// Whoever knows where things are.
pub trait Service: Send + Sync {
    /// As in logs and metrics: `built-in`, `postgis`.
    fn name(&self) -> &'static str;

    /// All objects that the answer of anyone in the region can hold, and perhaps more. Whatever is
    /// sent is a function of the inquiry and of earlier answers alone; asked again, the same is
    /// sent again.
    fn ask<'a>(&'a self, inquiry: &'a Inquiry) -> Coming<'a, Objects>;

    /// The categories of its objects, ascending.
    fn categories(&self) -> Coming<'_, Vec<String>>;
}
