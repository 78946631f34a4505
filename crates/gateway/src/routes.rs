//! Handlers of the client API, with every status they can return.

use crate::access::{KeyAccess, KeyAccount};
use crate::accounts::Account;
use crate::api::{QueryRequest, RefusalBody, ResultBody};
use crate::charged_body::respond;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::intake::{RefusedQuery, parse_query};
use crate::outcome::Finished;
use crate::server::MAX_BODY_BYTES;
use crate::stream::{StreamClient, answer_lines, refusal_json};
use crate::submit::{Submission, cancel, cancel_abandoned, submit};
use crate::tickets::Route;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use std::sync::Arc;
use tokio::sync::oneshot;

pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json");
const NDJSON: HeaderValue = HeaderValue::from_static("application/x-ndjson");

/// Submits a query. The response is sent when the query has ended: answered, expired, cancelled or
/// failed.
#[utoipa::path(
    post,
    path = "/v1/queries",
    request_body(content = QueryRequest<'static>, content_type = "application/json"),
    responses(
        (status = 200, description = "The query has ended: answered, expired or cancelled",
         body = ResultBody<'static>),
        (status = 400, description = "Malformed request", body = RefusalBody<'static>),
        (status = 401, description = "Missing or unknown key", body = RefusalBody<'static>),
        (status = 408, description = "The request body did not arrive in time", body = RefusalBody<'static>),
        (status = 409, description = "The ticket was used with a different query",
         body = RefusalBody<'static>),
        (status = 413, description = "The request body is too large", body = RefusalBody<'static>),
        (status = 415, description = "The content type is not application/json", body = RefusalBody<'static>),
        (status = 422, description = "k, dt, dc, speed, question or position is out of range",
         body = RefusalBody<'static>),
        (status = 429, description = "Rate limit exceeded", body = RefusalBody<'static>),
        (status = 502, description = "An anonymity set was published, but the service did not answer",
         body = ResultBody<'static>),
        (status = 503, description = "Too many queries are in progress, or the gateway is stopping",
         body = RefusalBody<'static>),
    ),
    security(("key" = []), ())
)]
pub async fn ask(
    State(gateway): State<Arc<Gateway>>,
    KeyAccess(mut access): KeyAccess,
    request: Request,
) -> Response {
    let account = Arc::clone(&access.account);
    let body = match read(&gateway, request).await {
        Ok(body) => body,
        Err(refusal) => return refuse(&gateway, &refusal),
    };
    let query = match parse_query(&gateway, &account, &body) {
        Ok(query) => query,
        Err(RefusedQuery { ticket, refusal }) => {
            let ticket = ticket.as_ref().map(|ticket| ticket.expose().as_str());
            return refuse_query(&gateway, ticket, &refusal);
        }
    };
    let Some(_connection) = account.connect() else {
        return refuse_query(&gateway, Some(query.ticket.expose()), &Refusal::Connections);
    };
    let (sender, receiver) = oneshot::channel();
    let mut sender = Some(sender);
    let mut submission = Submission::Waiting;
    let ticket = query.ticket.clone();
    let route = || match sender.take() {
        Some(sender) => Route::One(sender),
        None => Route::One(oneshot::channel().0),
    };
    submit(&gateway, &account, [query], route, |_, result| submission = result);
    let finished = match submission {
        Submission::Ended(finished) => Ok(finished),
        Submission::Refused(refusal) => Err(refusal),
        Submission::Waiting => tokio::select! {
            biased;
            () = access.revoked() => {
                // The receiver is gone, so that the query has no other route.
                cancel_abandoned(&gateway, &account, std::slice::from_ref(ticket.expose()));
                Err(Refusal::Revoked)
            }
            finished = wait(receiver) => finished,
        },
    };
    answer(&gateway, &account, Some(ticket.expose()), finished)
}

/// Cancels a query. The response is sent when the query has ended, possibly with another outcome.
#[utoipa::path(
    delete,
    path = "/v1/queries/{ticket}",
    params(("ticket" = String, Path, description = "Ticket of the query", min_length = 1, max_length = 64)),
    responses(
        (status = 200, description = "The query has ended", body = ResultBody<'static>),
        (status = 401, description = "Missing or unknown key", body = RefusalBody<'static>),
        (status = 400, description = "The ticket is not valid UTF-8", body = RefusalBody<'static>),
        (status = 404, description = "Unknown ticket", body = RefusalBody<'static>),
        (status = 429, description = "Rate limit exceeded", body = RefusalBody<'static>),
        (status = 502, description = "The query has ended without an answer of the service",
         body = ResultBody<'static>),
        (status = 503, description = "The gateway is stopping", body = RefusalBody<'static>),
    ),
    security(("key" = []), ())
)]
pub async fn cancel_query(
    State(gateway): State<Arc<Gateway>>,
    KeyAccount(account): KeyAccount,
    ticket: Result<Path<String>, axum::extract::rejection::PathRejection>,
) -> Response {
    let Ok(Path(ticket)) = ticket else {
        return refuse(&gateway, &Refusal::Malformed("the ticket is not UTF-8".into()));
    };
    if !account.allow_query() {
        return refuse(&gateway, &Refusal::Rate);
    }
    let Some(_connection) = account.connect() else {
        return refuse(&gateway, &Refusal::Connections);
    };
    let (sender, receiver) = oneshot::channel();
    let finished = match cancel(&gateway, &account, &ticket, Route::One(sender)) {
        None => Err(Refusal::Unknown),
        Some(Submission::Ended(finished)) => Ok(finished),
        Some(Submission::Refused(refusal)) => Err(refusal),
        Some(Submission::Waiting) => wait(receiver).await,
    };
    answer(&gateway, &account, None, finished)
}

/// Submits queries of any number of users: one query per line in, one result per line out, in order
/// of completion.
#[utoipa::path(
    post,
    path = "/v1/queries/stream",
    request_body(content = String, content_type = "application/x-ndjson",
                 description = "One query per line"),
    responses(
        (status = 200, description = "One result or refusal per line, in order of completion",
         body = String, content_type = "application/x-ndjson"),
        (status = 401, description = "Missing or unknown key", body = RefusalBody<'static>),
        (status = 415, description = "The content type is not application/x-ndjson", body = RefusalBody<'static>),
        (status = 429, description = "The account has too many open connections", body = RefusalBody<'static>),
        (status = 503, description = "The gateway is stopping", body = RefusalBody<'static>),
    ),
    security(("key" = []), ())
)]
pub async fn stream(
    State(gateway): State<Arc<Gateway>>,
    KeyAccess(access): KeyAccess,
    request: Request,
) -> Response {
    if !has_type(request.headers(), &NDJSON) {
        return refuse(&gateway, &Refusal::ContentType("application/x-ndjson"));
    }
    if *gateway.stopping().borrow() {
        return refuse(&gateway, &Refusal::Stopping);
    }
    let Some(connection) = access.account.connect() else {
        return refuse(&gateway, &Refusal::Connections);
    };
    let client = StreamClient { access, connection };
    let lines = answer_lines(gateway, client, request.into_body());
    ([(CONTENT_TYPE, NDJSON)], lines).into_response()
}

/// Handler of unknown paths.
pub async fn unknown_path(State(gateway): State<Arc<Gateway>>) -> Response {
    refuse(&gateway, &Refusal::NoSuchPath)
}

/// Handler of known paths with a wrong method.
pub async fn wrong_method(State(gateway): State<Arc<Gateway>>) -> Response {
    refuse(&gateway, &Refusal::Method)
}

/// Reads a JSON body within the limits of time and size.
pub(crate) async fn read(gateway: &Gateway, request: Request) -> Result<Bytes, Refusal> {
    if !has_type(request.headers(), &JSON) {
        return Err(Refusal::ContentType("application/json"));
    }
    read_body(gateway, request.into_body()).await
}

/// Reads a body within the limits of time and size.
pub(crate) async fn read_body(gateway: &Gateway, body: Body) -> Result<Bytes, Refusal> {
    let timeout = gateway.config().server.request_timeout;
    match tokio::time::timeout(timeout, to_bytes(body, MAX_BODY_BYTES)).await {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(_)) => Err(Refusal::TooLarge(MAX_BODY_BYTES)),
        Err(_) => Err(Refusal::TooSlow),
    }
}

/// Whether the content type equals `wanted`, parameters aside.
pub(crate) fn has_type(headers: &HeaderMap, wanted: &HeaderValue) -> bool {
    let given = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    let essence = given.split(';').next().unwrap_or("").trim();
    wanted.to_str().is_ok_and(|wanted| essence.eq_ignore_ascii_case(wanted))
}

async fn wait(receiver: oneshot::Receiver<Finished>) -> Result<Finished, Refusal> {
    receiver.await.map_err(|_| Refusal::Stopping)
}

/// Builds the response with a result, or with a refusal.
fn answer(
    gateway: &Gateway,
    account: &Account,
    ticket: Option<&str>,
    finished: Result<Finished, Refusal>,
) -> Response {
    let response = finished
        .and_then(|Finished { outcome, body }| respond(gateway, account, outcome.status(), body));
    response.unwrap_or_else(|refusal| refuse_query(gateway, ticket, &refusal))
}

/// Builds and counts a refusal.
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
