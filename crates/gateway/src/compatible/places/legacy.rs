//! `GET /maps/api/place/nearbysearch/json`, the legacy search. Errors have status 200 and say so in
//! the field `status`, as in that API.

use super::{MAX_RESULTS, wants};
use crate::answers::json;
use crate::charged_body::respond;
use crate::compatible::asker::PresentedToken;
use crate::compatible::nearby::{Place, find_places, merge};
use crate::compatible::nearby_plan::Limit;
use crate::compatible::parameters::{Parameters, here, radius};
use crate::compatible::problem::{Problem, ProblemKind};
use crate::compatible::user_queries::Here;
use crate::gateway::Gateway;
use crate::routes::JSON;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json as value};
use std::sync::Arc;

/// Supported parameters; `language` has no effect, since names have one language.
const ONCE: [&str; 8] =
    ["location", "radius", "rankby", "type", "key", "language", "minprice", "maxprice"];

/// The whole range of prices. Objects have no price.
const PRICES: [(&str, &str); 2] = [("minprice", "0"), ("maxprice", "4")];

/// What the Python client `googlemaps` sends for a price that is not set.
const UNSET: &str = "None";

/// A parsed request.
struct NearbySearch {
    here: Here,
    types: Vec<String>,
    metres: f64,
    limit: Limit,
}

/// Answers a search.
pub(in crate::compatible) async fn search(
    State(gateway): State<Arc<Gateway>>,
    token: PresentedToken,
    RawQuery(query): RawQuery,
) -> Response {
    let query = query.unwrap_or_default();
    let answered = async {
        let mut pairs = form_urlencoded::parse(query.as_bytes());
        let key = pairs.find(|(name, _)| name == "key").map(|(_, key)| key.into_owned());
        let asker = token.asker(&gateway, key.as_deref())?;
        let request = parse(&query).map_err(|sentence| asker.unsupported(sentence))?;
        let NearbySearch { here, types, metres, limit } = request;
        let wants = wants(&gateway, &types, metres, limit);
        let wants = wants.map_err(|refusal| asker.refused(refusal))?;
        let lists = find_places(&gateway, &asker, here, &wants).await?;
        let results: Vec<Value> = merge(lists, MAX_RESULTS).iter().map(place_json).collect();
        let status = if results.is_empty() { "ZERO_RESULTS" } else { "OK" };
        let body = value!({"html_attributions": [], "results": results, "status": status});
        Ok(respond(&gateway, &asker.account, StatusCode::OK, json(&body).into())?)
    };
    answered.await.unwrap_or_else(|problem| refuse(&gateway, &problem))
}

fn parse(query: &str) -> Result<NearbySearch, String> {
    let parameters = Parameters::parse(query, &ONCE, &[])?;
    let location = parameters.get("location").and_then(|text| text.split_once(','));
    let location =
        location.and_then(|(lat, lon)| Some((lon.trim().parse().ok()?, lat.trim().parse().ok()?)));
    let (lon, lat) = location.ok_or("`location` must be latitude,longitude")?;
    let here = here(lon, lat)?;
    for (name, whole) in PRICES {
        if parameters.get(name).is_some_and(|price| price != whole && price != UNSET) {
            return Err(format!("the parameter `{name}` is supported as {whole} only"));
        }
    }
    let types: Vec<String> = parameters.get("type").map(str::to_owned).into_iter().collect();
    let metres: Option<f64> = parameters.number("radius")?;
    let (metres, limit) = match (parameters.get("rankby"), metres) {
        (None, Some(metres)) => (radius(metres)?, Limit::Nearest(MAX_RESULTS)),
        (Some("distance"), None) if types.is_empty() => {
            return Err("`rankby=distance` needs `type`".into());
        }
        (Some("distance"), None) => (f64::INFINITY, Limit::Nearest(MAX_RESULTS)),
        (Some("distance"), Some(_)) => {
            return Err("`radius` must not be included with `rankby=distance`".into());
        }
        (None, None) => return Err("`radius` or `rankby=distance` is needed".into()),
        (Some(_), _) => return Err("`rankby` is supported as distance only".into()),
    };
    Ok(NearbySearch { here, types, metres, limit })
}

fn place_json(place: &Place) -> Value {
    value!({
        "geometry": {"location": {"lat": place.lat, "lng": place.lon}},
        "name": place.name,
        "place_id": place.id,
        "types": [place.category],
    })
}

pub(in crate::compatible) fn refuse(gateway: &Gateway, problem: &Problem) -> Response {
    problem.count(gateway);
    let status = match problem.kind {
        ProblemKind::Invalid | ProblemKind::Method => "INVALID_REQUEST",
        ProblemKind::Denied => "REQUEST_DENIED",
        ProblemKind::Limited => "OVER_QUERY_LIMIT",
        ProblemKind::NotHidden | ProblemKind::Failed | ProblemKind::Busy => "UNKNOWN_ERROR",
    };
    let body = value!({
        "error_message": problem.message,
        "html_attributions": [],
        "results": [],
        "status": status,
    });
    let code = match problem.kind {
        ProblemKind::Method => problem.kind.status(),
        _ => StatusCode::OK,
    };
    (code, [(CONTENT_TYPE, JSON)], body.to_string()).into_response()
}
