//! What an Overpass server answers: elements with tags, and a remark if it had to stop.

use crate::service::ServiceError;
use crate::service::drawn::Drawn;
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
    pub drawn: Drawn,
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
    #[serde(flatten)]
    shape: Shape,
    #[serde(default)]
    members: Vec<Lenient<Shape>>,
    #[serde(default)]
    tags: BTreeMap<String, String>,
}

/// How a node, a way or a member of a relation is drawn.
#[derive(Deserialize)]
struct Shape {
    #[serde(default)]
    lon: Option<f64>,
    #[serde(default)]
    lat: Option<f64>,
    #[serde(default)]
    geometry: Vec<Lenient<Place>>,
}

#[derive(Deserialize)]
struct Place {
    lon: f64,
    lat: f64,
}

impl Shape {
    fn draw(&self, drawn: &mut Drawn) {
        drawn.join(self.lon.zip(self.lat).map(|(lon, lat)| [lon, lat]).into_iter().collect());
        // Where a place is missing, the line is broken.
        for chain in self.geometry.split(|place| matches!(place, Lenient::Bad(_))) {
            let place = |place: &Lenient<Place>| match place {
                Lenient::Good(Place { lon, lat }) => Some([*lon, *lat]),
                Lenient::Bad(_) => None,
            };
            drawn.join(chain.iter().filter_map(place).collect());
        }
    }
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
    let Element { kind, id, shape, members, mut tags } = element;
    let mut drawn = Drawn::default();
    shape.draw(&mut drawn);
    for member in &members {
        if let Lenient::Good(member) = member {
            member.draw(&mut drawn);
        }
    }
    if drawn == Drawn::default() {
        return None;
    }
    let kind = match kind {
        Kind::Node => "node",
        Kind::Way => "way",
        Kind::Relation => "relation",
    };
    let name = cut(tags.remove("name").unwrap_or_default());
    Some(Seen { id: format!("{kind}/{id}"), name, tags, drawn })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_have_a_place_and_the_rest_an_outline_and_nonsense_is_left_out() {
        let text = r#"{"version":0.6,"generator":"Overpass API","osm3s":{},"elements":[
            {"type":"node","id":7,"lat":50.5,"lon":9.5,"tags":{"amenity":"cafe","name":"Ada"}},
            {"type":"way","id":7,"nodes":[1,2],"geometry":[{"lat":50.6,"lon":9.6},null,
             {"lat":50.8,"lon":9.8}],"tags":{"shop":"books"}},
            {"type":"relation","id":7,"members":[{"type":"node","ref":1,"role":"","lat":1,"lon":2},
             {"type":"way","ref":2,"role":"outer","geometry":[{"lat":3,"lon":4},{"lat":5,"lon":6}]},
             {"type":"relation","ref":3,"role":""}],"tags":{}},
            {"type":"relation","id":8,"members":[{"type":"relation","ref":3,"role":""}]},
            {"type":"way","id":8}, {"type":"area","id":1,"lat":1,"lon":1}, {"id":"x"}, null,
            {"type":"node","id":-7,"lat":50.5,"lon":9.5},
            {"type":"node","id":9,"lat":"50.5","lon":9.5}]}"#;
        let told = parse(text.as_bytes()).unwrap();
        assert!(!told.cut_short);
        let ids: Vec<_> = told.seen.iter().map(|seen| seen.id.as_str()).collect();
        assert_eq!(ids, ["node/7", "way/7", "relation/7"]);
        assert_eq!(told.seen[0].name, "Ada");
        assert_eq!(told.seen[0].drawn, Drawn::point([9.5, 50.5]));
        let mut broken = Drawn::point([9.6, 50.6]);
        broken.join(vec![[9.8, 50.8]]);
        assert_eq!(told.seen[1].drawn, broken);
        let mut members = Drawn::point([2.0, 1.0]);
        members.join(vec![[4.0, 3.0], [6.0, 5.0]]);
        assert_eq!(told.seen[2].drawn, members);
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
