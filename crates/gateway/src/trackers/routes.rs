//! HTTP routes of tracker apps. A well-formed report gets status 200 even if it is dropped, since
//! the app would send it again otherwise. `GET /v1/people/{person}/answer` returns its outcome.

use super::report::{ParsedReport, Tracker, submit_report};
use super::{TrackerReport, osmand, owntracks, traccar};
use crate::accounts::Account;
use crate::answers::json;
use crate::api::RefusalBody;
use crate::charged_body::respond;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::intake::check_name;
use crate::routes::{JSON, has_type, read_body, refuse};
use crate::users::{TOKEN_PREFIX, UserProfile};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::Value;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;

/// Token of a tracker in the path.
type Token = Result<Path<String>, PathRejection>;

/// Routes of tracker apps.
pub fn routes() -> OpenApiRouter<Arc<Gateway>> {
    OpenApiRouter::new()
        .routes(utoipa_axum::routes!(post_owntracks))
        .routes(utoipa_axum::routes!(post_traccar, get_traccar))
}

/// Accepts a message of OwnTracks in HTTP mode. The password is an API key or a token. The response
/// holds the last answer, each object as a contact.
#[utoipa::path(
    post,
    path = "/v1/phones/owntracks",
    params(("X-Limit-U" = Option<String>, Header, description = "User; falls back to `u`, then to the user of basic authentication"),
           ("X-Limit-D" = Option<String>, Header, description = "Tracker of the user; falls back to `d`"),
           ("u" = Option<String>, Query, description = "User"),
           ("d" = Option<String>, Query, description = "Tracker of the user")),
    request_body(content = String, content_type = "application/json",
                 description = "One message of OwnTracks; messages other than locations are ignored"),
    responses(
        (status = 200, description = "Accepted; messages for the app", body = Vec<Object>),
        (status = 400, description = "Not JSON, or no valid user name", body = RefusalBody<'static>),
        (status = 401, description = "Missing or unknown API key or token", body = RefusalBody<'static>),
        (status = 408, description = "The body did not arrive in time", body = RefusalBody<'static>),
        (status = 413, description = "The body is too large", body = RefusalBody<'static>),
        (status = 503, description = "Overloaded, or the gateway is stopping",
         body = RefusalBody<'static>),
    ),
    security(("phone" = []), ())
)]
async fn post_owntracks(State(gateway): State<Arc<Gateway>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let query = parts.uri.query().unwrap_or("");
    let accepted = async {
        let (account, user) = authenticate_basic(&gateway, &parts.headers, query)?;
        let body = read_body(&gateway, body).await?;
        let report = owntracks::parse(&body).map_err(|_| not_json())?;
        let device =
            header_or_parameter(&parts.headers, "x-limit-d", query, "d").unwrap_or_default();
        if let (Some(report), Some(user)) = (report, &user) {
            accept(&gateway, Tracker { account: &account, user, device: &device }, &report)?;
        }
        let messages = json(&last_answer(&gateway, user)).into();
        let response = respond(&gateway, &account, StatusCode::OK, messages);
        // The report is accepted: the app must not send it again.
        response.or_else(|_| respond(&gateway, &account, StatusCode::OK, NO_MESSAGES))
    };
    accepted.await.unwrap_or_else(|refusal| refuse_tracker(&gateway, &refusal))
}

/// Responses to a report of Traccar Client or OsmAnd, for the API document.
#[derive(utoipa::IntoResponses)]
#[expect(dead_code, reason = "describes responses; none is built from it")]
enum TraccarResponses {
    #[response(status = 200, description = "Accepted")]
    Accepted,
    #[response(status = 400, description = "Malformed report")]
    Malformed(RefusalBody<'static>),
    #[response(status = 401, description = "Unknown token")]
    UnknownToken(RefusalBody<'static>),
    #[response(status = 408, description = "The body did not arrive in time")]
    Late(RefusalBody<'static>),
    #[response(status = 413, description = "The body is too large")]
    TooLarge(RefusalBody<'static>),
    #[response(status = 503, description = "Overloaded, or the gateway is stopping")]
    Busy(RefusalBody<'static>),
}

/// Accepts a report of Traccar Client or OsmAnd: JSON, a form, or a query string.
#[utoipa::path(
    post,
    path = "/v1/phones/traccar/{token}",
    params(("token" = String, Path, description = "Token of the tracker")),
    request_body(content = String, content_type = "application/json",
                 description = "JSON of Traccar Client, a form, or empty with a query string"),
    responses(TraccarResponses)
)]
async fn post_traccar(gateway: State<Arc<Gateway>>, token: Token, request: Request) -> Response {
    accept_traccar(&gateway, token, request).await
}

/// Accepts a report of OsmAnd in a query string.
#[utoipa::path(
    get,
    path = "/v1/phones/traccar/{token}",
    params(("token" = String, Path, description = "Token of the tracker"),
           ("lat" = Option<String>, Query, description = "Latitude in degrees"),
           ("lon" = Option<String>, Query, description = "Longitude in degrees"),
           ("timestamp" = Option<String>, Query, description = "Unix time in seconds or milliseconds, or ISO 8601"),
           ("speed" = Option<String>, Query, description = "Speed in knots"),
           ("id" = Option<String>, Query, description = "Tracker of the user")),
    responses(TraccarResponses)
)]
async fn get_traccar(gateway: State<Arc<Gateway>>, token: Token, request: Request) -> Response {
    accept_traccar(&gateway, token, request).await
}

async fn accept_traccar(gateway: &Arc<Gateway>, token: Token, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let accepted = async {
        let Ok(Path(token)) = token else { return Err(Refusal::Key) };
        let (account, user) = authenticate_token(gateway, &token)?;
        let body = read_body(gateway, body).await?;
        let ParsedReport { report, device } = if has_type(&parts.headers, &JSON) {
            traccar::parse(&body).map_err(|_| not_json())?
        } else {
            let mut text = parts.uri.query().unwrap_or("").as_bytes().to_vec();
            text.push(b'&');
            text.extend_from_slice(&body);
            osmand::parse(&text).map_err(|problem| Refusal::Malformed(problem.into()))?
        };
        match report {
            Some(report) => {
                let tracker = Tracker { account: &account, user: &user, device: &device };
                accept(gateway, tracker, &report)
            }
            None => Ok(()),
        }
    };
    match accepted.await {
        Ok(()) => StatusCode::OK.into_response(),
        Err(refusal) => refuse_tracker(gateway, &refusal),
    }
}

/// Reply to OwnTracks without messages.
const NO_MESSAGES: Bytes = Bytes::from_static(b"[]");

fn not_json() -> Refusal {
    Refusal::Malformed("the body is not JSON".into())
}

/// Submits a report. Only refusals that a later attempt can overcome reach the tracker.
fn accept(
    gateway: &Arc<Gateway>,
    tracker: Tracker<'_>,
    report: &TrackerReport,
) -> Result<(), Refusal> {
    match submit_report(gateway, tracker, report) {
        Err(refusal @ (Refusal::Busy | Refusal::ServiceBusy { .. } | Refusal::Stopping)) => {
            Err(refusal)
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Returns the user of a token and the account, if that still exists.
fn authenticate_token(
    gateway: &Gateway,
    token: &str,
) -> Result<(Arc<Account>, Arc<UserProfile>), Refusal> {
    let user = gateway.users().find_by_token(token).ok_or(Refusal::Key)?;
    let account = gateway.directory().named(&user.account).cloned().ok_or(Refusal::Key)?;
    Ok((account, user))
}

/// Authenticates by user and password. The user is `None` without settings.
fn authenticate_basic(
    gateway: &Gateway,
    headers: &HeaderMap,
    query: &str,
) -> Result<(Arc<Account>, Option<Arc<UserProfile>>), Refusal> {
    let credentials =
        headers.get(AUTHORIZATION).map(|value| decode_basic(value).ok_or(Refusal::Key));
    let credentials = credentials.transpose()?;
    let (name, password) = match &credentials {
        Some((user, password)) => (Some(user.clone()), Some(password.as_str())),
        None => (None, None),
    };
    if let Some(token) = password.filter(|password| password.starts_with(TOKEN_PREFIX)) {
        let (account, user) = authenticate_token(gateway, token)?;
        return Ok((account, Some(user)));
    }
    let account = gateway.directory().account(password).cloned().ok_or(Refusal::Key)?;
    let name = header_or_parameter(headers, "x-limit-u", query, "u").or(name).unwrap_or_default();
    check_name(&name, "user")?;
    let user = gateway.users().find(gateway.user_ids().user(&account, &name));
    if user.is_none() {
        gateway.metrics().refused(&Refusal::NoSettings);
    }
    Ok((account, user))
}

/// Decodes user and password of basic authentication.
fn decode_basic(value: &HeaderValue) -> Option<(String, String)> {
    let (scheme, text) = value.to_str().ok()?.split_once(' ')?;
    let text = scheme.eq_ignore_ascii_case("basic").then(|| STANDARD.decode(text.trim()).ok());
    let text = String::from_utf8(text??).ok()?;
    text.split_once(':').map(|(user, password)| (user.to_owned(), password.to_owned()))
}

/// Returns a header, or else a parameter of the query string.
fn header_or_parameter(
    headers: &HeaderMap,
    header: &str,
    query: &str,
    key: &str,
) -> Option<String> {
    let value = headers.get(header).and_then(|value| std::str::from_utf8(value.as_bytes()).ok());
    let value = value.filter(|text| !text.is_empty()).map(str::to_owned);
    value.or_else(|| {
        let mut pairs = form_urlencoded::parse(query.as_bytes());
        pairs.find(|(known, _)| known == key).map(|(_, value)| value.into_owned())
    })
}

/// Returns the last answer as messages for the app.
fn last_answer(gateway: &Gateway, user: Option<Arc<UserProfile>>) -> Value {
    let now = gateway.clock().now();
    let answered =
        user.and_then(|user| user.recent_reports().answered(now).map(|last| last.body.clone()));
    let result = answered.and_then(|body| serde_json::from_slice(&body).ok());
    owntracks::reply(&result.unwrap_or(Value::Null), gateway.clock().unix_millis() / 1000)
}

fn refuse_tracker(gateway: &Gateway, refusal: &Refusal) -> Response {
    let mut response = refuse(gateway, refusal);
    if *refusal == Refusal::Key {
        let basic = HeaderValue::from_static("Basic realm=\"meshcloak\"");
        response.headers_mut().insert(WWW_AUTHENTICATE, basic);
    }
    response
}
