//! Web pages of other origins: which may use the client API, and what a browser is told.

use crate::clients::World;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use tower::ServiceExt as _;

const ALLOWED: [&str; 2] = ["https://app.example", "http://localhost:5173"];

async fn world(origins: &[&str]) -> World {
    World::with(|config, _| {
        config.server.origins = origins.iter().map(|&origin| origin.into()).collect();
        config.server.compatible = true;
        config.server.app = true;
    })
    .await
}

async fn send(world: &World, request: Request<Body>) -> (StatusCode, HeaderMap) {
    let response = world.fixture.app.clone().oneshot(request).await.unwrap();
    (response.status(), response.headers().clone())
}

fn preflight(origin: &str, path: &str) -> Request<Body> {
    Request::options(path)
        .header("origin", origin)
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "authorization,content-type")
        .body(Body::empty())
        .unwrap()
}

fn get(origin: &str, path: &str) -> Request<Body> {
    Request::get(path).header("origin", origin).body(Body::empty()).unwrap()
}

const PATHS: [&str; 4] = [
    "/v1/queries",
    "/v1/queries/stream",
    "/v1/me/queries",
    "/compatible/mp_00/v1/places:searchNearby",
];

#[tokio::test]
async fn listed_origins_may_send_keys_and_read_answers() {
    let world = world(&ALLOWED).await;
    for origin in ALLOWED {
        for path in PATHS {
            let (status, headers) = send(&world, preflight(origin, path)).await;
            assert_eq!(status, 200, "{path}");
            assert_eq!(headers["access-control-allow-origin"], origin);
            let allowed = headers["access-control-allow-headers"].to_str().unwrap();
            for header in ["authorization", "content-type", "x-goog-fieldmask"] {
                assert!(allowed.contains(header), "{allowed}");
            }
            assert!(headers["access-control-allow-methods"].to_str().unwrap().contains("POST"));
        }
        // A refusal can be read by the page, too.
        for (path, expected) in [("/v1/map", 200), ("/v1/me", 401), ("/nothing", 404)] {
            let (status, headers) = send(&world, get(origin, path)).await;
            assert_eq!(status, expected);
            assert_eq!(headers["access-control-allow-origin"], origin);
            assert_eq!(headers["access-control-expose-headers"], "retry-after");
            assert!(headers["vary"].to_str().unwrap().contains("origin"));
        }
    }
    assert_eq!(world.fixture.counts().0, 0);
}

#[tokio::test]
async fn no_response_allows_credentials_of_the_browser_or_every_origin() {
    let world = world(&ALLOWED).await;
    for origin in [ALLOWED[0], "https://other.example", "null"] {
        for request in [preflight(origin, PATHS[0]), get(origin, "/v1/map")] {
            let (_, headers) = send(&world, request).await;
            assert!(!headers.contains_key("access-control-allow-credentials"));
            let named = headers.get("access-control-allow-origin");
            assert_eq!(
                named.map(|named| named.to_str().unwrap()),
                (origin == ALLOWED[0]).then_some(origin)
            );
        }
    }
}

#[tokio::test]
async fn other_origins_are_not_named() {
    let world = world(&ALLOWED).await;
    for origin in ["https://app.example.org", "https://other.example", "http://app.example", "null"]
    {
        for path in PATHS {
            let (_, headers) = send(&world, preflight(origin, path)).await;
            assert!(!headers.contains_key("access-control-allow-origin"), "{origin}");
        }
        let (_, headers) = send(&world, get(origin, "/v1/map")).await;
        assert!(!headers.contains_key("access-control-allow-origin"), "{origin}");
    }
}

#[tokio::test]
async fn by_default_no_origin_is_allowed() {
    let world = world(&[]).await;
    let (status, headers) = send(&world, preflight(ALLOWED[0], PATHS[0])).await;
    assert_eq!(status, 405);
    let (found, more) = send(&world, get(ALLOWED[0], "/v1/map")).await;
    assert_eq!(found, 200);
    for headers in [headers, more] {
        let named = headers.keys().any(|name| name.as_str().starts_with("access-control"));
        assert!(!named, "{headers:?}");
    }
}
