//! GeoJSON feature collections from services. Features without a valid id or geometry are dropped;
//! texts are truncated.

mod feature;
mod geometry;
#[cfg(test)]
mod tests;

use super::answer_budget::AnswerBudget;
use super::lenient_json::{
    AsBool, AsCount, AsShortText, KeyAmong, Lenient, LenientValue, read_json,
};
use super::object_geometry::ObjectGeometry;
use super::{RawObject, ServiceError};
use feature::{AsFeature, FeatureTexts};
use meshcloak::units::Point;
use serde::Deserialize;
use serde::de::{IgnoredAny, MapAccess, SeqAccess};

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
    pub name: String,
    pub category: String,
    /// Point that represents the feature; `None` if its geometry is empty or invalid.
    point: Option<Point>,
}

/// What is read of a feature collection.
#[derive(Clone, Debug)]
pub(crate) struct FeatureFormat {
    /// Property that holds the name.
    pub name: String,
    /// Property that holds the category.
    pub category: String,
    /// Largest number of features.
    pub max_objects: usize,
}

const NOT_A_COLLECTION: &str = "it is not a GeoJSON feature collection";

/// Largest length of a link in bytes.
const MAX_LINK_BYTES: usize = 16 << 10;

impl FeatureCollection {
    /// Parses JSON. `locate` returns the point that represents a geometry.
    pub(crate) fn parse(
        text: &[u8],
        format: &FeatureFormat,
        locate: impl Fn(&ObjectGeometry) -> Option<Point>,
    ) -> Result<FeatureCollection, ServiceError> {
        let budget = AnswerBudget::new(format.max_objects);
        let reader = AsCollection { format, budget: &budget, locate: &locate };
        match read_json(text, reader, NOT_A_COLLECTION) {
            Ok(Some(collection)) => Ok(collection),
            Ok(None) => Err(ServiceError::Malformed(NOT_A_COLLECTION)),
            Err(error) => Err(budget.error_or(error)),
        }
    }
}

impl Feature {
    /// Memory in bytes, with a copy of the id.
    pub(crate) fn memory(&self) -> usize {
        let texts = [&self.id, &self.id, &self.name, &self.category].map(String::len);
        texts.into_iter().fold(size_of::<[Feature; 2]>(), usize::saturating_add)
    }

    /// Converts the feature; `category` translates its category. `None` without a point.
    pub(crate) fn into_object(self, category: impl FnOnce(&str) -> String) -> Option<RawObject> {
        let Feature { id, name, category: service_category, point } = self;
        Some(RawObject { id, name, category: category(&service_category), point: point? })
    }
}

/// Reads a feature collection; `None` for anything else.
struct AsCollection<'a, L> {
    format: &'a FeatureFormat,
    budget: &'a AnswerBudget,
    locate: &'a L,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "camelCase")]
enum CollectionKey {
    Type,
    Features,
    Complete,
    NumberMatched,
    Links,
    #[serde(other)]
    Other,
}

impl<'de, L: Fn(&ObjectGeometry) -> Option<Point>> LenientValue<'de> for AsCollection<'_, L> {
    type Output = Option<FeatureCollection>;

    fn other(self) -> Self::Output {
        None
    }

    fn object<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Output, A::Error> {
        let AsCollection { format, budget, locate } = self;
        let mut collection = FeatureCollection::default();
        let (mut is_collection, mut has_features) = (false, false);
        while let Some(key) = object.next_key()? {
            match key {
                CollectionKey::Type => {
                    let name = object.next_value_seed(Lenient(AsShortText { max: 32 }))?;
                    is_collection = name.as_deref() == Some("FeatureCollection");
                }
                CollectionKey::Features => {
                    let features = &mut collection.features;
                    let reader = Features { features, format, budget, locate };
                    has_features = object.next_value_seed(Lenient(reader))?;
                }
                CollectionKey::Complete => {
                    collection.complete = object.next_value_seed(Lenient(AsBool))?;
                }
                CollectionKey::NumberMatched => {
                    collection.matched = object.next_value_seed(Lenient(AsCount))?;
                }
                CollectionKey::Links => {
                    collection.next = object.next_value_seed(Lenient(NextLink))?;
                }
                CollectionKey::Other => drop(object.next_value::<IgnoredAny>()?),
            }
        }
        Ok((is_collection && has_features).then_some(collection))
    }
}

/// Reads the list `features`. Returns whether it is a list.
struct Features<'a, L> {
    features: &'a mut Vec<Feature>,
    format: &'a FeatureFormat,
    budget: &'a AnswerBudget,
    locate: &'a L,
}

impl<'de, L: Fn(&ObjectGeometry) -> Option<Point>> LenientValue<'de> for Features<'_, L> {
    type Output = bool;

    fn other(self) -> bool {
        false
    }

    fn list<A: SeqAccess<'de>>(self, mut list: A) -> Result<bool, A::Error> {
        let Features { features, format, budget, locate } = self;
        let mut geometry = ObjectGeometry::default();
        loop {
            geometry.clear();
            let reader = AsFeature { format, budget, geometry: &mut geometry };
            let Some(feature) = list.next_element_seed(Lenient(reader))? else { break };
            if let Some(FeatureTexts { id, name, category }) = feature {
                budget.spend_object()?;
                features.push(Feature { id, name, category, point: locate(&geometry) });
            }
        }
        Ok(true)
    }
}

/// Reads the target of the first link with `rel` = `next`.
struct NextLink;

impl<'de> LenientValue<'de> for NextLink {
    type Output = Option<String>;

    fn other(self) -> Option<String> {
        None
    }

    fn list<A: SeqAccess<'de>>(self, mut list: A) -> Result<Option<String>, A::Error> {
        let mut next = None;
        while let Some(link) = list.next_element_seed(Lenient(AsLink))? {
            next = next.or(link);
        }
        Ok(next)
    }
}

/// Reads one link; `None` unless it leads to the next page.
struct AsLink;

impl<'de> LenientValue<'de> for AsLink {
    type Output = Option<String>;

    fn other(self) -> Option<String> {
        None
    }

    fn object<A: MapAccess<'de>>(self, mut object: A) -> Result<Option<String>, A::Error> {
        let (mut href, mut rel) = (None, None);
        while let Some(key) = object.next_key_seed(Lenient(KeyAmong(["href", "rel"])))? {
            match key {
                Some(0) => {
                    let reader = Lenient(AsShortText { max: MAX_LINK_BYTES });
                    href = object.next_value_seed(reader)?;
                }
                Some(_) => rel = object.next_value_seed(Lenient(AsShortText { max: 32 }))?,
                None => drop(object.next_value::<IgnoredAny>()?),
            }
        }
        Ok(href.filter(|_| rel.as_deref() == Some("next")))
    }
}
