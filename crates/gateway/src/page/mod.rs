//! The web page: built from `web/`, embedded into the binary, and served with a content security
//! policy that allows connections to this gateway only.
//!
//! A binary built without Node has no page; it serves a notice instead, and all other routes.

mod guard;
mod monitor;
mod report;

pub use guard::{PageToken, with_host_check};
pub use monitor::{BatchMonitor, BatchSummary};

use crate::gateway::Gateway;
use crate::tiles::{self, Tiles};
use axum::extract::{Path, State};
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
    REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::{Json, Router, routing::get};
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use rust_embed::Embed;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

#[derive(Embed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct Dist;

/// Content security policy: same-origin resources only, no inline code, no framing.
const POLICY: &str = "default-src 'none'; script-src 'self'; worker-src 'self'; \
    style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; \
    manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Served at `/` if no page is embedded.
const NO_PAGE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
    <title>MeshCloak</title><h1>MeshCloak is running, without its page</h1>\
    <p>This binary was built without Node and has no page. All other routes work: the API \
    is described by <a href=\"/v1/openapi.json\">/v1/openapi.json</a>. \
    To get the page, install npm and run <code>make run</code>.</p></html>";

/// Options of the page.
#[derive(Clone, Debug, Default)]
pub struct PageOptions {
    /// What the page displays.
    pub mode: PageMode,
    /// Folder of an evaluation report.
    pub report: Option<PathBuf>,
    /// Routes of the view of a cluster; `None` without a cluster.
    pub cluster: Option<Router>,
}

/// What the page displays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PageMode {
    /// Published regions of a gateway with real users.
    #[default]
    Operator,
    /// The demo with simulated agents.
    Demo,
}

/// Response of `/page/info`.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct PageInfo {
    demo: bool,
    cluster: bool,
    report: Option<&'static str>,
}

/// An embedded file, plain and compressed.
struct Asset {
    kind: &'static str,
    plain: Bytes,
    gzipped: Bytes,
}

type Assets = Arc<BTreeMap<String, Asset>>;

/// Whether this binary has an embedded page.
pub fn is_embedded() -> bool {
    Dist::get("index.html").is_some()
}

/// Routes of the page.
pub fn routes(options: &PageOptions) -> Router {
    routes_with(options, assets())
}

fn routes_with(options: &PageOptions, assets: Assets) -> Router {
    let report = options.report.as_deref().filter(|folder| folder.join(report::INDEX).is_file());
    let info = PageInfo {
        demo: options.mode == PageMode::Demo,
        cluster: options.cluster.is_some(),
        report: report.map(|_| "./report/report.html"),
    };
    let router = Router::new()
        .route("/", get(index))
        .route("/icon.svg", get(icon))
        .route("/licences.txt", get(licences))
        .route("/assets/{file}", get(asset))
        .with_state(assets)
        .route("/page/info", get(|| async move { Json(info) }));
    match report {
        Some(folder) => router.merge(report::routes(folder.to_owned())),
        None => router,
    }
}

/// Routes of the operator's listener: the page, the map and the published regions.
pub fn operator(
    gateway: &Arc<Gateway>,
    monitor: &Arc<BatchMonitor>,
    options: &PageOptions,
) -> Router {
    let options = PageOptions { mode: PageMode::Operator, ..options.clone() };
    let tiles = Arc::new(Tiles::new(Arc::clone(gateway.city().atlas())));
    routes(&options)
        .merge(tiles::routes(tiles))
        .merge(monitor.routes(Arc::clone(gateway)))
        .merge(options.cluster.unwrap_or_default())
        .route("/v1/openapi.json", get(|| async { Json(crate::server::document()) }))
}

fn assets() -> Assets {
    let read = |name: std::borrow::Cow<'static, str>| {
        let kind = kind_of(&name)?;
        let plain = Bytes::from(Dist::get(&name)?.data.into_owned());
        let gzipped = gzip(&plain);
        Some((name.into_owned(), Asset { kind, plain, gzipped }))
    };
    Arc::new(Dist::iter().filter_map(read).collect())
}

/// Serves an embedded file; `None` if there is none with this name.
pub(crate) fn embedded_file(
    name: &str,
    headers: &HeaderMap,
    cache_control: &'static str,
) -> Option<Response> {
    static ASSETS: OnceLock<Assets> = OnceLock::new();
    let asset = ASSETS.get_or_init(assets).get(name)?;
    Some(serve(asset, headers, cache_control))
}

fn kind_of(name: &str) -> Option<&'static str> {
    Some(match name.rsplit_once('.')?.1 {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "txt" => "text/plain; charset=utf-8",
        "webmanifest" => "application/manifest+json",
        _ => return None,
    })
}

