//! The JSON document of Overpass.

use super::ql::{Detail, Output, OverpassQuery};
use crate::compatible::element_id::{ElementId, ElementType};
use crate::compatible::nearby::Place;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A selected place with the key of its category.
struct Element<'a> {
    place: Place,
    key: &'a str,
}

/// Builds the document from the places of each selection. Elements are distinct, nodes first, then
/// ascending by number.
pub(super) fn document(query: &OverpassQuery, lists: Vec<Vec<Place>>) -> Value {
    let mut elements: BTreeMap<ElementId, Element<'_>> = BTreeMap::new();
    for (selection, places) in query.selections.iter().zip(lists) {
        for place in places {
            let id = ElementId::of(&place.id);
            let is_named = selection.name.as_ref().is_none_or(|name| is_name(name, &place));
            if is_named && selection.elements.includes(id.element) {
                elements.entry(id).or_insert(Element { place, key: &selection.key });
            }
        }
    }
    let limit = query.output.limit.unwrap_or(usize::MAX);
    let elements = elements.iter().take(limit);
    let elements: Vec<Value> =
        elements.map(|(id, element)| element_json(*id, element, query.output)).collect();
    json!({
        "version": 0.6,
        "generator": "MeshCloak",
        "osm3s": {
            "timestamp_osm_base": "",
            "copyright": "The data included in this document is that of the operator of this gateway."
        },
        "elements": elements,
    })
}

/// Whether a place has a name. One without a name has no tag `name`, so that no value selects it.
fn is_name(name: &str, place: &Place) -> bool {
    !name.is_empty() && *name == place.name
}

fn element_json(id: ElementId, element: &Element<'_>, output: Output) -> Value {
    let Element { place, key } = element;
    let mut json = Map::new();
    json.insert("type".into(), id.element.to_string().into());
    json.insert("id".into(), id.number.into());
    let has_coordinates = output.center || matches!(output.detail, Detail::Body | Detail::Skeleton);
    match id.element {
        ElementType::Node if has_coordinates => {
            json.insert("lat".into(), place.lat.into());
            json.insert("lon".into(), place.lon.into());
        }
        ElementType::Way | ElementType::Relation if output.center => {
            json.insert("center".into(), json!({"lat": place.lat, "lon": place.lon}));
        }
        _ => {}
    }
    if matches!(output.detail, Detail::Body | Detail::Tags) {
        let mut tags = Map::new();
        tags.insert((*key).to_owned(), place.category.as_str().into());
        if !place.name.is_empty() {
            tags.insert("name".into(), place.name.as_str().into());
        }
        if !id.is_osm {
            tags.insert("ref".into(), place.id.as_str().into());
        }
        json.insert("tags".into(), tags.into());
    }
    json.into()
}
