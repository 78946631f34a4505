//! The wire: what people send and get, as JSON. Everything else speaks in the types of the core.

use crate::outcome::Outcome;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use utoipa::ToSchema;

/// A query. Either `dc`, or `speed` and `interval`, must be given; `history` needs `speed`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QueryRequest<'a> {
    /// Chosen by the client, unique within the account. Sent again, it gets the same result.
    #[serde(borrow)]
    #[schema(value_type = String, min_length = 1, max_length = 64, example = "7f3a-17")]
    pub ticket: Cow<'a, str>,
    /// Who asks, within the account. k counts people.
    #[serde(borrow)]
    #[schema(value_type = String, min_length = 1, max_length = 64, example = "jo")]
    pub person: Cow<'a, str>,
    /// Degrees east.
    #[schema(minimum = -180, maximum = 180, example = 8.2146)]
    pub lon: f64,
    /// Degrees north.
    #[schema(minimum = -90, maximum = 90, example = 53.1435)]
    pub lat: f64,
    /// Among how many people, herself included, she wants to be hidden.
    #[schema(minimum = 2, example = 3)]
    pub k: u64,
    /// How long she is willing to wait, in seconds.
    #[schema(minimum = 0, example = 3)]
    pub dt: f64,
    /// How far she can move between two queries, in metres.
    #[schema(minimum = 0, example = 150)]
    pub dc: Option<f64>,
    /// Her top speed, in metres per second.
    #[schema(minimum = 0, example = 15)]
    pub speed: Option<f64>,
    /// Between two queries of hers, in seconds.
    #[schema(minimum = 0, example = 10)]
    pub interval: Option<f64>,
    /// What she asks the service; without it she is only there for others to hide among, and no
    /// request is made for her.
    #[serde(borrow)]
    #[schema(value_type = Option<QuestionBody>)]
    pub question: Option<QuestionBody<'a>>,
}

/// A question: `within` a radius, or the `nearest` few.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QuestionBody<'a> {
    /// What is wanted.
    pub find: Find,
    /// Metres, for `within`; at most 2000.
    #[schema(minimum = 0, maximum = 2000, example = 500)]
    pub radius: Option<f64>,
    /// How many, for `nearest`; at most 30.
    #[schema(minimum = 1, maximum = 30, example = 3)]
    pub count: Option<u32>,
    /// How distance is measured.
    #[serde(default)]
    pub along: AlongWord,
    /// Of which kind of place; any, if not given.
    #[serde(borrow)]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 64, example = "cafe")]
    pub category: Option<Cow<'a, str>>,
}

/// What is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Find {
    /// Everything within a radius.
    Within,
    /// The nearest few.
    Nearest,
}

/// How distance is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AlongWord {
    /// Along streets.
    #[default]
    Streets,
    /// Straight.
    Plane,
}

/// How an accepted query ended.
#[derive(Debug, Serialize, ToSchema)]
pub struct ResultBody<'a> {
    /// Of the query.
    #[schema(value_type = String)]
    pub ticket: &'a str,
    /// How it ended.
    pub outcome: Outcome,
    /// What was found, nearest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<FoundBody>>)]
    pub answer: Option<&'a [FoundBody<'a>]>,
    /// What was done for her.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Receipt>,
    /// In a sentence, where there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub message: Option<&'a str>,
}

/// Something that was found.
#[derive(Debug, Serialize, ToSchema)]
pub struct FoundBody<'a> {
    /// The service's own id.
    #[schema(value_type = String)]
    pub id: &'a str,
    /// What people call it.
    #[schema(value_type = String)]
    pub name: &'a str,
    /// What kind of place it is.
    #[schema(value_type = String)]
    pub category: &'a str,
    /// Where it is, degrees east.
    pub lon: f64,
    /// Degrees north.
    pub lat: f64,
    /// How far it is from her.
    pub metres: f64,
}

/// What was done for a person whose query was answered.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Receipt {
    /// What was promised: `reciprocal`, `history`, `paper`.
    pub guarantee: &'static str,
    /// Among how many she wanted to be hidden.
    pub k: u32,
    /// Among how many she was at least, in coarse steps.
    pub k_reached: u32,
    /// How many streets the service was asked about.
    pub streets: usize,
    /// How long she waited to be hidden, in seconds.
    pub delay: f64,
    /// Whether the answer is what she would have got by asking from her own position.
    pub exact: bool,
    /// `new` if nothing was known of where she was before, so that `history` had nothing to mind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<&'static str>,
}

/// Why something was refused; nothing was accepted.
#[derive(Debug, Serialize, ToSchema)]
pub struct RefusalBody<'a> {
    /// Of the query, if it could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub ticket: Option<&'a str>,
    /// Always `refused`.
    pub outcome: &'static str,
    /// A word for programs.
    pub reason: &'static str,
    /// A sentence for people.
    pub message: String,
}

/// The map that people can be on.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MapBody {
    /// What it is named by.
    pub name: String,
    /// West, south, east, north, in degrees.
    pub extent: [f64; 4],
    /// How many streets there are.
    pub streets: usize,
    /// What is promised.
    pub guarantee: &'static str,
    /// Seconds between two batches.
    pub tick: f64,
}

/// Whether the gateway is well.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StateBody {
    /// `ok`, or `stopping`.
    pub state: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_query_is_not_read_as_one() {
        let good = r#"{"ticket":"a","person":"b","lon":8.1,"lat":53,"k":2,"dt":3,"dc":100,"question":{"find":"nearest","count":1}}"#;
        assert!(serde_json::from_str::<QueryRequest<'_>>(good).is_ok());
        for (from, to) in [
            ("\"k\":2", "\"k\":-2"),
            ("\"k\":2", "\"k\":2.5"),
            ("\"k\":2", "\"k\":2,\"z\":1"),
            ("\"count\":1", "\"count\":1,\"z\":1"),
            ("8.1", "NaN"),
            ("8.1", "1e999"),
            ("8.1", "\"8\""),
            ("\"person\":\"b\",", ""),
            ("nearest", "farthest"),
        ] {
            let bad = good.replace(from, to);
            assert!(serde_json::from_str::<QueryRequest<'_>>(&bad).is_err(), "{bad}");
        }
    }
}
