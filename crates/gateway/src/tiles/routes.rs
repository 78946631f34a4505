//! The map over HTTP: `/map/info` says where it lies, `/map/tiles/{z}/{x}/{y}` gives its tiles,
//! `/map/shapes/{block}` the shapes of its streets by number.

use super::shapes::BLOCK;
use super::{CLOSEST, TileId, Tiles, gzipped, mercator};
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::{Json, Router, routing::get};
use bytes::Bytes;
use meshcloak::units::{Point, Rectangle};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a page needs to know of the map before it can draw it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MapInfo {
    /// West, south, east, north in degrees.
    pub bounds: [f64; 4],
    /// The same for the middle of the map, where most of its streets are: what is shown first.
    pub middle: [f64; 4],
    /// How many streets there are.
    pub streets: usize,
    /// How many points of interest of each category there are.
    pub categories: BTreeMap<String, usize>,
    /// Tiles exist up to this zoom.
    pub max_zoom: u8,
    /// So many streets are in a block of shapes.
    pub block: usize,
    /// Metres of street altogether.
    pub metres: f64,
}

impl MapInfo {
    /// What there is to know of a map.
    pub fn of(tiles: &Tiles) -> MapInfo {
        let map = tiles.map();
        let mut categories = BTreeMap::new();
        for poi in map.pois() {
            *categories.entry(map.category(poi).to_owned()).or_insert(0) += 1;
        }
        MapInfo {
            bounds: degrees(tiles.world()),
            middle: degrees(tiles.middle()),
            streets: map.street_count(),
            categories,
            max_zoom: CLOSEST,
            block: BLOCK,
            metres: map.streets().map(|street| map.metres(street)).sum(),
        }
    }
}

/// A part of the square of the world as west, south, east, north.
fn degrees(Rectangle { min, max }: Rectangle) -> [f64; 4] {
    let low = mercator::place(Point::new(min.x, max.y));
    let high = mercator::place(Point::new(max.x, min.y));
    [low.lon, low.lat, high.lon, high.lat]
}

/// The routes of the map.
pub fn routes(tiles: Arc<Tiles>) -> Router {
    let info = MapInfo::of(&tiles);
    Router::new()
        .route("/map/info", get(|| async move { Json(info) }))
        .route("/map/tiles/{z}/{x}/{y}", get(tile))
        .route("/map/shapes/{block}", get(shapes))
        .with_state(tiles)
}

async fn tile(State(tiles): State<Arc<Tiles>>, Path((z, x, y)): Path<(u8, u32, u32)>) -> Response {
    // Cutting takes milliseconds; other requests are not to wait for it.
    let cut = tokio::task::spawn_blocking(move || tiles.tile(TileId { z, x, y })).await;
    match cut.ok().flatten() {
        None => StatusCode::NOT_FOUND.into_response(),
        Some(tile) if tile.is_empty() => (StatusCode::NO_CONTENT, [HOUR]).into_response(),
        Some(tile) => zipped("application/vnd.mapbox-vector-tile", tile),
    }
}

async fn shapes(State(tiles): State<Arc<Tiles>>, Path(block): Path<usize>) -> Response {
    let json = tiles.block(block).and_then(|block| serde_json::to_vec(&block).ok());
    match json {
        None => StatusCode::NOT_FOUND.into_response(),
        Some(json) => zipped("application/json", gzipped(&json).into()),
    }
}

/// The map stays as it is while the gateway runs.
const HOUR: (header::HeaderName, &str) = (header::CACHE_CONTROL, "public, max-age=3600");

fn zipped(kind: &'static str, bytes: Bytes) -> Response {
    let headers = [(header::CONTENT_TYPE, kind), (header::CONTENT_ENCODING, "gzip"), HOUR];
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
    async fn the_map_is_described_and_its_tiles_are_served() {
        let city = read_map(&"city:500:5".parse().unwrap(), &Options::default(), &()).unwrap();
        let tiles = Tiles::new(Arc::new(Atlas::new(city.map, Length::metres(500.0))));
        let centre = tiles.world().centre();
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
