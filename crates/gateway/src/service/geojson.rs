//! GeoJSON feature collections from services. Features without a valid id or geometry are dropped;
//! texts are truncated.

use super::object_geometry::ObjectGeometry;
use super::projection::{ObjectTexts, Projection};
use super::{RawObject, ServiceError};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

/// A parsed feature collection.
#[derive(Debug, Default)]
pub(crate) struct FeatureCollection {
    /// Valid features.
    pub features: Vec<Feature>,
    /// Member `complete`: whether no feature is missing.
    pub complete: Option<bool>,
    /// Member `numberMatched`: number of features on all pages.
    pub matched: Option<u64>,
    /// Link to the next page.
    pub next: Option<String>,
}

/// A feature with a valid id.
#[derive(Debug)]
pub(crate) struct Feature {
    pub id: String,
    geometry: ObjectGeometry,
    properties: Map<String, Value>,
}

/// Largest length of texts in bytes: longer ids are invalid, other texts are truncated.
const MAX_TEXT_BYTES: usize = 256;

impl FeatureCollection {
    /// Parses JSON.
    pub(crate) fn parse(text: &[u8]) -> Result<FeatureCollection, ServiceError> {
        let raw: RawCollection = serde_json::from_slice(text)
            .map_err(|_| ServiceError::Malformed("it is not a GeoJSON feature collection"))?;
        if raw.kind != "FeatureCollection" {
            return Err(ServiceError::Malformed("it is not a GeoJSON feature collection"));
        }
        let valid = |feature| match feature {
            Lenient::Valid(raw) => Feature::of(raw),
            Lenient::Invalid(_) => None,
        };
        let next = raw.links.into_iter().find_map(|link| match link {
            Lenient::Valid(RawLink { rel, href }) if rel == "next" => Some(href),
            _ => None,
        });
        Ok(FeatureCollection {
            features: raw.features.into_iter().filter_map(valid).collect(),
            complete: raw.complete,
            matched: raw.matched,
            next,
        })
    }
}

impl Feature {
    fn of(raw: RawFeature) -> Option<Feature> {
        let id = text_of(&raw.id).filter(|id| !id.is_empty() && id.len() <= MAX_TEXT_BYTES)?;
        let mut geometry = ObjectGeometry::default();
        raw.geometry.add_to(&mut geometry);
        Some(Feature { id, geometry, properties: raw.properties.unwrap_or_default() })
    }

    /// Returns a text or number property as text; empty for anything else.
    pub(crate) fn text(&self, key: &str) -> String {
        truncate_text(self.properties.get(key).and_then(text_of).unwrap_or_default())
    }

    /// Converts the feature to the plane; `texts` returns its name and category. `None` if its
    /// geometry is empty or invalid.
    pub(crate) fn into_object(
        self,
        projection: &Projection,
        texts: impl FnOnce(&Feature) -> (String, String),
    ) -> Option<RawObject> {
        let (name, category) = texts(&self);
        projection.object(ObjectTexts { id: self.id, name, category }, &self.geometry)
    }
}

