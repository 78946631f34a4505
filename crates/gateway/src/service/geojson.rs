//! Feature collections as services answer them. Nothing in them is believed: a feature without an
//! id or a place is left out, and texts have an end.

use super::ServiceError;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

/// A feature collection.
#[derive(Debug, Default)]
pub(crate) struct Collection {
    /// What can be understood of its features.
    pub features: Vec<Feature>,
    /// Whether nothing is missing, if it says so.
    pub complete: Option<bool>,
    /// How many there are on all pages, if it says so.
    pub matched: Option<u64>,
    /// Where the next page is.
    pub next: Option<String>,
}

/// A feature with an id and a place.
#[derive(Debug)]
pub(crate) struct Feature {
    pub id: String,
    /// Of a point, where it is; of anything else, the middle of the box around it.
    pub lon_lat: [f64; 2],
    properties: Map<String, Value>,
}

/// Longer ids are none, and longer texts are cut; bytes.
const LONGEST_TEXT: usize = 256;

impl Collection {
    /// The collection in a JSON text.
    pub(crate) fn parse(text: &[u8]) -> Result<Collection, ServiceError> {
        let raw: RawCollection = serde_json::from_slice(text)
            .map_err(|_| ServiceError::Malformed("it is no feature collection"))?;
        if raw.kind != "FeatureCollection" {
            return Err(ServiceError::Malformed("it is no feature collection"));
        }
        let understood = |feature| match feature {
            Lenient::Good(raw) => Feature::of(raw),
            Lenient::Bad(_) => None,
        };
        let next = raw.links.into_iter().find_map(|link| match link {
            Lenient::Good(RawLink { rel, href }) if rel == "next" => Some(href),
            _ => None,
        });
        Ok(Collection {
            features: raw.features.into_iter().filter_map(understood).collect(),
            complete: raw.complete,
            matched: raw.matched,
            next,
        })
    }
}

impl Feature {
    fn of(raw: RawFeature) -> Option<Feature> {
        let id = text_of(&raw.id).filter(|id| !id.is_empty() && id.len() <= LONGEST_TEXT)?;
        let mut bounds = Bounds::EMPTY;
        raw.geometry.extend(&mut bounds);
        let lon_lat = bounds.middle()?;
        Some(Feature { id, lon_lat, properties: raw.properties.unwrap_or_default() })
    }

    /// A property as text; empty if it is none.
    pub(crate) fn text(&self, key: &str) -> String {
        let text = self.properties.get(key).and_then(text_of).unwrap_or_default();
        cut(text)
    }
}

/// The beginning of a text.
pub(crate) fn cut(mut text: String) -> String {
    if text.len() > LONGEST_TEXT {
        let end = (0..=LONGEST_TEXT).rev().find(|&end| text.is_char_boundary(end));
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

/// Something that may be anything.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Lenient<T> {
    Good(T),
    Bad(IgnoredAny),
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
    #[serde(default)]
    coordinates: Option<Coordinates>,
    #[serde(default)]
    geometries: Vec<RawGeometry>,
}

/// Numbers in lists in lists.
#[derive(Deserialize)]
#[serde(untagged)]
enum Coordinates {
    Position(f64, f64),
    Height(f64, f64, IgnoredAny),
    Many(Vec<Coordinates>),
}

impl RawGeometry {
    fn extend(&self, bounds: &mut Bounds) {
        self.coordinates.iter().for_each(|coordinates| coordinates.extend(bounds));
        self.geometries.iter().for_each(|geometry| geometry.extend(bounds));
    }
}

impl Coordinates {
    fn extend(&self, bounds: &mut Bounds) {
        match self {
            Coordinates::Position(lon, lat) | Coordinates::Height(lon, lat, _) => {
                bounds.add([*lon, *lat]);
            }
            Coordinates::Many(many) => many.iter().for_each(|inner| inner.extend(bounds)),
        }
    }
}

struct Bounds {
    min: [f64; 2],
    max: [f64; 2],
}

impl Bounds {
    const EMPTY: Bounds = Bounds { min: [f64::INFINITY; 2], max: [f64::NEG_INFINITY; 2] };

    fn add(&mut self, place: [f64; 2]) {
        for (axis, degrees) in place.into_iter().enumerate() {
            self.min[axis] = self.min[axis].min(degrees);
            self.max[axis] = self.max[axis].max(degrees);
        }
    }

    fn middle(&self) -> Option<[f64; 2]> {
        let middle = |axis: usize| self.min[axis] + (self.max[axis] - self.min[axis]) / 2.0;
        (self.min[0] <= self.max[0]).then(|| [middle(0), middle(1)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collection(features: &str) -> Collection {
        let text = format!(r#"{{"type":"FeatureCollection","features":[{features}]}}"#);
        Collection::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn what_makes_no_sense_is_left_out_and_the_rest_is_kept() {
        let found = collection(
            r#"{"id":"a","geometry":{"type":"Point","coordinates":[9.5,50.5]},"properties":{"n":"x"}},
               {"id":7,"geometry":{"type":"Point","coordinates":[9.5,50.5,120.0]}},
               {"id":"area","geometry":{"type":"Polygon","coordinates":[[[1,1],[3,1],[3,5],[1,1]]]}},
               {"id":"no place","geometry":null}, {"geometry":{"coordinates":[1,2]}}, 17, null, "x",
               {"id":"no","geometry":{"coordinates":["1","2"]}}, {"id":[],"geometry":{"coordinates":[1,2]}},
               {"id":"many","geometry":{"geometries":[{"coordinates":[1,2]},{"coordinates":[3,2]}]}}"#,
        );
        let seen: Vec<_> = found.features.iter().map(|f| (f.id.as_str(), f.lon_lat)).collect();
        let expected =
            [("a", [9.5, 50.5]), ("7", [9.5, 50.5]), ("area", [2.0, 3.0]), ("many", [2.0, 2.0])];
        assert_eq!(seen, expected);
        assert_eq!(found.features[0].text("n"), "x");
        assert_eq!(found.features[1].text("n"), "");
    }

    #[test]
    fn what_is_no_collection_is_an_error() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for text in ["", "[]", "{}", "{\"type\":\"Feature\",\"features\":[]}", "\u{0}", &deep] {
            assert!(Collection::parse(text.as_bytes()).is_err());
        }
        let nested = format!(
            r#"{{"type":"FeatureCollection","features":[{{"id":"a","geometry":{{"coordinates":{deep}}}}}]}}"#
        );
        assert!(Collection::parse(nested.as_bytes()).is_err());
    }

    #[test]
    fn texts_have_an_end() {
        assert_eq!(cut("ä".repeat(200)).len(), 256);
        assert_eq!(cut("x".into()), "x");
        let id = "x".repeat(300);
        let text = format!(r#"{{"id":"{id}","geometry":{{"coordinates":[1,2]}}}}"#);
        assert!(collection(&text).features.is_empty());
    }
}
