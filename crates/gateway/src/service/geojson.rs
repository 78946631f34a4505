//! Feature collections as services answer them. Nothing in them is believed: a feature without an
//! id or a place is left out, and texts have an end.

use super::ServiceError;
use super::drawn::Drawn;
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
    /// Where it is.
    pub drawn: Drawn,
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
        let mut drawn = Drawn::default();
        raw.geometry.draw(&mut drawn);
        Some(Feature { id, drawn, properties: raw.properties.unwrap_or_default() })
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
    #[serde(default, rename = "type")]
    kind: Option<String>,
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
    fn draw(&self, drawn: &mut Drawn) {
        let points = self.kind.as_deref().is_none_or(|kind| kind.ends_with("Point"));
        match &self.coordinates {
            Some(places) if points => places.dots(drawn),
            Some(places) => places.lines(drawn),
            None => {}
        }
        self.geometries.iter().for_each(|geometry| geometry.draw(drawn));
    }
}

impl Coordinates {
    fn place(&self) -> Option<[f64; 2]> {
        match self {
            Coordinates::Position(lon, lat) | Coordinates::Height(lon, lat, _) => {
                Some([*lon, *lat])
            }
            Coordinates::Many(_) => None,
        }
    }

    /// Every place alone.
    fn dots(&self, drawn: &mut Drawn) {
        match self {
            Coordinates::Many(many) => many.iter().for_each(|inner| inner.dots(drawn)),
            dot => drawn.join(dot.place().into_iter().collect()),
        }
    }

    /// Places that follow each other are joined.
    fn lines(&self, drawn: &mut Drawn) {
        let Coordinates::Many(many) = self else { return self.dots(drawn) };
        drawn.join(many.iter().filter_map(Coordinates::place).collect());
        many.iter().filter(|inner| inner.place().is_none()).for_each(|inner| inner.lines(drawn));
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
               {"id":"none","geometry":{"type":"Polygon","coordinates":[]}},
               {"id":"many","geometry":{"geometries":[{"coordinates":[1,2]},{"coordinates":[3,2]}]}},
               {"id":"stops","geometry":{"type":"MultiPoint","coordinates":[[0,0],[10,0]]}},
               {"id":"line","geometry":{"type":"LineString","coordinates":[[0,0],[10,0]]}}"#,
        );
        let flat = |[x, y]: [f64; 2]| Some(meshcloak::units::Point::new(x, y));
        let place = |f: &Feature| f.drawn.place(2.0, flat).map(|point| (point.x, point.y));
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
