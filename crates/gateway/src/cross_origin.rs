//! Headers that let web pages of other origins use the client API (CORS), for the origins of
//! `server.origins`.
//!
//! A page must present a key or token itself: cookies are neither set nor read, and credentials of the
//! browser are not allowed. The headers therefore give a page no right that its key lacks.

use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderName, HeaderValue, Method};
use std::time::Duration;
use tower_http::cors::{AllowOrigin, CorsLayer};

/// Time for which a browser may remember a preflight.
const MAX_AGE: Duration = Duration::from_secs(3600);

/// Headers of requests to the Places API.
const FIELD_MASK: HeaderName = HeaderName::from_static("x-goog-fieldmask");
const API_KEY: HeaderName = HeaderName::from_static("x-goog-api-key");

/// Builds the layer that answers preflights and marks responses for these origins.
pub(crate) fn layer(origins: &[String]) -> CorsLayer {
    let allowed = origins.iter().filter_map(|origin| HeaderValue::from_str(origin).ok());
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(allowed))
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::DELETE])
        .allow_headers([AUTHORIZATION, CONTENT_TYPE, FIELD_MASK, API_KEY])
        .expose_headers([RETRY_AFTER])
        .max_age(MAX_AGE)
}
