//! HTTP routes of the demo, all under `/demo`.

use crate::arena::{Arena, ArenaError, CompareRequest, SCHEMES, attack_choices};
use crate::board::Board;
use crate::disclosed::DisclosedQuery;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use axum::{Json, Router, routing::get, routing::post};
use futures_util::stream::{Stream, unfold};
use gateway::gateway::Gateway;
use gateway::question::{Along, Operation};
use meshcloak::map::Frame;
use meshcloak::query::Query;
use meshcloak::units::{Length, LonLat};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;

/// Shared state of the routes.
#[derive(Clone)]
pub struct DemoState {
    /// The gateway.
    pub gateway: Arc<Gateway>,
    /// Ground truth.
    pub board: Arc<Board>,
    /// Comparison of schemes.
    pub arena: Arc<Arena>,
    /// Projection of the map.
    pub frame: Frame,
    /// Number of agents.
    pub users: u32,
}

/// Routes of the demo.
pub fn routes(state: DemoState) -> Router {
    Router::new()
        .route("/demo/info", get(info))
        .route("/demo/live", get(live))
        .route("/demo/asked/{ticket}", post(disclosed))
        .route("/demo/compare", post(compare))
        .route("/demo/presence", post(presence))
        .with_state(state)
}

async fn info(State(state): State<DemoState>) -> Json<serde_json::Value> {
    Json(json!({
        "guarantee": gateway::receipt::guarantee_name(state.gateway.guarantee()),
        "people": state.users,
        "presence": state.board.shares_presence(),
        "tick": state.gateway.config().engine.tick.as_secs_f64(),
        "schemes": *SCHEMES,
        "attacks": attack_choices(),
    }))
}

async fn live(
    State(state): State<DemoState>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let receivers = (state.board.frames(), state.gateway.stopping());
    let events = unfold(receivers, |(mut frames, mut stopping)| async move {
        // The stream must end at shutdown: the gateway waits for open connections.
        tokio::select! {
            changed = frames.changed() => changed.ok()?,
            _ = stopping.wait_for(|stopping| *stopping) => return None,
        }
        let frame = Arc::clone(&frames.borrow_and_update());
        Some((Ok(Event::default().data(&*frame)), (frames, stopping)))
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}

/// Position and dc of a query of the page, from which its neighbours are counted.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct QueryPosition {
    lon: f64,
    lat: f64,
    dc: f64,
}

#[derive(Serialize)]
struct DisclosedBody {
    #[serde(flatten)]
    query: DisclosedQuery,
    asked: String,
    objects: Vec<serde_json::Value>,
    neighbours: Option<usize>,
}

/// Returns how a query of the page was disclosed; for an expired one its number of neighbours.
async fn disclosed(
    State(state): State<DemoState>,
    Path(ticket): Path<String>,
    Json(position): Json<QueryPosition>,
) -> Response {
    let Some(query) = state.board.disclosed(&ticket) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let mut body =
        DisclosedBody { query, asked: String::new(), objects: Vec::new(), neighbours: None };
    match &body.query.inquiry {
        None => body.neighbours = state.neighbours(position),
        Some(inquiry) => {
            body.asked = describe(&inquiry.question());
            // The answer depends on the inquiry alone, so a repeated request returns the same.
            if let Ok(objects) = state.gateway.city().requests().client().ask(inquiry).await {
                body.objects = objects.objects().iter().map(|object| {
                    let at = state.frame.lon_lat(object.point);
                    json!({ "lon": at.lon, "lat": at.lat, "name": object.name, "category": object.category })
                }).collect();
            }
        }
    }
    Json(body).into_response()
}

impl DemoState {
    /// Counts the waiting queries that would be adjacent in the constraint graph; `None` off the
    /// map.
    fn neighbours(&self, query: QueryPosition) -> Option<usize> {
        let lon_lat = LonLat::new(query.lon, query.lat)?;
        let atlas = self.gateway.city().atlas();
        let here = atlas.map().snap(self.frame.point(lon_lat), None)?.position;
        let own_dc = Length::metres_down(query.dc);
        let within = |distance: Option<Length>, dc| distance.is_some_and(|d| d <= dc);
        let is_adjacent = |other: &&Query| {
            within(atlas.distance(here, other.position), own_dc)
                && within(atlas.distance(other.position, here), other.distance_constraint)
        };
        Some(self.board.lock().waiting().filter(is_adjacent).count())
    }
}

/// Describes the question of an inquiry in words.
fn describe(question: &gateway::question::Question) -> String {
    let objects = match question.category.name() {
        Some(name) => format!("objects of category ‘{}’", name.replace('_', " ")),
        None => "objects".to_owned(),
    };
    let metric = |along| match along {
        Along::Streets => "along streets",
        Along::Plane => "in a straight line",
    };
    match question.operation {
        Operation::Nearest { count, along } => {
            format!(
                "From each point of these streets, the {count} nearest {objects}, {}",
                metric(along)
            )
        }
        Operation::Within { radius, along } => {
            let (metres, metric) = (radius.as_metres(), metric(along));
            format!("All {objects} within {metres:.0} m of any point of these streets, {metric}")
        }
    }
}

/// Whether agents share their presence.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct PresenceBody {
    shared: bool,
}

async fn presence(
    State(state): State<DemoState>,
    Json(body): Json<PresenceBody>,
) -> Json<PresenceBody> {
    state.board.set_shares_presence(body.shared);
    Json(PresenceBody { shared: state.board.shares_presence() })
}

async fn compare(State(state): State<DemoState>, Json(request): Json<CompareRequest>) -> Response {
    let compared = tokio::task::spawn_blocking(move || {
        state.arena.compare(&request, || state.board.lock().recording.snapshot())
    });
    match compared.await {
        Ok(Ok(comparison)) => Json(comparison).into_response(),
        Ok(Err(error)) => {
            let status = match error {
                // Not an error: the page asks again.
                ArenaError::TooSoon => StatusCode::ACCEPTED,
                _ => StatusCode::BAD_REQUEST,
            };
            (status, Json(json!({ "message": error.to_string() }))).into_response()
        }
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
