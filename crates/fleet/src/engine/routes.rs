//! Operator's routes of an engine: metrics, health, readiness.

use super::host::Host;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Body of the health probe.
#[derive(serde::Serialize)]
struct HealthBody {
    /// `ok`, `history-unknown` or `disconnected`.
    state: &'static str,
    /// Owned shards with their epochs.
    shards: BTreeMap<String, u64>,
    /// Shards that refuse `history`, with the seconds left.
    unknown: BTreeMap<String, u32>,
}

/// Builds the router of the operator's socket.
pub fn router(host: Arc<Host>) -> Router {
    Router::new()
        .route("/metrics", get(metrics))
        .route("/health", get(health))
        .route("/ready", get(health))
        .with_state(host)
}

async fn metrics(State(host): State<Arc<Host>>) -> Response {
    ([(CONTENT_TYPE, "text/plain; version=0.0.4")], host.metrics.text()).into_response()
}

async fn health(State(host): State<Arc<Host>>) -> Response {
    let unknown = host.metrics.unknown();
    let state = match (host.cluster.is_connected(), unknown.is_empty()) {
        (false, _) => "disconnected",
        (true, false) => "history-unknown",
        (true, true) => "ok",
    };
    let status = if state == "ok" { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(HealthBody { state, shards: host.metrics.epochs(), unknown })).into_response()
}
