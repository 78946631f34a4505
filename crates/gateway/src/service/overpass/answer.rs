//! What an Overpass server answers: elements with tags, and a remark if it had to stop.

use crate::service::ServiceError;
use crate::service::geojson::{Lenient, cut};
use serde::Deserialize;
use std::collections::BTreeMap;

/// An answer as far as it can be understood.
#[derive(Debug)]
pub(super) struct Told {
    pub seen: Vec<Seen>,
    /// Whether the server stopped before its end.
    pub cut_short: bool,
}

/// An element with a place.
#[derive(Debug, PartialEq)]
pub(super) struct Seen {
    /// `node/17`, `way/17` or `relation/17`.
    pub id: String,
    pub name: String,
    pub tags: BTreeMap<String, String>,
    pub lon_lat: [f64; 2],
}

#[derive(Deserialize)]
struct Answer {
    elements: Vec<Lenient<Element>>,
    #[serde(default)]
    remark: Option<String>,
}

#[derive(Deserialize)]
struct Element {
    #[serde(rename = "type")]
    kind: Kind,
    id: u64,
    #[serde(default)]
    lon: Option<f64>,
    #[serde(default)]
    lat: Option<f64>,
    #[serde(default)]
    center: Option<Place>,
    #[serde(default)]
    tags: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Place {
    lon: f64,
    lat: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Node,
    Way,
    Relation,
}

/// Reads an answer. Whatever is remarked, the server did not finish.
pub(super) fn parse(text: &[u8]) -> Result<Told, ServiceError> {
    let answer: Answer = serde_json::from_slice(text)
        .map_err(|_| ServiceError::Malformed("it is no Overpass JSON"))?;
    let seen = answer.elements.into_iter().filter_map(|element| match element {
        Lenient::Good(element) => seen(element),
        Lenient::Bad(_) => None,
    });
    Ok(Told { seen: seen.collect(), cut_short: answer.remark.is_some() })
}

fn seen(element: Element) -> Option<Seen> {
    let Element { kind, id, lon, lat, center, mut tags } = element;
    let own = lon.zip(lat).map(|(lon, lat)| [lon, lat]);
    let lon_lat = own.or(center.map(|Place { lon, lat }| [lon, lat]))?;
    let kind = match kind {
        Kind::Node => "node",
        Kind::Way => "way",
        Kind::Relation => "relation",
    };
    let name = cut(tags.remove("name").unwrap_or_default());
    Some(Seen { id: format!("{kind}/{id}"), name, tags, lon_lat })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_have_a_place_and_ways_a_middle_and_nonsense_is_left_out() {
        let text = r#"{"version":0.6,"generator":"Overpass API","osm3s":{},"elements":[
            {"type":"node","id":7,"lat":50.5,"lon":9.5,"tags":{"amenity":"cafe","name":"Ada"}},
            {"type":"way","id":7,"center":{"lat":50.6,"lon":9.6},"tags":{"shop":"books"}},
            {"type":"way","id":8}, {"type":"area","id":1,"lat":1,"lon":1}, {"id":"x"}, null,
            {"type":"node","id":-7,"lat":50.5,"lon":9.5},
            {"type":"node","id":9,"lat":"50.5","lon":9.5}]}"#;
        let told = parse(text.as_bytes()).unwrap();
        assert!(!told.cut_short);
        let ids: Vec<_> = told.seen.iter().map(|seen| seen.id.as_str()).collect();
        assert_eq!(ids, ["node/7", "way/7"]);
        assert_eq!(told.seen[0].name, "Ada");
        assert_eq!(told.seen[1].lon_lat, [9.6, 50.6]);
    }

    #[test]
    fn a_remark_means_that_something_is_missing() {
        let text = r#"{"elements":[],"remark":"runtime error: Query timed out in \"query\" at line 1 after 2 seconds."}"#;
        assert!(parse(text.as_bytes()).unwrap().cut_short);
    }

    #[test]
    fn a_page_for_people_is_an_error() {
        for text in ["<html>", "", "{}", "{\"elements\":{}}", "\u{ff}"] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
