//! Photon, `GET /reverse`: the places nearest to a position, as GeoJSON.

use super::asker::PresentedToken;
use super::element_id::ElementId;
use super::nearby::{MAX_WANTS, Place, find_places, merge};
use super::nearby_plan::{Limit, NearbyWant};
use super::parameters::{Parameters, here, radius};
use super::problem::Problem;
use super::tagged_category::category_of;
use super::user_queries::Here;
use crate::answers::json;
use crate::charged_body::respond;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::routes::JSON;
use crate::service::key_of_category;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use serde_json::{Map, Value, json as value};
use std::sync::Arc;

const ONCE: [&str; 6] = ["lon", "lat", "radius", "limit", "distance_sort", "lang"];
const REPEATED: [&str; 1] = ["osm_tag"];

/// Photon's default radius in kilometres, and its default and largest number of places.
const DEFAULT_KILOMETRES: f64 = 1.0;
const DEFAULT_LIMIT: usize = 1;
const MAX_LIMIT: usize = 50;

/// A parsed request.
struct ReverseRequest {
    here: Here,
    /// Keys and values; any if empty.
    tags: Vec<(String, String)>,
    radius: f64,
    limit: usize,
}

/// Answers a request to `/reverse`.
pub(super) async fn reverse(
    State(gateway): State<Arc<Gateway>>,
    token: PresentedToken,
    RawQuery(query): RawQuery,
) -> Response {
    let answered = async {
        let asker = token.asker(&gateway, None)?;
        let request = parse(query.as_deref().unwrap_or(""));
        let request = request.map_err(|sentence| asker.unsupported(sentence))?;
        let wants = wants(&gateway, &request).map_err(|refusal| asker.refused(refusal))?;
        let lists = find_places(&gateway, &asker, request.here, &wants).await?;
        let places = merge(lists, request.limit);
        let features: Vec<Value> = places.iter().map(feature).collect();
        let body = value!({"type": "FeatureCollection", "features": features});
        Ok(respond(&gateway, &asker.account, StatusCode::OK, json(&body).into())?)
    };
    answered.await.unwrap_or_else(|problem| refuse(&gateway, &problem))
}

pub(super) fn refuse(gateway: &Gateway, problem: &Problem) -> Response {
    problem.count(gateway);
    let body = value!({"message": problem.message}).to_string();
    (problem.kind.status(), [(CONTENT_TYPE, JSON)], body).into_response()
}

fn parse(query: &str) -> Result<ReverseRequest, String> {
    let parameters = Parameters::parse(query, &ONCE, &REPEATED)?;
    let coordinate = |name: &str| -> Result<f64, String> {
        parameters.number(name)?.ok_or_else(|| format!("the parameter `{name}` is missing"))
    };
    let here = here(coordinate("lon")?, coordinate("lat")?)?;
    let kilometres = parameters.number("radius")?.unwrap_or(DEFAULT_KILOMETRES);
    let radius = radius(kilometres * 1000.0)?;
    let limit = parameters.number("limit")?.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
    if parameters.get("distance_sort").is_some_and(|text| text != "true") {
        return Err("`distance_sort` is supported as true only".into());
    }
    if parameters.get("lang").is_some_and(|text| text != "default") {
        return Err("`lang` is supported as default only".into());
    }
    let tag = |text: &str| match text.split_once(':') {
        Some((key, value)) if !key.is_empty() && !value.is_empty() && !text.contains('!') => {
            Ok((key.to_owned(), value.to_owned()))
        }
        _ => Err("`osm_tag` is supported as key:value only".to_owned()),
    };
    let tags: Vec<(String, String)> =
        parameters.all("osm_tag").map(tag).collect::<Result<_, _>>()?;
    if tags.len() > MAX_WANTS {
        return Err(format!("at most {MAX_WANTS} `osm_tag` are supported"));
    }
    Ok(ReverseRequest { here, tags, radius, limit })
}

/// Returns a want for each tag, or one for all places.
fn wants(gateway: &Gateway, request: &ReverseRequest) -> Result<Vec<NearbyWant>, Refusal> {
    let ReverseRequest { tags, radius, limit, .. } = request;
    let want = |category| NearbyWant { category, radius: *radius, limit: Limit::Nearest(*limit) };
    if tags.is_empty() {
        return Ok(vec![want(None)]);
    }
    tags.iter().map(|(key, value)| category_of(gateway, key, value).map(Some).map(want)).collect()
}

fn feature(place: &Place) -> Value {
    let id = ElementId::of(&place.id);
    let mut properties = Map::new();
    let mut add = |name: &str, value: Value| drop(properties.insert(name.to_owned(), value));
    add("osm_type", id.element.letter().into());
    add("osm_id", id.number.into());
    add("osm_value", place.category.as_str().into());
    add("type", "house".into());
    if let Some(key) = key_of_category(&place.category) {
        add("osm_key", key.into());
    }
    if !place.name.is_empty() {
        add("name", place.name.as_str().into());
    }
    value!({
        "type": "Feature",
        "geometry": {"type": "Point", "coordinates": [place.lon, place.lat]},
        "properties": properties,
    })
}
