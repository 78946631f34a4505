//! Fields of a query before validation.

use serde::Deserialize;

/// The fields of a row; `None` if a field is missing or empty.
#[derive(Debug, Default, Deserialize)]
pub(super) struct QueryFields {
    #[serde(default, deserialize_with = "id")]
    pub query: Option<String>,
    #[serde(default, deserialize_with = "id")]
    pub user: Option<String>,
    pub t: Option<f64>,
    pub x: Option<f64>,
    pub y: Option<f64>,
    pub lon: Option<f64>,
    pub lat: Option<f64>,
    pub k: Option<f64>,
    pub dt: Option<f64>,
    pub dc: Option<f64>,
    pub speed: Option<f64>,
    pub interval: Option<f64>,
}

/// Reads an id: a string, or a number converted to text.
fn id<'de, D: serde::Deserializer<'de>>(source: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Id {
        Text(String),
        Number(serde_json::Number),
    }
    Ok(match Option::<Id>::deserialize(source)? {
        Some(Id::Text(text)) if text.is_empty() => None,
        Some(Id::Text(text)) => Some(text),
        Some(Id::Number(number)) => Some(number.to_string()),
        None => None,
    })
}
