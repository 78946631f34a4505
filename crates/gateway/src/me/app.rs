//! The app for phones, `/app/`: embedded files.

use crate::gateway::Gateway;
use crate::page::embedded_file;
use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::get;
use std::sync::Arc;

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
    found.unwrap_or_else(|| StatusCode::NOT_FOUND.into_response())
}