/// Truncates a text to [`MAX_TEXT_BYTES`] at a character boundary.
pub(crate) fn truncate_text(mut text: String) -> String {
    if text.len() > MAX_TEXT_BYTES {
        let end = (0..=MAX_TEXT_BYTES).rev().find(|&end| text.is_char_boundary(end));
        text.truncate(end.unwrap_or(0));
    }
    text
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A list element that may have any type.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Lenient<T> {
    Valid(T),
    Invalid(IgnoredAny),
}

#[derive(Deserialize)]
struct RawCollection {
    #[serde(rename = "type")]
    kind: String,
    features: Vec<Lenient<RawFeature>>,
    #[serde(default)]
    complete: Option<bool>,
    #[serde(default, rename = "numberMatched")]
    matched: Option<u64>,
    #[serde(default)]
    links: Vec<Lenient<RawLink>>,
}

#[derive(Deserialize)]
struct RawLink {
    rel: String,
    href: String,
}

#[derive(Deserialize)]
struct RawFeature {
    #[serde(default)]
    id: Value,
    geometry: RawGeometry,
    #[serde(default)]
    properties: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct RawGeometry {
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    coordinates: Option<Coordinates>,
    #[serde(default)]
    geometries: Vec<RawGeometry>,
}

/// Nested lists of numbers.
#[derive(Deserialize)]
#[serde(untagged)]
enum Coordinates {
    Position(f64, f64),
    Height(f64, f64, IgnoredAny),
    Many(Vec<Coordinates>),
}

impl RawGeometry {
    fn add_to(&self, target: &mut ObjectGeometry) {
        let is_points = self.kind.as_deref().is_none_or(|kind| kind.ends_with("Point"));
        match &self.coordinates {
            Some(coordinates) if is_points => coordinates.add_points(target),
            Some(coordinates) => coordinates.add_lines(target),
            None => {}
        }
        self.geometries.iter().for_each(|geometry| geometry.add_to(target));
    }
}

impl Coordinates {
    fn lon_lat(&self) -> Option<[f64; 2]> {
        match self {
            Coordinates::Position(lon, lat) | Coordinates::Height(lon, lat, _) => {
                Some([*lon, *lat])
            }
            Coordinates::Many(_) => None,
        }
    }

    /// Adds every position as a single point.
    fn add_points(&self, target: &mut ObjectGeometry) {
        match self {
            Coordinates::Many(many) => many.iter().for_each(|inner| inner.add_points(target)),
            point => target.push_chain(point.lon_lat().into_iter().collect()),
        }
    }

    /// Adds consecutive positions as a chain.
    fn add_lines(&self, target: &mut ObjectGeometry) {
        let Coordinates::Many(many) = self else { return self.add_points(target) };
        target.push_chain(many.iter().filter_map(Coordinates::lon_lat).collect());
        let nested = many.iter().filter(|inner| inner.lon_lat().is_none());
        nested.for_each(|inner| inner.add_lines(target));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collection(features: &str) -> FeatureCollection {
        let text = format!(r#"{{"type":"FeatureCollection","features":[{features}]}}"#);
        FeatureCollection::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn invalid_features_are_dropped_and_the_others_kept() {
        let found = collection(
            r#"{"id":"a","geometry":{"type":"Point","coordinates":[9.5,50.5]},"properties":{"n":"x"}},
               {"id":7,"geometry":{"type":"Point","coordinates":[9.5,50.5,120.0]}},
               {"id":"area","geometry":{"type":"Polygon","coordinates":[[[1,1],[3,1],[3,5],[1,1]]]}},
               {"id":"no place","geometry":null}, {"geometry":{"coordinates":[1,2]}}, 17, null, "x",
               {"id":"no","geometry":{"coordinates":["1","2"]}}, {"id":[],"geometry":{"coordinates":[1,2]}},
               {"id":"none","geometry":{"type":"Polygon","coordinates":[]}},
               {"id":"many","geometry":{"geometries":[{"coordinates":[1,2]},{"coordinates":[3,2]}]}},
               {"id":"stops","geometry":{"type":"MultiPoint","coordinates":[[0,0],[10,0]]}},
               {"id":"line","geometry":{"type":"LineString","coordinates":[[0,0],[10,0]]}}"#,
        );
        let flat = |[x, y]: [f64; 2]| Some(meshcloak::units::Point::new(x, y));
        let place = |f: &Feature| {
            f.geometry.representative_point(2.0, flat).map(|point| (point.x, point.y))
        };
        let seen: Vec<_> = found.features.iter().map(|f| (f.id.as_str(), place(f))).collect();
        let at = |x, y| Some((x, y));
        let expected = [
            ("a", at(9.5, 50.5)),
            ("7", at(9.5, 50.5)),
            ("area", at(2.0, 3.0)),
            ("none", None),
            ("many", at(2.0, 2.0)),
            ("stops", at(0.0, 0.0)),
            ("line", at(5.0, 0.0)),
        ];
        assert_eq!(seen, expected);
        assert_eq!(found.features[0].text("n"), "x");
        assert_eq!(found.features[1].text("n"), "");
    }

    #[test]
    fn other_json_is_an_error() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for text in ["", "[]", "{}", "{\"type\":\"Feature\",\"features\":[]}", "\u{0}", &deep] {
            assert!(FeatureCollection::parse(text.as_bytes()).is_err());
        }
        let nested = format!(
            r#"{{"type":"FeatureCollection","features":[{{"id":"a","geometry":{{"coordinates":{deep}}}}}]}}"#
        );
        assert!(FeatureCollection::parse(nested.as_bytes()).is_err());
    }

    #[test]
    fn long_texts_are_truncated_and_long_ids_invalid() {
        assert_eq!(truncate_text("ä".repeat(200)).len(), 256);
        assert_eq!(truncate_text("x".into()), "x");
        let id = "x".repeat(300);
        let text = format!(r#"{{"id":"{id}","geometry":{{"coordinates":[1,2]}}}}"#);
        assert!(collection(&text).features.is_empty());
    }
}
