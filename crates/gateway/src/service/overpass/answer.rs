//! Answers of an Overpass server: elements with tags, and a remark if the query was aborted.

use super::element::{AsElement, ElementFormat, TaggedElement};
use crate::service::answer_budget::AnswerBudget;
use crate::service::lenient_json::{KeyAmong, Lenient, LenientValue, read_json};
use crate::service::{RawObject, ServiceError};
use serde::de::{IgnoredAny, MapAccess, SeqAccess};

/// The valid part of an answer.
#[derive(Debug, Default)]
pub(super) struct ParsedAnswer {
    pub objects: Vec<RawObject>,
    /// Whether elements may be missing because the server aborted the query.
    pub truncated: bool,
}

const NOT_OVERPASS: &str = "it is not Overpass JSON";

/// Parses an answer. Any remark means that the query was aborted. `to_object` converts an element;
/// `None` drops it.
pub(super) fn parse(
    text: &[u8],
    format: &ElementFormat,
    to_object: impl Fn(&TaggedElement) -> Option<RawObject>,
) -> Result<ParsedAnswer, ServiceError> {
    let budget = AnswerBudget::new(format.max_objects);
    let reader = AsAnswer { format, budget: &budget, to_object: &to_object };
    match read_json(text, reader, NOT_OVERPASS) {
        Ok(Some(answer)) => Ok(answer),
        Ok(None) => Err(ServiceError::Malformed(NOT_OVERPASS)),
        Err(error) => Err(budget.error_or(error)),
    }
}

/// Reads an answer; `None` for anything else.
struct AsAnswer<'a, F> {
    format: &'a ElementFormat,
    budget: &'a AnswerBudget,
    to_object: &'a F,
}

impl<'de, F: Fn(&TaggedElement) -> Option<RawObject>> LenientValue<'de> for AsAnswer<'_, F> {
    type Output = Option<ParsedAnswer>;

    fn other(self) -> Self::Output {
        None
    }

    fn object<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Output, A::Error> {
        let AsAnswer { format, budget, to_object } = self;
        let mut answer = ParsedAnswer::default();
        let mut has_elements = false;
        while let Some(key) = object.next_key_seed(Lenient(KeyAmong(["elements", "remark"])))? {
            match key {
                Some(0) => {
                    let objects = &mut answer.objects;
                    let reader = Elements { objects, format, budget, to_object };
                    has_elements = object.next_value_seed(Lenient(reader))?;
                }
                Some(_) => {
                    answer.truncated = object.next_value::<Option<IgnoredAny>>()?.is_some();
                }
                None => drop(object.next_value::<IgnoredAny>()?),
            }
        }
        Ok(has_elements.then_some(answer))
    }
}

/// Reads the list `elements`. Returns whether it is a list.
struct Elements<'a, F> {
    objects: &'a mut Vec<RawObject>,
    format: &'a ElementFormat,
    budget: &'a AnswerBudget,
    to_object: &'a F,
}

impl<'de, F: Fn(&TaggedElement) -> Option<RawObject>> LenientValue<'de> for Elements<'_, F> {
    type Output = bool;

    fn other(self) -> bool {
        false
    }

    fn list<A: SeqAccess<'de>>(self, mut list: A) -> Result<bool, A::Error> {
        let Elements { objects, format, budget, to_object } = self;
        let mut element = TaggedElement::default();
        loop {
            element.geometry.clear();
            element.tags.clear();
            element.name.clear();
            let reader = AsElement { element: &mut element, format, budget };
            let Some(is_valid) = list.next_element_seed(Lenient(reader))? else { break };
            if is_valid
                && !element.geometry.is_empty()
                && let Some(object) = to_object(&element)
            {
                budget.spend_object()?;
                objects.push(object);
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::service::object_geometry::ObjectGeometry;
    use std::cell::RefCell;

    /// Parses an answer and returns its elements.
    fn elements(text: &str) -> Result<(Vec<TaggedElement>, ParsedAnswer), ServiceError> {
        let keys = ["amenity", "shop"].map(str::to_owned).into();
        let seen = RefCell::default();
        let answer = parse(text.as_bytes(), &ElementFormat { keys, max_objects: 9 }, |element| {
            let TaggedElement { id, name, tags, geometry } = element;
            let (id, name, tags) = (id.clone(), name.clone(), tags.clone());
            let copy = TaggedElement { id, name, tags, geometry: geometry.clone() };
            Vec::push(&mut *seen.borrow_mut(), copy);
            None
        });
        Ok((seen.into_inner(), answer?))
    }

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
        let (elements, answer) = elements(text).unwrap();
        assert!(!answer.truncated);
        let ids: Vec<_> = elements.iter().map(|element| element.id.as_str()).collect();
        assert_eq!(ids, ["node/7", "way/7", "relation/7"]);
        assert_eq!(elements[0].name, "Ada");
        assert_eq!(elements[0].geometry, ObjectGeometry::point([9.5, 50.5]));
        let mut broken = ObjectGeometry::point([9.6, 50.6]);
        broken.push([9.8, 50.8]);
        broken.end_chain();
        assert_eq!(elements[1].geometry, broken);
        let mut members = ObjectGeometry::point([2.0, 1.0]);
        members.push([4.0, 3.0]);
        members.push([6.0, 5.0]);
        members.end_chain();
        assert_eq!(elements[2].geometry, members);
    }

    #[test]
    fn an_answer_with_a_remark_is_truncated() {
        let text = r#"{"elements":[],"remark":"runtime error: Query timed out in \"query\" at line 1 after 2 seconds."}"#;
        assert!(elements(text).unwrap().1.truncated);
    }

    #[test]
    fn other_content_is_an_error() {
        for text in ["<html>", "", "{}", "{\"elements\":{}}", "\u{ff}"] {
            assert!(elements(text).is_err(), "{text}");
        }
    }
}
