//! `POST /v1/places:searchNearby` with `rankPreference: DISTANCE`.

use super::field_mask::FieldMask;
use super::{MAX_RESULTS, check_types, wants};
use crate::answers::json;
use crate::charged_body::respond;
use crate::compatible::asker::{Asker, PresentedToken};
use crate::compatible::nearby::{Place, find_places, merge};
use crate::compatible::nearby_plan::Limit;
use crate::compatible::parameters::{Parameters, here, radius};
use crate::compatible::problem::{Problem, ProblemKind};
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::json_error::json_error;
use crate::routes::{JSON, read_body};
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json as value};
use std::sync::Arc;

/// Parameters of the URL. `$alt` is the format of the answer, which is JSON in every case.
const PARAMETERS: [&str; 6] = ["key", "fields", "$fields", "alt", "$alt", "prettyPrint"];

/// Body of a request. Has no `Debug`: it holds the position. Unknown fields are refused by name.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SearchNearby {
    location_restriction: LocationRestriction,
    rank_preference: Option<RankPreference>,
    max_result_count: Option<i64>,
    #[serde(default)]
    included_types: Vec<String>,
    #[serde(default)]
    excluded_types: Vec<String>,
    #[serde(default)]
    included_primary_types: Vec<String>,
    #[serde(default)]
    excluded_primary_types: Vec<String>,
    /// Names have one language, so that it has no effect; nor has the region.
    #[serde(rename = "languageCode")]
    _language_code: Option<String>,
    #[serde(rename = "regionCode")]
    _region_code: Option<String>,
}

/// A value of the enum `RankPreference` of Google's API: its name or, as in the JSON of its client
/// libraries, its number.
#[derive(Deserialize)]
#[serde(untagged)]
enum RankPreference {
    Name(String),
    Number(i32),
    Other(IgnoredAny),
}

