//! HTTP routes of tracker tokens, `/v1/people/{person}/tokens`.

use super::NewToken;
use super::path_user::{PathUser, or_refuse};
use crate::api::RefusalBody;
use crate::gateway::Gateway;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

/// Routes of tracker tokens.
pub(super) fn routes() -> OpenApiRouter<Arc<Gateway>> {
    OpenApiRouter::new()
        .routes(utoipa_axum::routes!(add_token, list_tokens))
        .routes(utoipa_axum::routes!(revoke_token))
}

/// A token that was just created.
// Not `Debug`, so that it cannot be logged.
#[derive(Serialize, ToSchema)]
pub struct TokenBody {
    /// Identifies the token in lists and for revocation.
    pub id: String,
    /// The token itself; it cannot be shown again.
    pub token: String,
    /// Path of the URL that Traccar Client and OsmAnd report to.
    pub path: String,
}

/// Tokens of a user.
#[derive(Debug, Serialize, ToSchema)]
pub struct TokensBody {
    /// Ids of the tokens.
    pub ids: Vec<String>,
}

/// Creates a token for a tracker of a user.
#[utoipa::path(
    post,
    path = "/v1/people/{person}/tokens",
    params(("person" = String, Path, description = "Name of the user within the account", min_length = 1,
            max_length = 64)),
    responses(
        (status = 201, description = "Created; the token cannot be shown again", body = TokenBody),
        (status = 400, description = "The name is empty, too long or not UTF-8", body = RefusalBody<'static>),
        (status = 401, description = "Missing or unknown API key", body = RefusalBody<'static>),
        (status = 404, description = "This user has no settings", body = RefusalBody<'static>),
        (status = 422, description = "The user has the maximal number of tokens", body = RefusalBody<'static>),
        (status = 429, description = "Rate limit exceeded", body = RefusalBody<'static>),
        (status = 503, description = "The settings file cannot be written", body = RefusalBody<'static>),
    ),
    security(("key" = []), ())
)]
async fn add_token(State(gateway): State<Arc<Gateway>>, path: PathUser) -> Response {
    let created = gateway.users().add_token(path.user).await.map(|NewToken { id, token }| {
        let token = token.into_exposed();
        let path = format!("/v1/phones/traccar/{token}");
        (StatusCode::CREATED, Json(TokenBody { id, token, path })).into_response()
    });
    or_refuse(&gateway, created)
}

/// Lists the ids of a user's tokens.
#[utoipa::path(
    get,
    path = "/v1/people/{person}/tokens",
    params(("person" = String, Path, description = "Name of the user within the account", min_length = 1,
            max_length = 64)),
    responses(
        (status = 200, description = "Ids only, not the tokens", body = TokensBody),
        (status = 400, description = "The name is empty, too long or not UTF-8", body = RefusalBody<'static>),
        (status = 401, description = "Missing or unknown API key", body = RefusalBody<'static>),
        (status = 404, description = "This user has no settings", body = RefusalBody<'static>),
        (status = 429, description = "Rate limit exceeded", body = RefusalBody<'static>),
    ),
    security(("key" = []), ())
)]
async fn list_tokens(State(gateway): State<Arc<Gateway>>, path: PathUser) -> Response {
    let ids = path.profile(&gateway).map(|profile| profile.token_ids());
    or_refuse(&gateway, ids.map(|ids| Json(TokensBody { ids }).into_response()))
}

/// Revokes a token.
#[utoipa::path(
    delete,
    path = "/v1/people/{person}/tokens/{id}",
    params(("person" = String, Path, description = "Name of the user within the account", min_length = 1,
            max_length = 64),
           ("id" = String, Path, description = "Id of the token, as listed")),
    responses(
        (status = 204, description = "Revoked"),
        (status = 400, description = "The name is empty, too long or not UTF-8", body = RefusalBody<'static>),
        (status = 401, description = "Missing or unknown API key", body = RefusalBody<'static>),
        (status = 404, description = "No such user or token", body = RefusalBody<'static>),
        (status = 429, description = "Rate limit exceeded", body = RefusalBody<'static>),
        (status = 503, description = "The settings file cannot be written", body = RefusalBody<'static>),
    ),
    security(("key" = []), ())
)]
async fn revoke_token(State(gateway): State<Arc<Gateway>>, path: PathUser) -> Response {
    let revoked = gateway.users().revoke(path.user, &path.token).await;
    or_refuse(&gateway, revoked.map(|()| StatusCode::NO_CONTENT.into_response()))
}
