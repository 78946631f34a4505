//! The routes, and the document that describes them.

use crate::gateway::Gateway;
use crate::routes;
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

/// The longest body, and the longest line of a stream.
pub const MOST_BYTES: usize = 16 << 10;

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "MeshCloak",
        description = "A location-privacy gateway: hides each person among k people reachable \
                       on the street map, and asks the service for all of them at once.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    components(schemas(crate::api::ResultBody<'static>, crate::api::RefusalBody<'static>))
)]
struct Document;

/// Everything people can reach.
pub fn app(gateway: Arc<Gateway>) -> Router {
    let (router, _) = documented().split_for_parts();
    router
        .fallback(routes::nothing_here)
        .method_not_allowed_fallback(routes::not_that_way)
        .layer(SetResponseHeaderLayer::if_not_present(
            CACHE_CONTROL,
            HeaderValue::from_static("no-store"),
        ))
        .layer(SetResponseHeaderLayer::if_not_present(
            X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ))
        .with_state(gateway)
}

/// What the operator can reach, on a socket of its own.
pub fn operator_app(gateway: Arc<Gateway>) -> Router {
    Router::new()
        .route("/metrics", get(routes::metrics))
        .route("/health", get(routes::health))
        .route("/ready", get(routes::ready))
        .with_state(gateway)
}

/// The document that describes the routes.
pub fn document() -> OpenApi {
    with_keys(documented().split_for_parts().1)
}

fn documented() -> OpenApiRouter<Arc<Gateway>> {
    OpenApiRouter::with_openapi(Document::openapi())
        .routes(utoipa_axum::routes!(routes::ask))
        .routes(utoipa_axum::routes!(routes::take_back))
        .routes(utoipa_axum::routes!(routes::stream))
        .merge(crate::users::routes())
        .merge(crate::trackers::routes())
        .merge(crate::live::routes())
        .routes(utoipa_axum::routes!(routes::map))
        .routes(utoipa_axum::routes!(routes::openapi))
        .routes(utoipa_axum::routes!(routes::health))
        .routes(utoipa_axum::routes!(routes::ready))
}

/// Says how a key is presented.
fn with_keys(mut document: OpenApi) -> OpenApi {
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
    let components = document.components.get_or_insert_default();
    components.add_security_scheme("key", SecurityScheme::Http(bearer));
    let basic = HttpBuilder::new().scheme(HttpAuthScheme::Basic).build();
    components.add_security_scheme("phone", SecurityScheme::Http(basic));
    document
}
