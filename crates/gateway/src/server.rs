//! Routers of the client API and of the operator's socket, and the OpenAPI document.

use crate::cross_origin;
use crate::gateway::Gateway;
use crate::routes;
use crate::status;
use axum::Router;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, X_CONTENT_TYPE_OPTIONS};
use axum::routing::get;
use std::sync::Arc;
use tower_http::set_header::SetResponseHeaderLayer;
use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;

/// Largest request body and longest line of a stream, in bytes.
pub const MAX_BODY_BYTES: usize = 16 << 10;

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "MeshCloak",
        description = "A location-privacy gateway: groups the queries of at least k users who can \
                       reach each other on the street map, and sends the service one request \
                       for the whole group.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    components(schemas(crate::api::ResultBody<'static>, crate::api::RefusalBody<'static>))
)]
struct ApiDocument;

/// Builds the router of the client API.
pub fn app(gateway: Arc<Gateway>) -> Router {
    let (mut router, _) = documented().split_for_parts();
    if gateway.config().server.compatible {
        router = router.merge(crate::compatible::routes());
    }
    if gateway.config().server.app {
        router = router.merge(crate::me::app_routes());
    }
    let origins = gateway.config().server.origins.clone();
    let router = router
        .fallback(routes::unknown_path)
        .method_not_allowed_fallback(routes::wrong_method)
        .layer(SetResponseHeaderLayer::if_not_present(
            CACHE_CONTROL,
            HeaderValue::from_static("no-store"),
        ))
        .layer(SetResponseHeaderLayer::if_not_present(
            X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ))
        .with_state(gateway);
    if origins.is_empty() { router } else { router.layer(cross_origin::layer(&origins)) }
}

/// Builds the router of the operator's socket.
pub fn operator_app(gateway: Arc<Gateway>) -> Router {
    Router::new()
        .route("/metrics", get(status::metrics))
        .route("/health", get(status::health))
        .route("/ready", get(status::ready))
        .with_state(gateway)
}

/// Returns the OpenAPI document of the client API.
pub fn document() -> OpenApi {
    with_security(documented().split_for_parts().1)
}

fn documented() -> OpenApiRouter<Arc<Gateway>> {
    OpenApiRouter::with_openapi(ApiDocument::openapi())
        .routes(utoipa_axum::routes!(routes::ask))
        .routes(utoipa_axum::routes!(routes::cancel_query))
        .routes(utoipa_axum::routes!(routes::stream))
        .merge(crate::users::routes())
        .merge(crate::trackers::routes())
        .merge(crate::live::routes())
        .merge(crate::me::routes())
        .routes(utoipa_axum::routes!(status::map))
        .routes(utoipa_axum::routes!(status::openapi))
        .routes(utoipa_axum::routes!(status::health))
        .routes(utoipa_axum::routes!(status::ready))
}

/// Adds the authentication schemes.
fn with_security(mut document: OpenApi) -> OpenApi {
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
    let components = document.components.get_or_insert_default();
    components.add_security_scheme("key", SecurityScheme::Http(bearer));
    let basic = HttpBuilder::new().scheme(HttpAuthScheme::Basic).build();
    components.add_security_scheme("phone", SecurityScheme::Http(basic));
    document
}
