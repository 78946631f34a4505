//! What only the demo may tell, all of it under `/demo`.

use crate::arena::{Arena, ArenaError, SCHEMES, Wish, attack_choices};
use crate::board::Board;
use crate::truth::Truth;
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

/// What the routes share.
#[derive(Clone)]
pub struct Stage {
    /// The gateway.
    pub gateway: Arc<Gateway>,
    /// The truth.
    pub board: Arc<Board>,
    /// Where schemes meet attackers.
    pub arena: Arc<Arena>,
    /// Where the map lies.
    pub frame: Frame,
    /// How many people there are.
    pub users: u32,
}

/// The routes.
pub fn routes(stage: Stage) -> Router {
    Router::new()
        .route("/demo/info", get(info))
        .route("/demo/live", get(live))
        .route("/demo/asked/{ticket}", post(asked))
        .route("/demo/compare", post(compare))
        .with_state(stage)
}

async fn info(State(stage): State<Stage>) -> Json<serde_json::Value> {
    Json(json!({
        "guarantee": gateway::receipt::word(stage.gateway.guarantee()),
        "people": stage.users,
        "tick": stage.gateway.config().engine.tick.as_secs_f64(),
        "schemes": SCHEMES,
        "attacks": attack_choices(),
    }))
}

async fn live(State(stage): State<Stage>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let both = (stage.board.seconds(), stage.gateway.stopping());
    let events = unfold(both, |(mut seconds, mut stopping)| async move {
        // A gateway that stops waits for whoever is connected.
        tokio::select! {
            changed = seconds.changed() => changed.ok()?,
            _ = stopping.wait_for(|stopping| *stopping) => return None,
        }
        let second = Arc::clone(&seconds.borrow_and_update());
        Some((Ok(Event::default().data(&*second)), (seconds, stopping)))
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}

/// Where somebody asked, so that the demo can tell who was near.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Standing {
    lon: f64,
    lat: f64,
    dc: f64,
}

#[derive(Serialize)]
struct Told {
    #[serde(flatten)]
    truth: Truth,
    asked: String,
    objects: Vec<serde_json::Value>,
    neighbours: Option<usize>,
}

async fn asked(
    State(stage): State<Stage>,
    Path(ticket): Path<String>,
    Json(standing): Json<Standing>,
) -> Response {
    let Some(truth) = stage.board.truth(&ticket) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let mut told = Told { truth, asked: String::new(), objects: Vec::new(), neighbours: None };
    match &told.truth.inquiry {
        None => told.neighbours = stage.neighbours(standing),
        Some(inquiry) => {
            told.asked = words(&inquiry.asked().question());
            // What is answered follows from the inquiry alone, so asking again tells the same.
            if let Ok(objects) = stage.gateway.service_client().ask(inquiry).await {
                told.objects = objects.objects().iter().map(|object| {
                    let place = stage.frame.lon_lat(object.point);
                    json!({ "lon": place.lon, "lat": place.lat, "name": object.name, "category": object.category })
                }).collect();
            }
        }
    }
    Json(told).into_response()
}

impl Stage {
    /// How many people wait who reach a place and are reached from it; `None` off the map.
    fn neighbours(&self, standing: Standing) -> Option<usize> {
        let place = LonLat::new(standing.lon, standing.lat)?;
        let atlas = self.gateway.atlas();
        let here = atlas.map().snap(self.frame.point(place), None)?.position;
        let mine = Length::metres_down(standing.dc);
        let within = |way: Option<Length>, dc| way.is_some_and(|way| way <= dc);
        let reach = |query: &&Query| {
            within(atlas.distance(here, query.position), mine)
                && within(atlas.distance(query.position, here), query.distance_constraint)
        };
        Some(self.board.lock().waiting().filter(reach).count())
    }
}

/// A question as the service hears it.
fn words(question: &gateway::question::Question) -> String {
    let what = match question.category.name() {
        Some(name) => format!("places of the kind ‘{}’", name.replace('_', " ")),
        None => "places".to_owned(),
    };
    let how = |along| match along {
        Along::Streets => "along streets",
        Along::Plane => "as the crow flies",
    };
    match question.operation {
        Operation::Nearest { count, along } => {
            format!("From each point of these streets, the {count} nearest {what}, {}", how(along))
        }
        Operation::Within { radius, along } => {
            let (metres, how) = (radius.as_metres(), how(along));
            format!("All {what} within {metres:.0} m of any point of these streets, {how}")
        }
    }
}

async fn compare(State(stage): State<Stage>, Json(wish): Json<Wish>) -> Response {
    let done = tokio::task::spawn_blocking(move || {
        stage.arena.compare(&wish, || stage.board.lock().tape.moment())
    });
    match done.await {
        Ok(Ok(comparison)) => Json(comparison).into_response(),
        Ok(Err(error)) => {
            let status = match error {
                // Nothing is wrong: it will be there in a moment.
                ArenaError::TooSoon => StatusCode::ACCEPTED,
                _ => StatusCode::BAD_REQUEST,
            };
            (status, Json(json!({ "message": error.to_string() }))).into_response()
        }
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
