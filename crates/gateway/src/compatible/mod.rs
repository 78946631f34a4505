//! Endpoints that speak the APIs which apps already call: Overpass, Google's Places nearby, Photon.
//! An app changes its base URL and nothing else.
//!
//! ```text
//! request of an app ─▶ overpass, places, photon   parse; whatever cannot be answered is refused
//!                        │ position, NearbyWant
//!                        ▼
//!                      nearby    queries of the user ─▶ intake, submit ─▶ results
//!                        │ Place: distance from the position of the request
//!                        ▼
//!                      overpass, places, photon   the API's own shape
//! ```
//!
//! A request is authenticated by a token of a user (`asker`), which gives k and dt. It asks the
//! existing kinds of questions, so that the service learns nothing new. Errors have the API's own
//! shape (`problem`), and a refused request sends nothing.

mod asker;
mod element_id;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzzing;
mod great_circle;
mod nearby;
mod nearby_plan;
mod overpass;
mod parameters;
mod photon;
mod places;
mod problem;
mod tagged_category;
mod user_queries;

pub(crate) use asker::PresentedToken;
pub(crate) use user_queries::{Here, UserQuestion, ask_all};

use crate::gateway::Gateway;
use axum::Router;
use axum::routing::{get, post};
use std::sync::Arc;

/// Prefix of the paths that hold a token: `/compatible/TOKEN` followed by the path of the API.
const PREFIX: &str = "/compatible/{token}";

/// Routes of all compatible APIs, with the token in a header or in the path.
pub fn routes() -> Router<Arc<Gateway>> {
    Router::new().merge(apis()).nest(PREFIX, apis())
}

fn apis() -> Router<Arc<Gateway>> {
    Router::new()
        .route("/api/interpreter", post(overpass::interpret).get(overpass::interpret))
        .route("/v1/places:searchNearby", post(places::nearby::search))
        .route("/maps/api/place/nearbysearch/json", get(places::legacy::search))
        .route("/reverse", get(photon::reverse))
}
