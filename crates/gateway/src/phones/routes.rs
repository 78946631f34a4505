//! Where phones report to. What a phone may well say gets 200, even if it is of no use: it would
//! be kept and sent again else. How a report ended is told by `GET /v1/people/{person}/answer`.

use super::{Report, osmand, owntracks, traccar};
use crate::accounts::Account;
use crate::answers::json;
use crate::api::RefusalBody;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::intake::check_name;
use crate::people::{Person, TOKEN};
use crate::routes::{JSON, has_type, read_body, refuse};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;

/// The routes for phones.
pub fn routes() -> OpenApiRouter<Arc<Gateway>> {
    OpenApiRouter::new()
        .routes(utoipa_axum::routes!(owntracks_says))
        .routes(utoipa_axum::routes!(traccar_posts, traccar_gets))
}

/// A report of OwnTracks in HTTP mode. The password is a key, or a token; the answer is the last
/// one that there was, each place as a friend.
#[utoipa::path(
    post,
    path = "/v1/phones/owntracks",
    params(("X-Limit-U" = Option<String>, Header, description = "Who: else `u`, else the user"),
           ("X-Limit-D" = Option<String>, Header, description = "Which phone of hers: else `d`"),
           ("u" = Option<String>, Query, description = "Who"),
           ("d" = Option<String>, Query, description = "Which phone of hers")),
    request_body(content = String, content_type = "application/json",
                 description = "One message of OwnTracks; what is no location is dropped"),
    responses(
        (status = 200, description = "Taken; messages for the app", body = Vec<Object>),
        (status = 400, description = "It is not JSON, or says not who", body = RefusalBody<'static>),
        (status = 401, description = "No known key or token", body = RefusalBody<'static>),
        (status = 408, description = "It did not arrive in time", body = RefusalBody<'static>),
        (status = 413, description = "It is too large", body = RefusalBody<'static>),
        (status = 503, description = "Too much is under way, or the gateway is stopping",
         body = RefusalBody<'static>),
    ),
    security(("phone" = []), ())
)]
async fn owntracks_says(State(gateway): State<Arc<Gateway>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let query = parts.uri.query().unwrap_or("");
    let heard = async {
        let (account, person) = basic(&gateway, &parts.headers, query)?;
        let body = read_body(&gateway, body).await?;
        let report = owntracks::read(&body).map_err(|_| not_json())?;
        let phone = said(&parts.headers, "x-limit-d", query, "d").unwrap_or_default();
        if let (Some(report), Some(person)) = (report, &person) {
            take(&gateway, &account, person, &phone, &report)?;
        }
        Ok(person)
    };
    match heard.await {
        Ok(person) => ([(CONTENT_TYPE, JSON)], json(&friends(&gateway, person))).into_response(),
        Err(refusal) => refuse_phone(&gateway, &refusal),
    }
}

/// A report of Traccar Client or OsmAnd: JSON, a form, or a query string.
#[utoipa::path(
    post,
    path = "/v1/phones/traccar/{token}",
    params(("token" = String, Path, description = "Of a person's phone")),
    request_body(content = String, content_type = "application/json",
                 description = "As Traccar Client says it; or a form; or nothing but a query"),
    responses(
        (status = 200, description = "Taken"),
        (status = 400, description = "It cannot be read", body = RefusalBody<'static>),
        (status = 401, description = "No known token", body = RefusalBody<'static>),
        (status = 408, description = "It did not arrive in time", body = RefusalBody<'static>),
        (status = 413, description = "It is too large", body = RefusalBody<'static>),
        (status = 503, description = "Too much is under way, or the gateway is stopping",
         body = RefusalBody<'static>),
    )
)]
async fn traccar_posts(
    State(gateway): State<Arc<Gateway>>,
    token: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    traccar_says(&gateway, token, request).await
}

/// A report of OsmAnd: a query string.
#[utoipa::path(
    get,
    path = "/v1/phones/traccar/{token}",
    params(("token" = String, Path, description = "Of a person's phone"),
           ("lat" = Option<String>, Query, description = "Degrees north"),
           ("lon" = Option<String>, Query, description = "Degrees east"),
           ("timestamp" = Option<String>, Query, description = "Seconds, milliseconds or ISO 8601"),
           ("speed" = Option<String>, Query, description = "Knots"),
           ("id" = Option<String>, Query, description = "Which phone of hers")),
    responses(
        (status = 200, description = "Taken"),
        (status = 400, description = "It cannot be read", body = RefusalBody<'static>),
        (status = 401, description = "No known token", body = RefusalBody<'static>),
        (status = 408, description = "It did not arrive in time", body = RefusalBody<'static>),
        (status = 413, description = "It is too large", body = RefusalBody<'static>),
        (status = 503, description = "Too much is under way, or the gateway is stopping",
         body = RefusalBody<'static>),
    )
)]
async fn traccar_gets(
    State(gateway): State<Arc<Gateway>>,
    token: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    traccar_says(&gateway, token, request).await
}

async fn traccar_says(
    gateway: &Arc<Gateway>,
    token: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let heard = async {
        let Ok(Path(token)) = token else { return Err(Refusal::Key) };
        let (account, person) = of_token(gateway, &token)?;
        let body = read_body(gateway, body).await?;
        let (report, phone) = if has_type(&parts.headers, &JSON) {
            traccar::read(&body).map_err(|_| not_json())?
        } else {
            let mut text = parts.uri.query().unwrap_or("").as_bytes().to_vec();
            text.push(b'&');
            text.extend_from_slice(&body);
            osmand::read(&text).map_err(|wrong| Refusal::Malformed(wrong.into()))?
        };
        match report {
            Some(report) => take(gateway, &account, &person, &phone, &report),
            None => Ok(()),
        }
    };
    match heard.await {
        Ok(()) => StatusCode::OK.into_response(),
        Err(refusal) => refuse_phone(gateway, &refusal),
    }
}

fn not_json() -> Refusal {
    Refusal::Malformed("it is not JSON".into())
}

/// Takes a report. Only what is worth sending again later is refused to the phone.
fn take(
    gateway: &Arc<Gateway>,
    account: &Arc<Account>,
    person: &Arc<Person>,
    phone: &str,
    report: &Report,
) -> Result<(), Refusal> {
    match gateway.report(account, person, phone, report) {
        Err(refusal @ (Refusal::Busy | Refusal::Stopping)) => Err(refusal),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// The person of a token, and her account if it still is one.
fn of_token(gateway: &Gateway, token: &str) -> Result<(Arc<Account>, Arc<Person>), Refusal> {
    let person = gateway.people().of_token(token).ok_or(Refusal::Key)?;
    let account = gateway.directory().named(&person.account).cloned().ok_or(Refusal::Key)?;
    Ok((account, person))
}

/// Whom a request is from, by its user and password; `None` if she has no settings.
fn basic(
    gateway: &Gateway,
    headers: &HeaderMap,
    query: &str,
) -> Result<(Arc<Account>, Option<Arc<Person>>), Refusal> {
    let credentials = headers.get(AUTHORIZATION).map(|value| decode(value).ok_or(Refusal::Key));
    let credentials = credentials.transpose()?;
    let (user, password) = match &credentials {
        Some((user, password)) => (Some(user.clone()), Some(password.as_str())),
        None => (None, None),
    };
    if let Some(token) = password.filter(|password| password.starts_with(TOKEN)) {
        let (account, person) = of_token(gateway, token)?;
        return Ok((account, Some(person)));
    }
    let account = gateway.directory().account(password).cloned().ok_or(Refusal::Key)?;
    let user = said(headers, "x-limit-u", query, "u").or(user).unwrap_or_default();
    check_name(&user, "user")?;
    let person = gateway.people().find(gateway.user_ids().user(&account, &user));
    if person.is_none() {
        gateway.metrics().refused(&Refusal::NoSettings);
    }
    Ok((account, person))
}

/// User and password.
fn decode(value: &HeaderValue) -> Option<(String, String)> {
    let (scheme, text) = value.to_str().ok()?.split_once(' ')?;
    let text = scheme.eq_ignore_ascii_case("basic").then(|| STANDARD.decode(text.trim()).ok());
    let text = String::from_utf8(text??).ok()?;
    text.split_once(':').map(|(user, password)| (user.to_owned(), password.to_owned()))
}

/// What a header says, or else a parameter.
fn said(headers: &HeaderMap, header: &str, query: &str, key: &str) -> Option<String> {
    let named = headers.get(header).and_then(|value| std::str::from_utf8(value.as_bytes()).ok());
    let named = named.filter(|text| !text.is_empty()).map(str::to_owned);
    named.or_else(|| {
        let mut pairs = form_urlencoded::parse(query.as_bytes());
        pairs.find(|(known, _)| known == key).map(|(_, value)| value.into_owned())
    })
}

/// The last answer there was, for the app to show.
fn friends(gateway: &Gateway, person: Option<Arc<Person>>) -> Value {
    let answered = person.and_then(|person| {
        person.recent().answered(gateway.clock().now()).map(|said| said.body.clone())
    });
    let result = answered.and_then(|body| serde_json::from_slice(&body).ok());
    owntracks::reply(&result.unwrap_or(Value::Null), gateway.clock().unix_millis() / 1000)
}

fn refuse_phone(gateway: &Gateway, refusal: &Refusal) -> Response {
    let mut response = refuse(gateway, refusal);
    if *refusal == Refusal::Key {
        let basic = HeaderValue::from_static("Basic realm=\"meshcloak\"");
        response.headers_mut().insert(WWW_AUTHENTICATE, basic);
    }
    response
}
