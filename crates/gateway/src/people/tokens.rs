//! The routes about tokens of phones, with every status they can have.

use super::routes::{said, whom};
use crate::api::RefusalBody;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::routes::KeyAccount;
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

/// The routes about tokens.
pub(super) fn routes() -> OpenApiRouter<Arc<Gateway>> {
    OpenApiRouter::new()
        .routes(utoipa_axum::routes!(add_token, list_tokens))
        .routes(utoipa_axum::routes!(revoke_token))
}

/// A token that was just made. It cannot be printed.
#[derive(Serialize, ToSchema)]
pub struct TokenBody {
    /// What it is listed and revoked by.
    pub id: String,
    /// The token itself; it is not shown again.
    pub token: String,
    /// Where Traccar Client and OsmAnd report to, after the gateway's own address.
    pub path: String,
}

/// A person's tokens.
#[derive(Debug, Serialize, ToSchema)]
pub struct TokensBody {
    /// What they are listed and revoked by.
    pub ids: Vec<String>,
}

/// Makes a token for a person's phone.
#[utoipa::path(
    post,
    path = "/v1/people/{person}/tokens",
    params(("person" = String, Path, description = "Within the account", min_length = 1,
            max_length = 64)),
    responses(
        (status = 201, description = "Made; the token is not shown again", body = TokenBody),
        (status = 400, description = "No such name is possible", body = RefusalBody<'static>),
        (status = 401, description = "No known key", body = RefusalBody<'static>),
        (status = 404, description = "This person has no settings", body = RefusalBody<'static>),
        (status = 422, description = "She has too many", body = RefusalBody<'static>),
        (status = 429, description = "Too often", body = RefusalBody<'static>),
        (status = 503, description = "The change cannot be kept", body = RefusalBody<'static>),
    ),
    security(("key" = []), ())
)]
async fn add_token(
    State(gateway): State<Arc<Gateway>>,
    KeyAccount(account): KeyAccount,
    person: Result<Path<String>, PathRejection>,
) -> Response {
    let made = async {
        let (_, user) = whom(&gateway, &account, person)?;
        let (id, token) = gateway.people().add_token(user).await?;
        let path = format!("/v1/phones/traccar/{token}");
        Ok((StatusCode::CREATED, Json(TokenBody { id, token, path })).into_response())
    };
    said(&gateway, made.await)
}

/// A person's tokens, by what they are revoked by.
#[utoipa::path(
    get,
    path = "/v1/people/{person}/tokens",
    params(("person" = String, Path, description = "Within the account", min_length = 1,
            max_length = 64)),
    responses(
        (status = 200, description = "Not the tokens themselves", body = TokensBody),
        (status = 400, description = "No such name is possible", body = RefusalBody<'static>),
        (status = 401, description = "No known key", body = RefusalBody<'static>),
        (status = 404, description = "This person has no settings", body = RefusalBody<'static>),
        (status = 429, description = "Too often", body = RefusalBody<'static>),
    ),
    security(("key" = []), ())
)]
async fn list_tokens(
    State(gateway): State<Arc<Gateway>>,
    KeyAccount(account): KeyAccount,
    person: Result<Path<String>, PathRejection>,
) -> Response {
    let found = whom(&gateway, &account, person).and_then(|(_, user)| {
        let person = gateway.people().find(user).ok_or(Refusal::NoSettings)?;
        Ok(Json(TokensBody { ids: person.token_ids() }).into_response())
    });
    said(&gateway, found)
}

/// Takes a token away; it is refused from now on.
#[utoipa::path(
    delete,
    path = "/v1/people/{person}/tokens/{id}",
    params(("person" = String, Path, description = "Within the account", min_length = 1,
            max_length = 64),
           ("id" = String, Path, description = "As listed")),
    responses(
        (status = 204, description = "It is gone"),
        (status = 400, description = "No such name is possible", body = RefusalBody<'static>),
        (status = 401, description = "No known key", body = RefusalBody<'static>),
        (status = 404, description = "No such person or token", body = RefusalBody<'static>),
        (status = 429, description = "Too often", body = RefusalBody<'static>),
        (status = 503, description = "The change cannot be kept", body = RefusalBody<'static>),
    ),
    security(("key" = []), ())
)]
async fn revoke_token(
    State(gateway): State<Arc<Gateway>>,
    KeyAccount(account): KeyAccount,
    path: Result<Path<(String, String)>, PathRejection>,
) -> Response {
    let revoked = async {
        let utf8 = |_| Refusal::Malformed("person or token is not UTF-8".into());
        let Path((person, id)) = path.map_err(utf8)?;
        let (_, user) = whom(&gateway, &account, Ok(Path(person)))?;
        gateway.people().revoke(user, &id).await?;
        Ok(StatusCode::NO_CONTENT.into_response())
    };
    said(&gateway, revoked.await)
}
