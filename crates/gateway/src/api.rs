//! Wire types: requests and responses as JSON. All other modules use the types of the core.

use crate::outcome::Outcome;
use crate::question::{Along, Find};
use meshcloak::private::Private;
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;
use utoipa::ToSchema;

/// A query. Needs either `dc`, or `speed` and `interval`. The `history` guarantee needs `speed`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QueryRequest<'a> {
    /// Chosen by the client, unique within the account. A repeated ticket gets the same result.
    #[serde(borrow, deserialize_with = "private_text")]
    #[schema(value_type = String, min_length = 1, max_length = 64, example = "7f3a-17")]
    pub ticket: Private<Cow<'a, str>>,
    /// Name of the user, unique within the account. `k` counts distinct users.
    #[serde(borrow, deserialize_with = "private_text")]
    #[schema(value_type = String, min_length = 1, max_length = 64, example = "jo")]
    pub person: Private<Cow<'a, str>>,
    /// Longitude in degrees (WGS 84).
    #[serde(deserialize_with = "private_number")]
    #[schema(value_type = f64, minimum = -180, maximum = 180, example = 8.2146)]
    pub lon: Private<f64>,
    /// Latitude in degrees (WGS 84).
    #[serde(deserialize_with = "private_number")]
    #[schema(value_type = f64, minimum = -90, maximum = 90, example = 53.1435)]
    pub lat: Private<f64>,
    /// Requested size of the anonymity set, the user included: from 2, or from 1 without a question.
    #[schema(minimum = 1, example = 3)]
    pub k: u64,
    /// Temporal tolerance: longest time the query may wait, in seconds.
    #[schema(minimum = 0, example = 3)]
    pub dt: f64,
    /// Distance constraint: how far the user can move between two queries, in metres.
    #[schema(minimum = 0, example = 150)]
    pub dc: Option<f64>,
    /// Top speed of the user, in metres per second.
    #[schema(minimum = 0, example = 15)]
    pub speed: Option<f64>,
    /// Time between two queries of the user, in seconds.
    #[schema(minimum = 0, example = 10)]
    pub interval: Option<f64>,
    /// Question for the service. Without one the user counts in the anonymity sets of others, and
    /// no request is made for this query.
    pub question: Option<QuestionBody>,
}

/// A question: objects `within` a radius, or the `nearest` objects.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QuestionBody {
    /// Operation.
    pub find: Find,
    /// Radius in metres, for `within`; at most 2000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 2000, example = 500)]
    pub radius: Option<f64>,
    /// Number of objects, for `nearest`; at most 30.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 30, example = 3)]
    pub count: Option<u32>,
    /// Distance measure.
    #[serde(default)]
    pub along: Along,
    /// Category of the objects; all categories if missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 64, example = "cafe")]
    pub category: Option<String>,
}

/// Result of an accepted query.
// Not `Debug`: it holds the ticket.
#[derive(Serialize, ToSchema)]
pub struct ResultBody<'a> {
    /// Ticket of the query.
    #[schema(value_type = String)]
    pub ticket: &'a str,
    /// How the query ended.
    pub outcome: Outcome,
    /// Objects found, nearest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<FoundBody>>)]
    pub answer: Option<&'a [FoundBody<'a>]>,
    /// Protection of the query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Receipt>,
    /// Explanation, if there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub message: Option<&'a str>,
}

/// An object that was found.
// Not `Debug`: the distance locates the user.
#[derive(Serialize, ToSchema)]
pub struct FoundBody<'a> {
    /// Identifier given by the service.
    #[schema(value_type = String)]
    pub id: &'a str,
    /// Name.
    #[schema(value_type = String)]
    pub name: &'a str,
    /// Category.
    #[schema(value_type = String)]
    pub category: &'a str,
    /// Longitude in degrees (WGS 84).
    pub lon: f64,
    /// Latitude in degrees (WGS 84).
    pub lat: f64,
    /// Distance from the user, in metres.
    pub metres: f64,
}

