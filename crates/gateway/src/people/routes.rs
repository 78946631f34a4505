//! What each route about people does, with every status it can have.

use super::{Said, SettingsBody, tokens};
use crate::accounts::Account;
use crate::answers::json;
use crate::api::{RefusalBody, ResultBody};
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::intake::check_name;
use crate::routes::{JSON, KeyAccount, read, refuse};
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use meshcloak::query::UserId;
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

/// The routes about people.
pub fn routes() -> OpenApiRouter<Arc<Gateway>> {
    OpenApiRouter::new()
        .routes(utoipa_axum::routes!(put_settings, get_settings, delete_settings))
        .routes(utoipa_axum::routes!(last_answer))
        .merge(tokens::routes())
}

/// How a person's reports ended of late.
#[derive(Debug, Serialize, ToSchema)]
pub struct AnswerBody {
    /// How old `answered` is, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age: Option<f64>,
    /// The newest report that was answered.
    #[schema(value_type = Option<ResultBody<'static>>)]
    pub answered: Option<serde_json::Value>,
    /// The newest report that has ended in any way, or was refused.
    #[schema(value_type = Option<Object>)]
    pub latest: Option<serde_json::Value>,
}

/// Whom a path is about.
pub(super) fn whom(
    gateway: &Gateway,
    account: &Account,
    person: Result<Path<String>, PathRejection>,
) -> Result<(String, UserId), Refusal> {
    let utf8 = |_| Refusal::Malformed("the person is not UTF-8".into());
    let Path(person) = person.map_err(utf8)?;
    check_name(&person, "person")?;
    if !account.allow_query() {
        return Err(Refusal::Rate);
    }
    let user = gateway.user_ids().user(account, &person);
    Ok((person, user))
}

/// Says what became of it.
pub(super) fn said(gateway: &Gateway, outcome: Result<Response, Refusal>) -> Response {
    outcome.unwrap_or_else(|refusal| refuse(gateway, &refusal))
}

/// Sets how a person is treated from now on, in place of what was set before.
#[utoipa::path(
    put,
    path = "/v1/people/{person}/settings",
    params(("person" = String, Path, description = "Within the account", min_length = 1,
            max_length = 64)),
    request_body(content = SettingsBody, content_type = "application/json"),
    responses(
        (status = 200, description = "They are set", body = SettingsBody),
        (status = 400, description = "They cannot be read", body = RefusalBody<'static>),
        (status = 401, description = "No known key", body = RefusalBody<'static>),
        (status = 408, description = "They did not arrive in time", body = RefusalBody<'static>),
        (status = 413, description = "They are too large", body = RefusalBody<'static>),
        (status = 415, description = "They are not JSON", body = RefusalBody<'static>),
        (status = 422, description = "k, dt, question or a zone is not allowed",
         body = RefusalBody<'static>),
        (status = 429, description = "Too often", body = RefusalBody<'static>),
        (status = 503, description = "They cannot be kept, or too many people have some",
         body = RefusalBody<'static>),
    ),
    security(("key" = []), ())
)]
async fn put_settings(
    State(gateway): State<Arc<Gateway>>,
    KeyAccount(account): KeyAccount,
    person: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let set = async {
        let (name, user) = whom(&gateway, &account, person)?;
        let text = read(&gateway, request).await?;
        let body: SettingsBody =
            serde_json::from_slice(&text).map_err(|error| Refusal::Malformed(error.to_string()))?;
        let person = gateway.person(&account, &name, body)?;
        let settings = Arc::clone(&person.settings);
        gateway.people().settle(user, person).await?;
        Ok(Json(&settings.body).into_response())
    };
    said(&gateway, set.await)
}

/// How a person is treated.
#[utoipa::path(
    get,
    path = "/v1/people/{person}/settings",
    params(("person" = String, Path, description = "Within the account", min_length = 1,
            max_length = 64)),
    responses(
        (status = 200, description = "As they were set", body = SettingsBody),
        (status = 400, description = "No such name is possible", body = RefusalBody<'static>),
        (status = 401, description = "No known key", body = RefusalBody<'static>),
        (status = 404, description = "This person has none", body = RefusalBody<'static>),
        (status = 429, description = "Too often", body = RefusalBody<'static>),
    ),
    security(("key" = []), ())
)]
async fn get_settings(
    State(gateway): State<Arc<Gateway>>,
    KeyAccount(account): KeyAccount,
    person: Result<Path<String>, PathRejection>,
) -> Response {
    let found = whom(&gateway, &account, person).and_then(|(_, user)| {
        let person = gateway.people().find(user).ok_or(Refusal::NoSettings)?;
        Ok(Json(&person.settings.body).into_response())
    });
    said(&gateway, found)
}

/// Forgets a person: settings, tokens, last answer.
#[utoipa::path(
    delete,
    path = "/v1/people/{person}/settings",
    params(("person" = String, Path, description = "Within the account", min_length = 1,
            max_length = 64)),
    responses(
        (status = 204, description = "All is forgotten"),
        (status = 400, description = "No such name is possible", body = RefusalBody<'static>),
        (status = 401, description = "No known key", body = RefusalBody<'static>),
        (status = 404, description = "This person has none", body = RefusalBody<'static>),
        (status = 429, description = "Too often", body = RefusalBody<'static>),
        (status = 503, description = "The change cannot be kept", body = RefusalBody<'static>),
    ),
    security(("key" = []), ())
)]
async fn delete_settings(
    State(gateway): State<Arc<Gateway>>,
    KeyAccount(account): KeyAccount,
    person: Result<Path<String>, PathRejection>,
) -> Response {
    let forgotten = async {
        let (_, user) = whom(&gateway, &account, person)?;
        gateway.people().forget(user).await?;
        Ok(StatusCode::NO_CONTENT.into_response())
    };
    said(&gateway, forgotten.await)
}

/// How a person's reports ended of late.
#[utoipa::path(
    get,
    path = "/v1/people/{person}/answer",
    params(("person" = String, Path, description = "Within the account", min_length = 1,
            max_length = 64)),
    responses(
        (status = 200, description = "The last answer, and how the last report ended",
         body = AnswerBody),
        (status = 400, description = "No such name is possible", body = RefusalBody<'static>),
        (status = 401, description = "No known key", body = RefusalBody<'static>),
        (status = 404, description = "This person has no settings", body = RefusalBody<'static>),
        (status = 429, description = "Too often", body = RefusalBody<'static>),
    ),
    security(("key" = []), ())
)]
async fn last_answer(
    State(gateway): State<Arc<Gateway>>,
    KeyAccount(account): KeyAccount,
    person: Result<Path<String>, PathRejection>,
) -> Response {
    let found = whom(&gateway, &account, person).and_then(|(_, user)| {
        let person = gateway.people().find(user).ok_or(Refusal::NoSettings)?;
        let now = gateway.clock().now();
        let recent = person.recent();
        let age = |said: &Said| now.as_seconds() - said.at.as_seconds();
        let body = |said: &Said| serde_json::from_slice(&said.body).ok();
        let answered = recent.answered(now);
        let body = AnswerBody {
            age: answered.map(|said| age(said).max(0.0)),
            answered: answered.and_then(body),
            latest: recent.latest(now).and_then(body),
        };
        Ok(([(CONTENT_TYPE, JSON)], json(&body)).into_response())
    });
    said(&gateway, found)
}
