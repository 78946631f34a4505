//! The part of the API for the user of a personal token, `/v1/me`, and the app for phones that uses
//! it, `/app`. Both are served if `server.app` is set.

mod app;
mod body;
mod routes;

pub(crate) use app::routes as app_routes;
pub use body::{MeBody, MeQuery};
pub(crate) use routes::routes;
