//! One feature: id, name, category and geometry.

use super::FeatureFormat;
use super::geometry::{AsGeometry, Validity};
use crate::service::answer_budget::AnswerBudget;
use crate::service::lenient_json::{
    AsShortText, AsText, KeyAmong, Lenient, LenientValue, MAX_TEXT_BYTES,
};
use crate::service::object_geometry::ObjectGeometry;
use serde::Deserialize;
use serde::de::{IgnoredAny, MapAccess};

/// Reads one feature: its texts, and its geometry into a reused buffer. `None` if it is invalid.
pub(super) struct AsFeature<'a> {
    pub format: &'a FeatureFormat,
    pub budget: &'a AnswerBudget,
    pub geometry: &'a mut ObjectGeometry,
}

/// Texts of a feature.
#[derive(Default)]
pub(super) struct FeatureTexts {
    pub id: String,
    pub name: String,
    pub category: String,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum FeatureKey {
    Id,
    Geometry,
    Properties,
    #[serde(other)]
    Other,
}

impl<'de> LenientValue<'de> for AsFeature<'_> {
    type Output = Option<FeatureTexts>;

    fn other(self) -> Self::Output {
        None
    }

    fn object<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Output, A::Error> {
        let AsFeature { format, budget, geometry } = self;
        let mut texts = FeatureTexts::default();
        let mut validity = Validity::Invalid;
        while let Some(key) = object.next_key()? {
            match key {
                FeatureKey::Id => {
                    let id =
                        object.next_value_seed(Lenient(AsShortText { max: MAX_TEXT_BYTES }))?;
                    texts.id = id.unwrap_or_default();
                }
                FeatureKey::Geometry => {
                    geometry.clear();
                    let reader = AsGeometry { target: &mut *geometry, budget, depth: 0 };
                    validity = object.next_value_seed(Lenient(reader))?;
                }
                FeatureKey::Properties => {
                    object.next_value_seed(Lenient(Properties { format, texts: &mut texts }))?;
                }
                FeatureKey::Other => drop(object.next_value::<IgnoredAny>()?),
            }
        }
        Ok((validity == Validity::Valid && !texts.id.is_empty()).then_some(texts))
    }
}

/// Reads name and category of a feature.
struct Properties<'a> {
    format: &'a FeatureFormat,
    texts: &'a mut FeatureTexts,
}

impl<'de> LenientValue<'de> for Properties<'_> {
    type Output = ();

    fn other(self) {}

    fn object<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let FeatureFormat { name, category, .. } = self.format;
        while let Some(key) = object.next_key_seed(Lenient(KeyAmong([name, category])))? {
            if key.is_none() {
                object.next_value::<IgnoredAny>()?;
                continue;
            }
            let text = object.next_value_seed(Lenient(AsText))?;
            // One property may hold both.
            if key == Some(0) && name == category {
                self.texts.category.clone_from(&text);
            }
            match key {
                Some(0) => self.texts.name = text,
                _ => self.texts.category = text,
            }
        }
        Ok(())
    }
}
