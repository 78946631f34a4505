//! The state of the cluster for the operator's page of a frontend.

use crate::message::Beat;
use crate::peers::{Peers, Takeover};
use axum::extract::State;
use axum::{Json, Router, routing::get};
use serde::Serialize;
use std::sync::Arc;

/// Response of `/ops/cluster`. It shows no user and no exact count of queries.
#[derive(Debug, Serialize)]
struct ClusterView {
    shards: Vec<ShardView>,
    engines: Vec<EngineView>,
    frontends: Vec<FrontendView>,
    /// Changes of owners that this process has heard of, newest first.
    takeovers: Vec<Takeover>,
}

/// Owner of a shard.
#[derive(Debug, Serialize)]
struct ShardView {
    city: String,
    /// Number from 1.
    shard: u16,
    shards: u16,
    owner: String,
    epoch: u64,
    /// Rounded to tens.
    waiting: u64,
    lag_ms: u32,
    guarantee: String,
    /// Seconds for which `history` is refused.
    unknown_seconds: u32,
}

#[derive(Debug, Serialize)]
struct EngineView {
    name: String,
    owned: u32,
}

#[derive(Debug, Serialize)]
struct FrontendView {
    name: String,
    address: String,
    stopping: bool,
}

impl From<Beat> for ShardView {
    fn from(beat: Beat) -> ShardView {
        ShardView {
            city: beat.city,
            shard: beat.shard + 1,
            shards: beat.shards,
            owner: beat.name,
            epoch: beat.epoch,
            waiting: beat.waiting,
            lag_ms: beat.lag_ms,
            guarantee: beat.guarantee,
            unknown_seconds: beat.unknown_seconds,
        }
    }
}

/// Routes of the view of the cluster.
pub fn routes(peers: Arc<Peers>) -> Router {
    Router::new().route("/ops/cluster", get(view)).with_state(peers)
}

async fn view(State(peers): State<Arc<Peers>>) -> Json<ClusterView> {
    let mut engines: Vec<EngineView> = peers
        .engines()
        .into_iter()
        .map(|beat| EngineView { name: beat.name, owned: beat.owned })
        .collect();
    engines.sort_by(|a, b| a.name.cmp(&b.name));
    let mut frontends: Vec<FrontendView> = peers
        .frontends()
        .into_iter()
        .map(|beat| FrontendView {
            name: beat.name,
            address: beat.address,
            stopping: beat.is_stopping,
        })
        .collect();
    frontends.sort_by(|a, b| a.name.cmp(&b.name));
    let shards = peers.owners().into_iter().map(ShardView::from).collect();
    Json(ClusterView { shards, engines, frontends, takeovers: peers.takeovers() })
}
