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

use crate::error::Refusal;
use crate::gateway::Gateway;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};
use problem::Problem;
use std::sync::Arc;

/// Prefix of the paths that hold a token: `/compatible/TOKEN` followed by the path of the API.
const PREFIX: &str = "/compatible/{token}";

/// Routes of all compatible APIs, with the token in a header or in the path.
pub fn routes() -> Router<Arc<Gateway>> {
    Router::new().merge(apis()).nest(PREFIX, apis())
}

fn apis() -> Router<Arc<Gateway>> {
    let interpret = post(overpass::interpret).get(overpass::interpret);
    let search = post(places::nearby::search);
    let legacy = get(places::legacy::search);
    let reverse = get(photon::reverse);
    Router::new()
        .route("/api/interpreter", or_refuse(interpret, overpass::refuse))
        .route("/v1/places:searchNearby", or_refuse(search, places::nearby::refuse))
        .route("/maps/api/place/nearbysearch/json", or_refuse(legacy, places::legacy::refuse))
        .route("/reverse", or_refuse(reverse, photon::refuse))
}

/// Refuses other methods in the API's own shape.
fn or_refuse(
    methods: MethodRouter<Arc<Gateway>>,
    refuse: fn(&Gateway, &Problem) -> Response,
) -> MethodRouter<Arc<Gateway>> {
    methods.fallback(move |State(gateway): State<Arc<Gateway>>| async move {
        refuse(&gateway, &Problem::from(Refusal::Method))
    })
}
