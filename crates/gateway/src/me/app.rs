//! The app for phones, `/app/`: embedded files.

use crate::gateway::Gateway;
use crate::page::{embedded_file, is_embedded};
use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::get;
use std::sync::Arc;

/// Served instead of the app if none is embedded.
const NO_APP: &str =
    "This binary was built without Node and has no app: install npm and build it again.";

/// Routes of the app. A binary built without Node has no app.
pub(crate) fn routes() -> Router<Arc<Gateway>> {
    Router::new()
        .route("/app", get(|| async { Redirect::permanent("/app/") }))
        .route("/app/", get(|headers: HeaderMap| async move { file("index.html", &headers) }))
        .route("/app/{*file}", get(named))
}

async fn named(Path(name): Path<String>, headers: HeaderMap) -> Response {
    file(&name, &headers)
}

fn file(name: &str, headers: &HeaderMap) -> Response {
    // Names of assets contain a content hash.
    let cache_control = match name.starts_with("assets/") {
        true => "public, max-age=31536000, immutable",
        false => "no-cache",
    };
    let found = embedded_file(&format!("app/{name}"), headers, cache_control);
    found.unwrap_or_else(|| {
        let sentence = if is_embedded() { "no such file" } else { NO_APP };
        (StatusCode::NOT_FOUND, sentence).into_response()
    })
}
