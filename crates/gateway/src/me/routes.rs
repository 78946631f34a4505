//! Handlers of `/v1/me`.

use super::{MeBody, MeQuery};
use crate::api::{RefusalBody, ResultBody};
use crate::charged_body::respond;
use crate::compatible::{Here, PresentedToken, UserQuestion, ask_all};
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::json_error::json_error;
use crate::receipt::guarantee_name;
use crate::routes::{read, refuse};
use axum::Json;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use std::collections::BTreeSet;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;

/// Routes of the user of a token.
pub(crate) fn routes() -> OpenApiRouter<Arc<Gateway>> {
    OpenApiRouter::new().routes(utoipa_axum::routes!(me)).routes(utoipa_axum::routes!(ask_mine))
}

/// Returns what the user of a personal token may ask.
#[utoipa::path(
    get,
    path = "/v1/me",
    responses(
        (status = 200, description = "Settings of the user and categories", body = MeBody),
        (status = 401, description = "Missing or unknown token", body = RefusalBody<'static>),
        (status = 404, description = "`server.app` is off", body = RefusalBody<'static>),
        (status = 429, description = "Rate limit exceeded", body = RefusalBody<'static>),
    ),
    security(("key" = []), ())
)]
async fn me(State(gateway): State<Arc<Gateway>>, token: PresentedToken) -> Response {
    let described = describe(&gateway, token).map(|body| Json(body).into_response());
    described.unwrap_or_else(|refusal| refuse(&gateway, &refusal))
}

fn describe(gateway: &Gateway, token: PresentedToken) -> Result<MeBody, Refusal> {
    check_served(gateway)?;
    let asker = token.asker(gateway, None)?;
    if !asker.account.allow_query() {
        return Err(Refusal::Rate);
    }
    let (settings, limits) = (&asker.user.settings.body, asker.account.limits());
    let categories: BTreeSet<String> =
        gateway.cities().iter().flat_map(|city| city.category_names()).collect();
    Ok(MeBody {
        k: settings.k,
        dt: settings.dt,
        k_max: limits.k_max,
        dt_max: limits.dt_max.as_secs_f64(),
        guarantee: guarantee_name(gateway.guarantee()),
        categories: categories.into_iter().collect(),
    })
}

/// Asks a question of the user of a personal token. The response is sent when it has ended.
#[utoipa::path(
    post,
    path = "/v1/me/queries",
    request_body(content = MeQuery, content_type = "application/json"),
    responses(
        (status = 200, description = "The query has ended: answered, expired or cancelled",
         body = ResultBody<'static>),
        (status = 400, description = "Malformed request", body = RefusalBody<'static>),
        (status = 401, description = "Missing, unknown or revoked token", body = RefusalBody<'static>),
        (status = 404, description = "`server.app` is off", body = RefusalBody<'static>),
        (status = 408, description = "The request body did not arrive in time", body = RefusalBody<'static>),
        (status = 413, description = "The request body is too large", body = RefusalBody<'static>),
        (status = 415, description = "The content type is not application/json", body = RefusalBody<'static>),
        (status = 422, description = "k, dt, question or position is out of range",
         body = RefusalBody<'static>),
        (status = 429, description = "Rate limit exceeded", body = RefusalBody<'static>),
        (status = 502, description = "An anonymity set was published, but the service did not answer",
         body = ResultBody<'static>),
        (status = 503, description = "Too many queries are in progress, or the gateway is stopping",
         body = RefusalBody<'static>),
    ),
    security(("key" = []), ())
)]
async fn ask_mine(
    State(gateway): State<Arc<Gateway>>,
    token: PresentedToken,
    request: Request,
) -> Response {
    let answered = answer(&gateway, token, request).await;
    answered.unwrap_or_else(|refusal| refuse(&gateway, &refusal))
}

async fn answer(
    gateway: &Gateway,
    token: PresentedToken,
    request: Request,
) -> Result<Response, Refusal> {
    check_served(gateway)?;
    let asker = token.asker(gateway, None)?;
    let body = read(gateway, request).await?;
    let query: MeQuery = serde_json::from_slice(&body).map_err(|error| {
        let malformed = Refusal::Malformed(json_error(&error));
        if asker.account.allow_query() { malformed } else { Refusal::Rate }
    })?;
    let MeQuery { lon, lat, k, dt, question } = query;
    let questions = vec![UserQuestion { question, k, dt }];
    let results = ask_all(gateway, &asker, Here { lon, lat }, questions).await?;
    let finished = results.into_iter().next().ok_or(Refusal::Stopping)?;
    respond(gateway, &asker.account, finished.outcome.status(), finished.body)
}

fn check_served(gateway: &Gateway) -> Result<(), Refusal> {
    if gateway.config().server.app { Ok(()) } else { Err(Refusal::NoSuchPath) }
}
