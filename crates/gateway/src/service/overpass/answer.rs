//! Answers of an Overpass server: elements with tags, and a remark if the query was aborted.

use crate::service::ServiceError;
use crate::service::geojson::{Lenient, truncate_text};
use crate::service::object_geometry::ObjectGeometry;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The valid part of an answer.
#[derive(Debug)]
pub(super) struct ParsedAnswer {
    pub elements: Vec<TaggedElement>,
    /// Whether elements may be missing because the server aborted the query.
    pub truncated: bool,
}

/// An element with a geometry.
#[derive(Debug, PartialEq)]
pub(super) struct TaggedElement {
    /// `node/17`, `way/17` or `relation/17`.
    pub id: String,
    pub name: String,
    pub tags: BTreeMap<String, String>,
    pub geometry: ObjectGeometry,
}

#[derive(Deserialize)]
struct RawAnswer {
    elements: Vec<Lenient<RawElement>>,
    #[serde(default)]
    remark: Option<String>,
}

#[derive(Deserialize)]
struct RawElement {
    #[serde(rename = "type")]
    element_type: ElementType,
    id: u64,
    #[serde(flatten)]
    shape: ElementShape,
    #[serde(default)]
    members: Vec<Lenient<ElementShape>>,
    #[serde(default)]
    tags: BTreeMap<String, String>,
}

/// Geometry of a node, a way or a member of a relation.
#[derive(Deserialize)]
struct ElementShape {
    #[serde(default)]
    lon: Option<f64>,
    #[serde(default)]
    lat: Option<f64>,
    #[serde(default)]
    geometry: Vec<Lenient<ElementPoint>>,
}

#[derive(Deserialize)]
struct ElementPoint {
    lon: f64,
    lat: f64,
}

impl ElementShape {
    fn add_to(&self, geometry: &mut ObjectGeometry) {
        let node = self.lon.zip(self.lat).map(|(lon, lat)| [lon, lat]);
        geometry.push_chain(node.into_iter().collect());
        // A missing point interrupts the chain.
        for chain in self.geometry.split(|point| matches!(point, Lenient::Invalid(_))) {
            let lon_lat = |point: &Lenient<ElementPoint>| match point {
                Lenient::Valid(ElementPoint { lon, lat }) => Some([*lon, *lat]),
                Lenient::Invalid(_) => None,
            };
            geometry.push_chain(chain.iter().filter_map(lon_lat).collect());
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum ElementType {
    Node,
    Way,
    Relation,
}

/// Parses an answer. Any remark means that the query was aborted.
pub(super) fn parse(text: &[u8]) -> Result<ParsedAnswer, ServiceError> {
    let answer: RawAnswer = serde_json::from_slice(text)
        .map_err(|_| ServiceError::Malformed("it is not Overpass JSON"))?;
    let elements = answer.elements.into_iter().filter_map(|element| match element {
        Lenient::Valid(element) => tagged_element(element),
        Lenient::Invalid(_) => None,
    });
    Ok(ParsedAnswer { elements: elements.collect(), truncated: answer.remark.is_some() })
}

fn tagged_element(element: RawElement) -> Option<TaggedElement> {
    let RawElement { element_type, id, shape, members, mut tags } = element;
    let mut geometry = ObjectGeometry::default();
    shape.add_to(&mut geometry);
    for member in &members {
        if let Lenient::Valid(member) = member {
            member.add_to(&mut geometry);
        }
    }
    if geometry == ObjectGeometry::default() {
        return None;
    }
    let prefix = match element_type {
        ElementType::Node => "node",
        ElementType::Way => "way",
        ElementType::Relation => "relation",
    };
    let name = truncate_text(tags.remove("name").unwrap_or_default());
    Some(TaggedElement { id: format!("{prefix}/{id}"), name, tags, geometry })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_ways_and_relations_are_parsed_and_invalid_elements_dropped() {
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
        let answer = parse(text.as_bytes()).unwrap();
        assert!(!answer.truncated);
        let ids: Vec<_> = answer.elements.iter().map(|element| element.id.as_str()).collect();
        assert_eq!(ids, ["node/7", "way/7", "relation/7"]);
        assert_eq!(answer.elements[0].name, "Ada");
        assert_eq!(answer.elements[0].geometry, ObjectGeometry::point([9.5, 50.5]));
        let mut broken = ObjectGeometry::point([9.6, 50.6]);
        broken.push_chain(vec![[9.8, 50.8]]);
        assert_eq!(answer.elements[1].geometry, broken);
        let mut members = ObjectGeometry::point([2.0, 1.0]);
        members.push_chain(vec![[4.0, 3.0], [6.0, 5.0]]);
        assert_eq!(answer.elements[2].geometry, members);
    }

    #[test]
    fn an_answer_with_a_remark_is_truncated() {
        let text = r#"{"elements":[],"remark":"runtime error: Query timed out in \"query\" at line 1 after 2 seconds."}"#;
        assert!(parse(text.as_bytes()).unwrap().truncated);
    }

    #[test]
    fn other_content_is_an_error() {
        for text in ["<html>", "", "{}", "{\"elements\":{}}", "\u{ff}"] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
