//! Handlers that describe the gateway: map, OpenAPI document, health, metrics.

use crate::answers::json;
use crate::api::{CityBody, MapBody, StateBody};
use crate::gateway::Gateway;
use crate::receipt;
use crate::routes::JSON;
use crate::server::document;
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use import::MapSource;
use meshcloak::map::StreetMap;
use meshcloak::units::Point;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// Describes the map.
#[utoipa::path(get, path = "/v1/map", responses((status = 200, body = MapBody)))]
pub async fn map(State(gateway): State<Arc<Gateway>>) -> Json<MapBody> {
    let (map, config) = (gateway.city().map(), gateway.config());
    let all = gateway.cities().iter().filter(|_| gateway.cities().are_several());
    let cities = all.map(|city| CityBody {
        name: city.name().to_owned(),
        extent: extent(city.map()),
        streets: city.map().street_count(),
    });
    Json(MapBody {
        name: map_name(config.map.first_source()),
        extent: extent(map),
        streets: map.street_count(),
        guarantee: receipt::guarantee_name(gateway.guarantee()),
        tick: config.engine.tick.as_secs_f64(),
        cities: cities.collect(),
    })
}

/// Returns west, south, east, north of a map in degrees, or in metres if it has no lon/lat.
fn extent(map: &StreetMap) -> [f64; 4] {
    let bounds = map.bounds();
    let [west_south, east_north] = [bounds.min, bounds.max].map(|corner: Point| {
        map.frame().map_or([corner.x, corner.y], |frame| {
            let lon_lat = frame.lon_lat(corner);
            [lon_lat.lon, lon_lat.lat]
        })
    });
    [west_south[0], west_south[1], east_north[0], east_north[1]]
}

/// Returns the name of a map without the folders of its file, which are the operator's.
fn map_name(source: &MapSource) -> String {
    let text = source.to_string();
    Path::new(&text).file_name().map_or_else(String::new, |name| name.to_string_lossy().into())
}

/// Returns this document.
#[utoipa::path(get, path = "/v1/openapi.json", responses(
    (status = 200, description = "OpenAPI description of the client API", body = Object),
))]
pub async fn openapi() -> Response {
    static DOCUMENT: OnceLock<Bytes> = OnceLock::new();
    let text = DOCUMENT.get_or_init(|| json(&document()).into());
    ([(CONTENT_TYPE, JSON)], Body::from(text.clone())).into_response()
}

/// Liveness probe: fails after a reload of the settings that failed, until one succeeds.
#[utoipa::path(get, path = "/health", responses(
    (status = 200, body = StateBody),
    (status = 503, description = "The last reload failed: settings and keys are those of before",
     body = StateBody),
))]
pub async fn health(State(gateway): State<Arc<Gateway>>) -> Response {
    if gateway.metrics().reload_failed() {
        return (StatusCode::SERVICE_UNAVAILABLE, Json(StateBody { state: "reload-failed" }))
            .into_response();
    }
    Json(StateBody { state: "ok" }).into_response()
}

/// Readiness probe: whether queries are accepted.
#[utoipa::path(get, path = "/ready", responses(
    (status = 200, body = StateBody),
    (status = 503, description = "The gateway is stopping", body = StateBody),
))]
pub async fn ready(State(gateway): State<Arc<Gateway>>) -> Response {
    if *gateway.stopping().borrow() {
        return (StatusCode::SERVICE_UNAVAILABLE, Json(StateBody { state: "stopping" }))
            .into_response();
    }
    Json(StateBody { state: "ok" }).into_response()
}

/// Metrics in the text format of Prometheus.
pub async fn metrics(State(gateway): State<Arc<Gateway>>) -> Response {
    let under_way = gateway.under_way().load(std::sync::atomic::Ordering::Relaxed);
    let text = gateway.metrics().render(under_way);
    let content_type = HeaderValue::from_static("text/plain; version=0.0.4");
    ([(CONTENT_TYPE, content_type)], text).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_map_has_no_folders() {
        for (source, name) in [
            ("/etc/meshcloak/porto.meshmap", "porto.meshmap"),
            ("maps/../porto.osm.pbf", "porto.osm.pbf"),
            ("city:500:7", "city:500:7"),
        ] {
            assert_eq!(map_name(&source.parse().unwrap()), name);
        }
    }
}
