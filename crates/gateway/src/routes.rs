//! What each route does, with every status it can have.

use crate::accounts::Account;
use crate::answers::json;
use crate::api::{MapBody, QueryRequest, RefusalBody, ResultBody, StateBody};
use crate::desk::Verdict;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::outcome::Finished;
use crate::receipt;
use crate::server::{MOST_BYTES, document};
use crate::stream::{answer_lines, refusal_json};
use crate::tickets::Route;
use axum::Json;
use axum::body::{Body, to_bytes};
use axum::extract::{FromRequestParts, Path, Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use meshcloak::units::Point;
use std::sync::{Arc, OnceLock};
use tokio::sync::oneshot;

pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json");
const NDJSON: HeaderValue = HeaderValue::from_static("application/x-ndjson");

/// The account of whoever asks.
pub struct Caller(pub(crate) Arc<Account>);

impl FromRequestParts<Arc<Gateway>> for Caller {
    type Rejection = Response;

    async fn from_request_parts(
        parts: &mut Parts,
        gateway: &Arc<Gateway>,
    ) -> Result<Caller, Response> {
        let secret = bearer(&parts.headers);
        let directory = gateway.directory();
        let account = directory.account(secret).ok_or_else(|| refuse(gateway, &Refusal::Key))?;
        Ok(Caller(Arc::clone(account)))
    }
}

/// The key of a request, if it has one.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let text = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, secret) = text.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(secret.trim())
}

