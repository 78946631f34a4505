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
    #[serde(default, deserialize_with = "boolean")]
    pub asks: Option<bool>,
}

/// Reads a boolean: `true` or `false`, 1 or 0, or one of the words of CSV files.
fn boolean<'de, D: serde::Deserializer<'de>>(source: D) -> Result<Option<bool>, D::Error> {
    let value = Option::<serde_json::Value>::deserialize(source)?;
    let text = match &value {
        None => return Ok(None),
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    let read = crate::csv_map::table::parse_boolean(text.as_bytes());
    read.map(Some).ok_or_else(|| {
        serde::de::Error::custom(format!("`asks` is {text}; expected 1/0, true/false or yes/no"))
    })
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