/// Protection of an answered query.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Receipt {
    /// Guarantee: `reciprocal`, `history` or `paper`.
    pub guarantee: &'static str,
    /// What the guarantee keeps secret: `who asked what`. That the members of the set asked, their
    /// places and their k are not secrets. Absent under `paper`, which keeps nothing secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<&'static str>,
    /// Requested size of the anonymity set.
    pub k: u32,
    /// Lower bound of the size of the anonymity set, in coarse steps: k by users.
    pub k_reached: u32,
    /// Lower bound of the number of its members that have a question, in coarse steps: k by askers.
    /// Only these count against a party that sees who asks, such as an observer of users' lines.
    pub k_asking: u32,
    /// Number of streets in the region that the service was asked about, rounded up to 1, 2 or 5
    /// times a power of ten.
    pub streets: usize,
    /// Time from the query to the batch that served it, in seconds.
    pub delay: f64,
    /// Whether the answer equals that of a query from the exact position.
    pub exact: bool,
    /// Number of objects that were left out because of the limits on answers; the farthest ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<usize>,
    /// `new` if no earlier position of the user was known to the `history` guarantee.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<&'static str>,
}

/// Reason why a request was refused.
// Not `Debug`: it holds the ticket.
#[derive(Serialize, ToSchema)]
pub struct RefusalBody<'a> {
    /// Ticket of the query, if the request could be parsed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub ticket: Option<&'a str>,
    /// Always `refused`.
    pub outcome: &'static str,
    /// Code, for programs.
    pub reason: &'static str,
    /// Explanation, for humans.
    pub message: String,
}

/// The map of the gateway; of several cities, the first.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MapBody {
    /// Value of the setting `map.source`, or the source of the first city.
    pub name: String,
    /// West, south, east, north, in degrees.
    pub extent: [f64; 4],
    /// Number of streets.
    pub streets: usize,
    /// Guarantee: `reciprocal`, `history` or `paper`.
    pub guarantee: &'static str,
    /// Time between two batches, in seconds.
    pub tick: f64,
    /// All cities, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cities: Vec<CityBody>,
}

/// A city of the gateway.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct CityBody {
    /// Name.
    pub name: String,
    /// West, south, east, north, in degrees.
    pub extent: [f64; 4],
    /// Number of streets.
    pub streets: usize,
}

/// State of the gateway.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StateBody {
    /// `ok` or `stopping`.
    pub state: &'static str,
}

/// Deserialises a string, borrowed from the input if it has no escapes.
fn private_text<'de: 'a, 'a, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Private<Cow<'a, str>>, D::Error> {
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
    Text::deserialize(deserializer).map(|text| Private::new(text.0))
}

fn private_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Private<f64>, D::Error> {
    f64::deserialize(deserializer).map(Private::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_queries_do_not_parse() {
        let good = r#"{"ticket":"a","person":"b","lon":8.1,"lat":53,"k":2,"dt":3,"dc":100,"question":{"find":"nearest","count":1}}"#;
        let request = serde_json::from_str::<QueryRequest<'_>>(good).unwrap();
        assert!(matches!(request.ticket.expose(), Cow::Borrowed("a")));
        for (from, to) in [
            ("\"k\":2", "\"k\":-2"),
            ("\"k\":2", "\"k\":2.5"),
            ("\"k\":2", "\"k\":2,\"z\":1"),
            ("\"count\":1", "\"count\":1,\"z\":1"),
            ("8.1", "NaN"),
            ("8.1", "1e999"),
            ("8.1", "\"8\""),
            ("\"person\":\"b\",", ""),
            ("\"ticket\":\"a\",", ""),
            ("nearest", "farthest"),
        ] {
            let bad = good.replace(from, to);
            assert!(serde_json::from_str::<QueryRequest<'_>>(&bad).is_err(), "{bad}");
        }
    }
}
