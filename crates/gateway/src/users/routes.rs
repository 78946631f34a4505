//! HTTP routes of user settings and last answers, `/v1/people/{person}`.

use super::path_user::{PathUser, or_refuse};
use super::{ReportOutcome, SettingsBody, UserProfile, tokens};
use crate::answers::json;
use crate::api::{RefusalBody, ResultBody};
use crate::charged_body::respond;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::json_error::json_error;
use crate::routes::read;
use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

/// Routes of user settings, tokens and last answers.
pub fn routes() -> OpenApiRouter<Arc<Gateway>> {
    OpenApiRouter::new()
        .routes(utoipa_axum::routes!(put_settings, get_settings, delete_settings))
        .routes(utoipa_axum::routes!(last_answer))
        .merge(tokens::routes())
}

/// Outcomes of a user's recent reports.
#[derive(Debug, Serialize, ToSchema)]
pub struct AnswerBody {
    /// Age of `answered` in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age: Option<f64>,
    /// Result of the newest report that was answered.
    #[schema(value_type = Option<ResultBody<'static>>)]
    pub answered: Option<serde_json::Value>,
    /// Result or refusal of the newest report that has ended.
    #[schema(value_type = Option<Object>)]
    pub latest: Option<serde_json::Value>,
}

/// Replaces the settings of a user.
#[utoipa::path(
    put,
    path = "/v1/people/{person}/settings",
    params(("person" = String, Path, description = "Name of the user within the account", min_length = 1,
            max_length = 64)),
    request_body(content = SettingsBody, content_type = "application/json"),
    responses(
        (status = 200, description = "Settings stored", body = SettingsBody),
        (status = 400, description = "Malformed settings", body = RefusalBody<'static>),
        (status = 401, description = "Missing or unknown API key", body = RefusalBody<'static>),
        (status = 408, description = "The body did not arrive in time", body = RefusalBody<'static>),
        (status = 413, description = "The body is too large", body = RefusalBody<'static>),
        (status = 415, description = "The content type is not JSON", body = RefusalBody<'static>),
        (status = 422, description = "k, dt, question or a zone is not allowed",
         body = RefusalBody<'static>),
        (status = 429, description = "Rate limit exceeded", body = RefusalBody<'static>),
        (status = 503, description = "The settings file cannot be written, or the limit `people.most` is reached",
         body = RefusalBody<'static>),
    ),
    security(("key" = []), ())
)]
async fn put_settings(
    State(gateway): State<Arc<Gateway>>,
    path: PathUser,
    request: Request,
) -> Response {
    let set = async {
        let text = read(&gateway, request).await?;
        let body: SettingsBody = serde_json::from_slice(&text)
            .map_err(|error| Refusal::Malformed(json_error(&error)))?;
        let profile = UserProfile::checked(&gateway, &path.account, path.name.expose(), body)?;
        let settings = Arc::clone(&profile.settings);
        gateway.users().put_settings(path.user, profile).await?;
        Ok(Json(&settings.body).into_response())
    };
    or_refuse(&gateway, set.await)
}

/// Returns the settings of a user.
#[utoipa::path(
    get,
    path = "/v1/people/{person}/settings",
    params(("person" = String, Path, description = "Name of the user within the account", min_length = 1,
            max_length = 64)),
    responses(
        (status = 200, description = "Settings as stored", body = SettingsBody),
        (status = 400, description = "The name is empty, too long or not UTF-8", body = RefusalBody<'static>),
        (status = 401, description = "Missing or unknown API key", body = RefusalBody<'static>),
        (status = 404, description = "This user has no settings", body = RefusalBody<'static>),
        (status = 429, description = "Rate limit exceeded", body = RefusalBody<'static>),
    ),
    security(("key" = []), ())
)]
async fn get_settings(State(gateway): State<Arc<Gateway>>, path: PathUser) -> Response {
    let profile = path.profile(&gateway);
    or_refuse(&gateway, profile.map(|profile| Json(&profile.settings.body).into_response()))
}

/// Deletes all data of a user: settings, tokens, last answer.
#[utoipa::path(
    delete,
    path = "/v1/people/{person}/settings",
    params(("person" = String, Path, description = "Name of the user within the account", min_length = 1,
            max_length = 64)),
    responses(
        (status = 204, description = "Deleted"),
        (status = 400, description = "The name is empty, too long or not UTF-8", body = RefusalBody<'static>),
        (status = 401, description = "Missing or unknown API key", body = RefusalBody<'static>),
        (status = 404, description = "This user has no settings", body = RefusalBody<'static>),
        (status = 429, description = "Rate limit exceeded", body = RefusalBody<'static>),
        (status = 503, description = "The settings file cannot be written", body = RefusalBody<'static>),
    ),
    security(("key" = []), ())
)]
async fn delete_settings(State(gateway): State<Arc<Gateway>>, path: PathUser) -> Response {
    let deleted = gateway.users().delete(path.user).await;
    or_refuse(&gateway, deleted.map(|()| StatusCode::NO_CONTENT.into_response()))
}

/// Returns the last answer and the outcome of the last report.
#[utoipa::path(
    get,
    path = "/v1/people/{person}/answer",
    params(("person" = String, Path, description = "Name of the user within the account", min_length = 1,
            max_length = 64)),
    responses(
        (status = 200, description = "Last answer, and outcome of the last report",
         body = AnswerBody),
        (status = 400, description = "The name is empty, too long or not UTF-8", body = RefusalBody<'static>),
        (status = 401, description = "Missing or unknown API key", body = RefusalBody<'static>),
        (status = 404, description = "This user has no settings", body = RefusalBody<'static>),
        (status = 429, description = "Rate limit exceeded", body = RefusalBody<'static>),
        (status = 503, description = "The account has too many unread results", body = RefusalBody<'static>),
    ),
    security(("key" = []), ())
)]
async fn last_answer(State(gateway): State<Arc<Gateway>>, path: PathUser) -> Response {
    let found = path.profile(&gateway).map(|profile| {
        let now = gateway.clock().now();
        let recent = profile.recent_reports();
        let age = |outcome: &ReportOutcome| now.as_seconds() - outcome.at.as_seconds();
        let body = |outcome: &ReportOutcome| serde_json::from_slice(&outcome.body).ok();
        let answered = recent.answered(now);
        let body = AnswerBody {
            age: answered.map(|outcome| age(outcome).max(0.0)),
            answered: answered.and_then(body),
            latest: recent.latest(now).and_then(body),
        };
        json(&body).into()
    });
    let response = found.and_then(|body| respond(&gateway, &path.account, StatusCode::OK, body));
    or_refuse(&gateway, response)
}
