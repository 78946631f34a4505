//! Serves an evaluation report: a folder with `report.html` and its plots.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse as _, Response};
use axum::{Router, routing::get};
use std::path::{Component, PathBuf};
use std::sync::Arc;

/// Main file of a report.
pub const INDEX: &str = "report.html";

/// Content security policy: reports have inline styles and no scripts.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Routes of the report.
pub fn routes(folder: PathBuf) -> Router {
    Router::new().route("/report/{*path}", get(file)).with_state(Arc::new(folder))
}

async fn file(State(folder): State<Arc<PathBuf>>, Path(path): Path<PathBuf>) -> Response {
    let inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    if !inside {
        return StatusCode::NOT_FOUND.into_response();
    }
    let kind = match path.extension().and_then(|end| end.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("csv") => "text/csv; charset=utf-8",
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    match tokio::fs::read(folder.join(path)).await {
        Ok(bytes) => {
            let headers = [
                (CONTENT_TYPE, kind),
                (CONTENT_SECURITY_POLICY, POLICY),
                (X_CONTENT_TYPE_OPTIONS, "nosniff"),
            ];
            (headers, bytes).into_response()
        }
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}
