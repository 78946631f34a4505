//! One element of an Overpass answer: type, id, tags and geometry.

use crate::service::answer_budget::AnswerBudget;
use crate::service::lenient_json::{
    AsCount, AsNumber, AsShortText, AsText, KeyAmong, Lenient, LenientValue,
};
use crate::service::object_geometry::ObjectGeometry;
use serde::Deserialize;
use serde::de::{IgnoredAny, MapAccess, SeqAccess};
use std::collections::{BTreeMap, BTreeSet};

/// An element with a geometry.
#[derive(Debug, Default, PartialEq)]
pub(super) struct TaggedElement {
    /// `node/17`, `way/17` or `relation/17`.
    pub id: String,
    pub name: String,
    /// Tags with a key among [`ElementFormat::keys`].
    pub tags: BTreeMap<String, String>,
    pub geometry: ObjectGeometry,
}

/// What is read of an answer.
#[derive(Clone, Debug)]
pub(super) struct ElementFormat {
    /// Keys of the tags that are kept.
    pub keys: BTreeSet<String>,
    /// Largest number of objects.
    pub max_objects: usize,
}

/// Reads one element into a reused buffer. Returns whether it has a valid type and id.
pub(super) struct AsElement<'a> {
    pub element: &'a mut TaggedElement,
    pub format: &'a ElementFormat,
    pub budget: &'a AnswerBudget,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum ElementKey {
    Type,
    Id,
    Lon,
    Lat,
    Geometry,
    Members,
    Tags,
    #[serde(other)]
    Other,
}

impl<'de> LenientValue<'de> for AsElement<'_> {
    type Output = bool;

    fn other(self) -> bool {
        false
    }

    fn object<A: MapAccess<'de>>(self, mut object: A) -> Result<bool, A::Error> {
        let AsElement { element, format, budget } = self;
        let geometry = &mut element.geometry;
        let (mut element_type, mut id) = (None, None);
        let (mut lon, mut lat) = (None, None);
        while let Some(key) = object.next_key()? {
            match key {
                ElementKey::Type => {
                    element_type = object.next_value_seed(Lenient(AsShortText { max: 16 }))?;
                }
                ElementKey::Id => id = object.next_value_seed(Lenient(AsCount))?,
                ElementKey::Lon => lon = object.next_value_seed(Lenient(AsNumber))?,
                ElementKey::Lat => lat = object.next_value_seed(Lenient(AsNumber))?,
                ElementKey::Geometry => {
                    let geometry = &mut *geometry;
                    object.next_value_seed(Lenient(Chain { geometry, budget }))?;
                }
                ElementKey::Members => {
                    let geometry = &mut *geometry;
                    object.next_value_seed(Lenient(Members { geometry, budget }))?;
                }
                ElementKey::Tags => {
                    let (tags, name) = (&mut element.tags, &mut element.name);
                    let keys = &format.keys;
                    object.next_value_seed(Lenient(Tags { tags, name, keys }))?;
                }
                ElementKey::Other => drop(object.next_value::<IgnoredAny>()?),
            }
        }
        push_point(lon.zip(lat), geometry);
        let element_type =
            element_type.filter(|name| matches!(name.as_str(), "node" | "way" | "relation"));
        let id = element_type.zip(id).map(|(name, id)| format!("{name}/{id}"));
        let is_valid = id.is_some();
        element.id = id.unwrap_or_default();
        Ok(is_valid)
    }
}

/// Adds a single point.
fn push_point(point: Option<(f64, f64)>, geometry: &mut ObjectGeometry) {
    if let Some((lon, lat)) = point {
        geometry.push([lon, lat]);
        geometry.end_chain();
    }
}

/// Reads the points of a way. A missing point interrupts the chain.
struct Chain<'a> {
    geometry: &'a mut ObjectGeometry,
    budget: &'a AnswerBudget,
}