impl RankPreference {
    fn is_distance(&self) -> bool {
        match self {
            RankPreference::Name(name) => name == "DISTANCE",
            RankPreference::Number(number) => *number == 1,
            RankPreference::Other(IgnoredAny) => false,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LocationRestriction {
    circle: Circle,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Circle {
    center: Center,
    radius: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Center {
    latitude: f64,
    longitude: f64,
}

/// Answers a search.
pub(in crate::compatible) async fn search(
    State(gateway): State<Arc<Gateway>>,
    token: PresentedToken,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let answered = async {
        let asker = token.asker(&gateway, key(&parts).as_deref())?;
        let body = read_body(&gateway, body).await?;
        let answer = answer(&gateway, &asker, &parts, &body).await?;
        Ok(respond(&gateway, &asker.account, StatusCode::OK, json(&answer).into())?)
    };
    answered.await.unwrap_or_else(|problem| refuse(&gateway, &problem))
}

async fn answer(
    gateway: &Arc<Gateway>,
    asker: &Asker,
    parts: &Parts,
    body: &[u8],
) -> Result<Value, Problem> {
    let unsupported = |sentence: String| asker.unsupported(sentence);
    let query = parts.uri.query().unwrap_or("");
    let parameters = Parameters::parse(query, &PARAMETERS, &[]).map_err(unsupported)?;
    let mask = field_mask(parts, &parameters).map_err(unsupported)?;
    let search: SearchNearby = serde_json::from_slice(body).map_err(|error| {
        unsupported(format!("Invalid JSON payload received: {}", json_error(&error)))
    })?;
    let Circle { center, radius: metres } = &search.location_restriction.circle;
    let refused = |refusal: Refusal| asker.refused(refusal);
    let here = here(center.longitude, center.latitude).map_err(unsupported)?;
    let metres = radius(*metres).map_err(unsupported)?;
    let limit = search.check().map_err(unsupported)?;
    search.check_excluded(gateway).map_err(refused)?;
    let excluded = search.excluded();
    // Places that are excluded must not count.
    let asked = if excluded.is_empty() { Limit::Nearest(limit) } else { Limit::All };
    let wants = wants(gateway, search.included(), metres, asked).map_err(refused)?;
    let mut lists = find_places(gateway, asker, here, &wants).await?;
    lists.iter_mut().for_each(|places| places.retain(|place| !excluded.contains(&place.category)));
    let places: Vec<Value> =
        merge(lists, limit).iter().map(|place| mask.apply(&place_json(place))).collect();
    Ok(if places.is_empty() { value!({}) } else { value!({"places": places}) })
}

/// Returns the key of the header, or of the parameter `key`.
fn key(parts: &Parts) -> Option<String> {
    let header = parts.headers.get("x-goog-api-key").and_then(|key| key.to_str().ok());
    let mut pairs = form_urlencoded::parse(parts.uri.query().unwrap_or("").as_bytes());
    let parameter = || pairs.find(|(name, _)| name == "key").map(|(_, key)| key.into_owned());
    header.map(str::to_owned).or_else(parameter)
}

/// Returns the mask of the header, or of the parameter `$fields` or `fields`.
fn field_mask(parts: &Parts, parameters: &Parameters<'_>) -> Result<FieldMask, String> {
    let header = parts.headers.get("x-goog-fieldmask").and_then(|mask| mask.to_str().ok());
    let parameter = parameters.get("$fields").or_else(|| parameters.get("fields"));
    let missing = "FieldMask is a required parameter: send the header `X-Goog-FieldMask`, for \
                   example `places.displayName`.";
    FieldMask::parse(header.or(parameter).ok_or(missing)?)
}

impl SearchNearby {
    /// Checks the rank and returns the number of places.
    fn check(&self) -> Result<usize, String> {
        if !self.rank_preference.as_ref().is_some_and(RankPreference::is_distance) {
            return Err(
                "rankPreference must be DISTANCE: places are not ranked by POPULARITY, which \
                        is the default."
                    .to_owned(),
            );
        }
        if !self.included_types.is_empty() && !self.included_primary_types.is_empty() {
            return Err(
                "includedTypes and includedPrimaryTypes are not supported together: a place \
                        has one type."
                    .to_owned(),
            );
        }
        let count = self.max_result_count.map_or(Ok(MAX_RESULTS), usize::try_from);
        let count = count.ok().filter(|count| (1..=MAX_RESULTS).contains(count));
        count.ok_or_else(|| "maxResultCount must be from 1 to 20.".to_owned())
    }

    /// Refuses an excluded type that is unknown or included as well.
    fn check_excluded(&self, gateway: &Gateway) -> Result<(), Refusal> {
        check_types(gateway, &self.excluded_types)?;
        check_types(gateway, &self.excluded_primary_types)?;
        let pairs = [
            (&self.included_types, &self.excluded_types),
            (&self.included_primary_types, &self.excluded_primary_types),
        ];
        let conflict = pairs
            .into_iter()
            .find_map(|(included, excluded)| included.iter().find(|name| excluded.contains(name)));
        match conflict {
            Some(name) => Err(Refusal::Question(format!(
                "Conflicting types: {name} is included and excluded."
            ))),
            None => Ok(()),
        }
    }

    /// Types of which a place must have one; empty for all.
    fn included(&self) -> &[String] {
        let (types, primary) = (&self.included_types, &self.included_primary_types);
        if types.is_empty() { primary } else { types }
    }

    fn excluded(&self) -> Vec<String> {
        self.excluded_types.iter().chain(&self.excluded_primary_types).cloned().collect()
    }
}

fn place_json(place: &Place) -> Value {
    let mut json = Map::new();
    let mut add = |name: &str, value: Value| drop(json.insert(name.to_owned(), value));
    add("name", format!("places/{}", place.id).into());
    add("id", place.id.as_str().into());
    add("types", value!([place.category]));
    add("primaryType", place.category.as_str().into());
    add("location", value!({"latitude": place.lat, "longitude": place.lon}));
    if !place.name.is_empty() {
        add("displayName", value!({"text": place.name}));
    }
    json.into()
}

pub(in crate::compatible) fn refuse(gateway: &Gateway, problem: &Problem) -> Response {
    problem.count(gateway);
    let status = match problem.kind {
        ProblemKind::Invalid | ProblemKind::Method => "INVALID_ARGUMENT",
        ProblemKind::Denied => "UNAUTHENTICATED",
        ProblemKind::Limited => "RESOURCE_EXHAUSTED",
        ProblemKind::NotHidden => "DEADLINE_EXCEEDED",
        ProblemKind::Failed | ProblemKind::Busy => "UNAVAILABLE",
    };
    let code = match problem.kind {
        ProblemKind::Failed => StatusCode::SERVICE_UNAVAILABLE,
        kind => kind.status(),
    };
    let error = value!({"code": code.as_u16(), "message": problem.message, "status": status});
    let body = value!({"error": error}).to_string();
    let mut response = (code, [(CONTENT_TYPE, JSON)], body).into_response();
    if let Some(seconds) = problem.retry_after {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}