/// Asks. The response comes when the query has ended: hidden and answered, or expired.
#[utoipa::path(
    post,
    path = "/v1/queries",
    request_body(content = QueryRequest<'static>, content_type = "application/json"),
    responses(
        (status = 200, description = "It has ended: answered, expired or cancelled",
         body = ResultBody<'static>),
        (status = 400, description = "It cannot be read", body = RefusalBody<'static>),
        (status = 401, description = "No known key", body = RefusalBody<'static>),
        (status = 408, description = "It did not arrive in time", body = RefusalBody<'static>),
        (status = 409, description = "The ticket is that of another query",
         body = RefusalBody<'static>),
        (status = 413, description = "It is too large", body = RefusalBody<'static>),
        (status = 415, description = "It is not JSON", body = RefusalBody<'static>),
        (status = 422, description = "k, dt, dc, speed, question or position is not allowed",
         body = RefusalBody<'static>),
        (status = 429, description = "Too often", body = RefusalBody<'static>),
        (status = 502, description = "Hidden, but the service did not answer",
         body = ResultBody<'static>),
        (status = 503, description = "Too much is under way, or the gateway is stopping",
         body = RefusalBody<'static>),
    ),
    security(("key" = []), ())
)]
pub async fn ask(
    State(gateway): State<Arc<Gateway>>,
    Caller(account): Caller,
    request: Request,
) -> Response {
    let body = match read(&gateway, request).await {
        Ok(body) => body,
        Err(refusal) => return refuse(&gateway, &refusal),
    };
    let ask = match gateway.examine(&account, &body) {
        Ok(ask) => ask,
        Err((ticket, refusal)) => return refuse_query(&gateway, ticket.as_deref(), &refusal),
    };
    let (sender, receiver) = oneshot::channel();
    let mut sender = Some(sender);
    let mut heard = Verdict::Waits;
    let ticket = Arc::clone(&ask.ticket);
    let route = || match sender.take() {
        Some(sender) => Route::One(sender),
        None => Route::One(oneshot::channel().0),
    };
    gateway.submit(&account, [ask], route, |_, verdict| heard = verdict);
    match heard {
        Verdict::Ended(finished) => tell(finished),
        Verdict::Refused(refusal) => refuse_query(&gateway, Some(&ticket), &refusal),
        Verdict::Waits => wait(&gateway, receiver).await,
    }
}

/// Takes a query back. The response comes when it has ended, which may be otherwise.
#[utoipa::path(
    delete,
    path = "/v1/queries/{ticket}",
    params(("ticket" = String, Path, description = "Of the query", min_length = 1, max_length = 64)),
    responses(
        (status = 200, description = "It has ended", body = ResultBody<'static>),
        (status = 401, description = "No known key", body = RefusalBody<'static>),
        (status = 400, description = "The ticket cannot be read", body = RefusalBody<'static>),
        (status = 404, description = "No such query", body = RefusalBody<'static>),
        (status = 429, description = "Too often", body = RefusalBody<'static>),
        (status = 502, description = "It ended without an answer of the service",
         body = ResultBody<'static>),
        (status = 503, description = "The gateway is stopping", body = RefusalBody<'static>),
    ),
    security(("key" = []), ())
)]
pub async fn take_back(
    State(gateway): State<Arc<Gateway>>,
    Caller(account): Caller,
    ticket: Result<Path<String>, axum::extract::rejection::PathRejection>,
) -> Response {
    let Ok(Path(ticket)) = ticket else {
        return refuse(&gateway, &Refusal::Malformed("the ticket is not UTF-8".into()));
    };
    if !account.may_ask() {
        return refuse(&gateway, &Refusal::Rate);
    }
    let (sender, receiver) = oneshot::channel();
    match gateway.cancel(&account, &ticket, Route::One(sender)) {
        None => refuse(&gateway, &Refusal::Unknown),
        Some(Verdict::Ended(finished)) => tell(finished),
        Some(Verdict::Refused(refusal)) => refuse(&gateway, &refusal),
        Some(Verdict::Waits) => wait(&gateway, receiver).await,
    }
}

/// Asks for any number of people: one query a line, one result a line, as they end.
#[utoipa::path(
    post,
    path = "/v1/queries/stream",
    request_body(content = String, content_type = "application/x-ndjson",
                 description = "One query a line"),
    responses(
        (status = 200, description = "One result or refusal a line, in the order of ending",
         body = String, content_type = "application/x-ndjson"),
        (status = 401, description = "No known key", body = RefusalBody<'static>),
        (status = 415, description = "It is not NDJSON", body = RefusalBody<'static>),
        (status = 503, description = "The gateway is stopping", body = RefusalBody<'static>),
    ),
    security(("key" = []), ())
)]
pub async fn stream(
    State(gateway): State<Arc<Gateway>>,
    Caller(account): Caller,
    request: Request,
) -> Response {
    if !has_type(request.headers(), &NDJSON) {
        return refuse(&gateway, &Refusal::ContentType("application/x-ndjson"));
    }
    if *gateway.stopping().borrow() {
        return refuse(&gateway, &Refusal::Stopping);
    }
    let lines = answer_lines(gateway, account, request.into_body());
    ([(CONTENT_TYPE, NDJSON)], lines).into_response()
}

/// The map that people can be on.
#[utoipa::path(get, path = "/v1/map", responses((status = 200, body = MapBody)))]
pub async fn map(State(gateway): State<Arc<Gateway>>) -> Json<MapBody> {
    let map = gateway.atlas().map();
    let bounds = map.bounds();
    let corners = [bounds.min, bounds.max].map(|corner: Point| {
        map.frame().map_or([corner.x, corner.y], |frame| {
            let place = frame.lon_lat(corner);
            [place.lon, place.lat]
        })
    });
    let config = gateway.config();
    Json(MapBody {
        name: config.map.source.to_string(),
        extent: [corners[0][0], corners[0][1], corners[1][0], corners[1][1]],
        streets: map.street_count(),
        guarantee: receipt::word(gateway.guarantee()),
        tick: config.engine.tick.as_secs_f64(),
    })
}

/// This document.
#[utoipa::path(get, path = "/v1/openapi.json", responses(
    (status = 200, description = "What can be asked, and what comes back", body = Object),
))]
pub async fn openapi() -> Response {
    static DOCUMENT: OnceLock<Bytes> = OnceLock::new();
    let text = DOCUMENT.get_or_init(|| json(&document()).into());
    ([(CONTENT_TYPE, JSON)], Body::from(text.clone())).into_response()
}

/// Whether the process is alive.
#[utoipa::path(get, path = "/health", responses((status = 200, body = StateBody)))]
pub async fn health() -> Json<StateBody> {
    Json(StateBody { state: "ok" })
}

/// Whether queries are accepted.
#[utoipa::path(get, path = "/ready", responses(
    (status = 200, body = StateBody),
    (status = 503, description = "It is stopping", body = StateBody),
))]
pub async fn ready(State(gateway): State<Arc<Gateway>>) -> Response {
    if *gateway.stopping().borrow() {
        return (StatusCode::SERVICE_UNAVAILABLE, Json(StateBody { state: "stopping" }))
            .into_response();
    }
    Json(StateBody { state: "ok" }).into_response()
}

/// What is counted.
pub async fn metrics(State(gateway): State<Arc<Gateway>>) -> Response {
    let under_way = gateway.under_way().load(std::sync::atomic::Ordering::Relaxed);
    let text = gateway.metrics().render(under_way);
    let kind = HeaderValue::from_static("text/plain; version=0.0.4");
    ([(CONTENT_TYPE, kind)], text).into_response()
}

/// No route.
pub async fn nothing_here(State(gateway): State<Arc<Gateway>>) -> Response {
    refuse(&gateway, &Refusal::NoSuchPath)
}

/// A route, but not for that method.
pub async fn not_that_way(State(gateway): State<Arc<Gateway>>) -> Response {
    refuse(&gateway, &Refusal::Method)
}

/// The body of a request, if it comes soon, is JSON and is not too large.
pub(crate) async fn read(gateway: &Gateway, request: Request) -> Result<Bytes, Refusal> {
    if !has_type(request.headers(), &JSON) {
        return Err(Refusal::ContentType("application/json"));
    }
    read_body(gateway, request.into_body()).await
}

/// A body, if it comes soon and is not too large.
pub(crate) async fn read_body(gateway: &Gateway, body: Body) -> Result<Bytes, Refusal> {
    let patience = gateway.config().server.request_timeout;
    match tokio::time::timeout(patience, to_bytes(body, MOST_BYTES)).await {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(_)) => Err(Refusal::TooLarge(MOST_BYTES)),
        Err(_) => Err(Refusal::TooSlow),
    }
}

/// Whether the content is said to be of a type, parameters aside.
pub(crate) fn has_type(headers: &HeaderMap, wanted: &HeaderValue) -> bool {
    let given = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    let kind = given.split(';').next().unwrap_or("").trim();
    wanted.to_str().is_ok_and(|wanted| kind.eq_ignore_ascii_case(wanted))
}

async fn wait(gateway: &Gateway, receiver: oneshot::Receiver<Finished>) -> Response {
    match receiver.await {
        Ok(finished) => tell(finished),
        Err(_) => refuse(gateway, &Refusal::Stopping),
    }
}

fn tell(finished: Finished) -> Response {
    (finished.outcome.status(), [(CONTENT_TYPE, JSON)], Body::from(finished.body)).into_response()
}

/// A refusal, counted.
pub(crate) fn refuse(gateway: &Gateway, refusal: &Refusal) -> Response {
    refuse_query(gateway, None, refusal)
}

fn refuse_query(gateway: &Gateway, ticket: Option<&str>, refusal: &Refusal) -> Response {
    gateway.metrics().refused(refusal);
    let body = refusal_json(ticket, refusal);
    let mut response = (refusal.status(), [(CONTENT_TYPE, JSON)], body).into_response();
    let headers = response.headers_mut();
    if let Some(seconds) = refusal.retry_after() {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    if *refusal == Refusal::Key {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}