impl<'de> LenientValue<'de> for Chain<'_> {
    type Output = ();

    fn other(self) {}

    fn list<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(point) = list.next_element_seed(Lenient(AsPoint))? {
            match point {
                Some(point) => {
                    self.budget.spend_point()?;
                    self.geometry.push(point);
                }
                None => self.geometry.end_chain(),
            }
        }
        self.geometry.end_chain();
        Ok(())
    }
}

/// Reads an object with `lon` and `lat`.
struct AsPoint;

impl<'de> LenientValue<'de> for AsPoint {
    type Output = Option<[f64; 2]>;

    fn other(self) -> Self::Output {
        None
    }

    fn object<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Output, A::Error> {
        let (mut lon, mut lat) = (None, None);
        while let Some(key) = object.next_key_seed(Lenient(KeyAmong(["lon", "lat"])))? {
            match key {
                Some(0) => lon = object.next_value_seed(Lenient(AsNumber))?,
                Some(_) => lat = object.next_value_seed(Lenient(AsNumber))?,
                None => drop(object.next_value::<IgnoredAny>()?),
            }
        }
        Ok(lon.zip(lat).map(|(lon, lat)| [lon, lat]))
    }
}

/// Reads the members of a relation.
struct Members<'a> {
    geometry: &'a mut ObjectGeometry,
    budget: &'a AnswerBudget,
}

impl<'de> LenientValue<'de> for Members<'_> {
    type Output = ();

    fn other(self) {}

    fn list<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        loop {
            let reader = Member { geometry: &mut *self.geometry, budget: self.budget };
            if list.next_element_seed(Lenient(reader))?.is_none() {
                return Ok(());
            }
        }
    }
}

/// Reads the geometry of a member of a relation: a node or a way.
struct Member<'a> {
    geometry: &'a mut ObjectGeometry,
    budget: &'a AnswerBudget,
}

impl<'de> LenientValue<'de> for Member<'_> {
    type Output = ();

    fn other(self) {}

    fn object<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let Member { geometry, budget } = self;
        let (mut lon, mut lat) = (None, None);
        let known = ["lon", "lat", "geometry"];
        while let Some(key) = object.next_key_seed(Lenient(KeyAmong(known)))? {
            match key {
                Some(0) => lon = object.next_value_seed(Lenient(AsNumber))?,
                Some(1) => lat = object.next_value_seed(Lenient(AsNumber))?,
                Some(_) => {
                    let geometry = &mut *geometry;
                    object.next_value_seed(Lenient(Chain { geometry, budget }))?;
                }
                None => drop(object.next_value::<IgnoredAny>()?),
            }
        }
        if lon.is_some() {
            budget.spend_point()?;
        }
        push_point(lon.zip(lat), geometry);
        Ok(())
    }
}

/// Reads the tags whose keys are known, and the name.
struct Tags<'a> {
    tags: &'a mut BTreeMap<String, String>,
    name: &'a mut String,
    keys: &'a BTreeSet<String>,
}

/// Reads the key of a tag; `None` if it is unknown.
struct TagKey<'a>(&'a BTreeSet<String>);

impl<'a> LenientValue<'_> for TagKey<'a> {
    type Output = Option<&'a str>;

    fn other(self) -> Self::Output {
        None
    }

    fn text(self, text: &str) -> Self::Output {
        if text == "name" { Some("name") } else { self.0.get(text).map(String::as_str) }
    }
}

impl<'de> LenientValue<'de> for Tags<'_> {
    type Output = ();

    fn other(self) {}

    fn object<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        while let Some(key) = object.next_key_seed(Lenient(TagKey(self.keys)))? {
            let Some(key) = key else {
                object.next_value::<IgnoredAny>()?;
                continue;
            };
            let value = object.next_value_seed(Lenient(AsText))?;
            if key == "name" {
                self.name.clone_from(&value);
            }
            if self.keys.contains(key) {
                self.tags.insert(key.to_owned(), value);
            }
        }
        Ok(())
    }
}