fn gzip(plain: &[u8]) -> Bytes {
    let mut writer = GzEncoder::new(Vec::new(), Compression::new(5));
    let written = writer.write_all(plain).and_then(|()| writer.finish());
    Bytes::from(written.expect("writing to memory cannot fail"))
}

async fn index(State(assets): State<Assets>, headers: HeaderMap) -> Response {
    match assets.get("index.html") {
        Some(page) => serve(page, &headers, "no-cache"),
        None => with_security_headers(
            ([(CONTENT_TYPE, "text/html; charset=utf-8")], NO_PAGE).into_response(),
        ),
    }
}

async fn icon(state: State<Assets>, headers: HeaderMap) -> Response {
    find(&state, "icon.svg", &headers, "no-cache")
}

async fn licences(state: State<Assets>, headers: HeaderMap) -> Response {
    find(&state, "licences.txt", &headers, "no-cache")
}

async fn asset(state: State<Assets>, Path(name): Path<String>, headers: HeaderMap) -> Response {
    // File names contain a content hash.
    find(&state, &format!("assets/{name}"), &headers, "public, max-age=31536000, immutable")
}

fn find(assets: &Assets, name: &str, headers: &HeaderMap, cache_control: &'static str) -> Response {
    match assets.get(name) {
        Some(asset) => serve(asset, headers, cache_control),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn serve(asset: &Asset, headers: &HeaderMap, cache_control: &'static str) -> Response {
    let accepted = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    let common =
        [(CONTENT_TYPE, asset.kind), (CACHE_CONTROL, cache_control), (VARY, "accept-encoding")];
    with_security_headers(if accepted.is_some_and(|accepted| accepted.contains("gzip")) {
        (common, [(CONTENT_ENCODING, "gzip")], asset.gzipped.clone()).into_response()
    } else {
        (common, asset.plain.clone()).into_response()
    })
}

fn with_security_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use axum::http::Request;
    use http_body_util::BodyExt as _;
    use tower::ServiceExt as _;

    async fn ask(app: &Router, path: &str) -> (StatusCode, HeaderMap, String) {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let response = app.clone().oneshot(request).await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        (status, headers, String::from_utf8_lossy(&bytes).into_owned())
    }

    #[tokio::test]
    async fn the_page_or_the_notice_is_served() {
        let app = routes(&PageOptions::default());
        let (status, headers, page) = ask(&app, "/").await;
        assert_eq!(status, StatusCode::OK);
        assert!(headers[CONTENT_SECURITY_POLICY].to_str().unwrap().contains("default-src 'none'"));
        assert!(page.contains("<title>MeshCloak</title>"), "{page}");
        assert_eq!(page.contains("without Node"), !is_embedded());
        assert_eq!(ask(&app, "/nothing.js").await.0, StatusCode::NOT_FOUND);
        assert_eq!(ask(&app, "/assets/..%2F..%2FCargo.toml").await.0, StatusCode::NOT_FOUND);
    }

    #[tokio::test]
    async fn a_binary_without_a_page_serves_the_notice_and_other_routes() {
        let app = routes_with(&PageOptions::default(), Assets::default());
        let (status, _, page) = ask(&app, "/").await;
        assert_eq!(status, StatusCode::OK);
        assert!(page.contains("built without Node") && page.contains("make run"), "{page}");
        assert_eq!(ask(&app, "/page/info").await.0, StatusCode::OK);
        assert_eq!(ask(&app, "/icon.svg").await.0, StatusCode::NOT_FOUND);
    }

    #[tokio::test]
    async fn only_the_demo_page_has_the_demo_flag() {
        let (_, _, info) = ask(&routes(&PageOptions::default()), "/page/info").await;
        assert_eq!(info, r#"{"demo":false,"cluster":false,"report":null}"#);
        let demo = PageOptions { mode: PageMode::Demo, ..PageOptions::default() };
        assert!(ask(&routes(&demo), "/page/info").await.2.contains("true"));
    }

    #[tokio::test]
    async fn the_report_is_served_and_no_file_outside_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let results = folder.path().join("results");
        std::fs::create_dir(&results).unwrap();
        std::fs::write(results.join("report.html"), "a report").unwrap();
        std::fs::write(folder.path().join("secret.txt"), "secret").unwrap();
        let options = PageOptions { report: Some(results), ..PageOptions::default() };
        let app = routes(&options);
        assert_eq!(ask(&app, "/report/report.html").await.2, "a report");
        for outside in ["/report/../secret.txt", "/report/..%2Fsecret.txt", "/report/%2Fetc/passwd"]
        {
            assert_eq!(ask(&app, outside).await.0, StatusCode::NOT_FOUND, "{outside}");
        }
    }
}
