//! HTTP routes of the map: `/map/info` (bounds and counts), `/map/tiles/{z}/{x}/{y}` (vector
//! tiles), `/map/shapes/{block}` (street shapes by number).

use super::shapes::BLOCK_LEN;
use super::{MAX_ZOOM, TileId, Tiles, gzip, mercator};
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::{Json, Router, routing::get};
use bytes::Bytes;
use meshcloak::units::{Point, Rectangle};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Response of `/map/info`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MapInfo {
    /// Bounds of the map: west, south, east, north in degrees.
    pub bounds: [f64; 4],
    /// Bounds of the central part with most of the streets, shown first.
    pub middle: [f64; 4],
    /// Number of streets.
    pub streets: usize,
    /// Number of POIs of each category.
    pub categories: BTreeMap<String, usize>,
    /// Largest zoom of a tile.
    pub max_zoom: u8,
    /// Streets per block of shapes.
    pub block: usize,
    /// Total length of the streets in metres.
    pub metres: f64,
}

impl MapInfo {
    /// Collects bounds and counts of a map.
    pub fn new(tiles: &Tiles) -> MapInfo {
        let map = tiles.map();
        let mut categories = BTreeMap::new();
        for poi in map.pois() {
            let count: &mut usize = categories.entry(map.category(poi).to_owned()).or_default();
            *count = count.saturating_add(1);
        }
        MapInfo {
            bounds: degrees(tiles.bounds()),
            middle: degrees(tiles.central_bounds()),
            streets: map.street_count(),
            categories,
            max_zoom: MAX_ZOOM,
            block: BLOCK_LEN,
            metres: map.streets().map(|street| map.metres(street)).sum(),
        }
    }
}

/// Converts Web Mercator bounds to west, south, east, north in degrees.
fn degrees(Rectangle { min, max }: Rectangle) -> [f64; 4] {
    let low = mercator::unproject(Point::new(min.x, max.y));
    let high = mercator::unproject(Point::new(max.x, min.y));
    [low.lon, low.lat, high.lon, high.lat]
}

/// Routes of the map.
pub fn routes(tiles: Arc<Tiles>) -> Router {
    let info = MapInfo::new(&tiles);
    Router::new()
        .route("/map/info", get(|| async move { Json(info) }))
        .route("/map/tiles/{z}/{x}/{y}", get(tile))
        .route("/map/shapes/{block}", get(shapes))
        .with_state(tiles)
}

async fn tile(State(tiles): State<Arc<Tiles>>, Path((z, x, y)): Path<(u8, u32, u32)>) -> Response {
    // Encoding takes milliseconds and must not block the async runtime.
    let encoded = tokio::task::spawn_blocking(move || tiles.tile(TileId { z, x, y })).await;
    match encoded.ok().flatten() {
        None => StatusCode::NOT_FOUND.into_response(),
        Some(tile) if tile.is_empty() => (StatusCode::NO_CONTENT, [CACHE_ONE_HOUR]).into_response(),
        Some(tile) => gzip_response("application/vnd.mapbox-vector-tile", tile),
    }
}

async fn shapes(State(tiles): State<Arc<Tiles>>, Path(block): Path<usize>) -> Response {
    let json = tiles.block(block).and_then(|block| serde_json::to_vec(&block).ok());
    match json {
        None => StatusCode::NOT_FOUND.into_response(),
        Some(json) => gzip_response("application/json", gzip(&json).into()),
    }
}

/// The map does not change while the gateway runs.
const CACHE_ONE_HOUR: (header::HeaderName, &str) = (header::CACHE_CONTROL, "public, max-age=3600");

fn gzip_response(kind: &'static str, bytes: Bytes) -> Response {
    let headers =
        [(header::CONTENT_TYPE, kind), (header::CONTENT_ENCODING, "gzip"), CACHE_ONE_HOUR];
    (headers, bytes).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use axum::http::Request;
    use http_body_util::BodyExt as _;
    use import::{Options, read_map};
    use meshcloak::distance::Atlas;
    use meshcloak::units::Length;
    use tower::ServiceExt as _;

    async fn ask(app: &Router, path: &str) -> (StatusCode, Vec<u8>) {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let response = app.clone().oneshot(request).await.unwrap();
        let status = response.status();
        (status, response.into_body().collect().await.unwrap().to_bytes().to_vec())
    }

    #[tokio::test]
    async fn info_tiles_and_shapes_are_served() {
        let city = read_map(&"city:500:5".parse().unwrap(), &Options::default(), &()).unwrap();
        let tiles = Tiles::new(Arc::new(Atlas::new(city.map, Length::metres(500.0))));
        let centre = tiles.bounds().centre();
        let app = routes(Arc::new(tiles));
        let (status, info) = ask(&app, "/map/info").await;
        let info: serde_json::Value = serde_json::from_slice(&info).unwrap();
        assert_eq!(status, StatusCode::OK);
        assert!(info["bounds"][0].as_f64() < info["bounds"][2].as_f64(), "{info}");
        let part = |key: &str, n: usize| info[key][n].as_f64();
        assert!(part("bounds", 0) < part("middle", 0) && part("middle", 2) < part("bounds", 2));
        assert!(part("middle", 1) < part("middle", 3), "{info}");
        let index = |part: f64| (part * f64::from(1 << 14)) as u32;
        let middle = format!("/map/tiles/14/{}/{}", index(centre.x), index(centre.y));
        let (status, tile) = ask(&app, &middle).await;
        assert!(status == StatusCode::OK && tile.len() > 100, "{status} {}", tile.len());
        assert_eq!(ask(&app, "/map/tiles/14/0/0").await.0, StatusCode::NO_CONTENT);
        assert_eq!(ask(&app, "/map/tiles/2/9/0").await.0, StatusCode::NOT_FOUND);
        assert_eq!(ask(&app, "/map/tiles/2/-9/x").await.0, StatusCode::BAD_REQUEST);
        let (status, block) = ask(&app, "/map/shapes/1").await;
        assert!(status == StatusCode::OK && block.len() > 1000, "{status} {}", block.len());
        assert_eq!(ask(&app, "/map/shapes/9").await.0, StatusCode::NOT_FOUND);
    }
}
