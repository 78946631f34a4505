//! Field masks: which fields of a place are returned.

use serde_json::{Map, Value};

/// Largest number of paths of a mask.
const MAX_PATHS: usize = 100;

/// Fields of a place in Google's API. Those without data are left out of answers, as there.
const FIELDS: &str = "accessibilityOptions addressComponents adrFormatAddress allowsDogs attributions \
    businessStatus containingPlaces curbsidePickup currentOpeningHours currentSecondaryOpeningHours \
    delivery dineIn displayName editorialSummary evChargeAmenitySummary evChargeOptions \
    formattedAddress fuelOptions generativeSummary goodForChildren goodForGroups \
    goodForWatchingSports googleMapsLinks googleMapsUri iconBackgroundColor iconMaskBaseUri id \
    internationalPhoneNumber liveMusic location menuForChildren name nationalPhoneNumber \
    neighborhoodSummary outdoorSeating parkingOptions paymentOptions photos plusCode postalAddress \
    priceLevel priceRange primaryType primaryTypeDisplayName pureServiceAreaBusiness rating \
    regularOpeningHours regularSecondaryOpeningHours reservable restroom reviewSummary reviews \
    servesBeer servesBreakfast servesBrunch servesCocktails servesCoffee servesDessert servesDinner \
    servesLunch servesVegetarianFood servesWine shortFormattedAddress subDestinations takeout \
    timeZone types userRatingCount utcOffsetMinutes viewport websiteUri";

/// Fields that have data, with the fields in them. A longer path is an error there.
const FIELDS_WITH_DATA: [(&str, &[&str]); 6] = [
    ("displayName", &["text", "languageCode"]),
    ("id", &[]),
    ("location", &["latitude", "longitude"]),
    ("name", &[]),
    ("primaryType", &[]),
    ("types", &[]),
];

/// Paths below `places`, each as its segments; an empty path is the whole place.
#[derive(Debug)]
pub(super) struct FieldMask(Vec<Vec<String>>);

impl FieldMask {
    /// Parses paths that are separated by commas.
    pub fn parse(text: &str) -> Result<FieldMask, String> {
        let paths: Vec<&str> = text.split(',').map(str::trim).collect();
        if paths.len() > MAX_PATHS {
            return Err(format!("the field mask has more than {MAX_PATHS} paths"));
        }
        paths.into_iter().map(parse_path).collect::<Result<_, _>>().map(FieldMask)
    }

    /// Returns the fields of a place that are in the mask.
    pub fn apply(&self, place: &Value) -> Value {
        let mut kept = Value::Object(Map::new());
        for path in &self.0 {
            copy(place, path, &mut kept);
        }
        kept
    }
}

fn parse_path(path: &str) -> Result<Vec<String>, String> {
    let mut segments = path.split('.');
    let rest: Vec<String> = match segments.next() {
        Some("*") if path == "*" => return Ok(Vec::new()),
        Some("places") => segments.map(str::to_owned).collect(),
        _ => return Err(format!("the field `{path}` is not supported, only fields of `places`")),
    };
    match rest.as_slice() {
        [] => Ok(rest),
        [all] if all == "*" => Ok(Vec::new()),
        [field, inner @ ..] if is_known(field, inner) => Ok(rest),
        _ => Err(format!("the field `{path}` is unknown")),
    }
}

/// Whether a place has a field, and the field these inner fields. Those without data are not checked.
fn is_known(field: &str, inner: &[String]) -> bool {
    match FIELDS_WITH_DATA.iter().find(|(known, _)| *known == field) {
        Some((_, fields)) => match inner {
            [] => true,
            [one] => fields.contains(&&**one),
            _ => false,
        },
        None => FIELDS.split_whitespace().any(|known| known == field),
    }
}

/// Copies the part of `from` at a path into `to`.
fn copy(from: &Value, path: &[String], to: &mut Value) {
    let Some((first, rest)) = path.split_first() else {
        to.clone_from(from);
        return;
    };
    let Some(inner) = from.get(first) else { return };
    let Some(object) = to.as_object_mut() else { return };
    if rest.is_empty() {
        object.insert(first.clone(), inner.clone());
    } else if inner.is_object() {
        let target = object.entry(first.clone()).or_insert_with(|| Value::Object(Map::new()));
        copy(inner, rest, target);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_the_fields_of_the_mask_are_kept() {
        let place = json!({"id": "p1", "name": "places/p1", "displayName": {"text": "Bar"},
                           "location": {"latitude": 1.5, "longitude": 2.5}});
        let kept = |mask: &str| FieldMask::parse(mask).unwrap().apply(&place);
        assert_eq!(kept("places.id"), json!({"id": "p1"}));
        assert_eq!(
            kept("places.displayName.text, places.location.latitude,places.location.longitude"),
            json!({"displayName": {"text": "Bar"}, "location": {"latitude": 1.5, "longitude": 2.5}})
        );
        assert_eq!(
            kept("places.rating,places.displayName.languageCode"),
            json!({"displayName": {}})
        );
        for all in ["*", "places", "places.*", "places.id,*"] {
            assert_eq!(kept(all), place, "{all}");
        }
    }

    #[test]
    fn unknown_fields_are_refused_by_name() {
        for (mask, named) in [
            ("places.stars", "places.stars"),
            ("places.location.lat", "places.location.lat"),
            ("places.id.text", "places.id.text"),
            ("places.displayName.text.x", "places.displayName.text.x"),
            ("places.displayName.", "places.displayName."),
            ("routingSummaries", "routingSummaries"),
            ("", "``"),
        ] {
            assert!(FieldMask::parse(mask).unwrap_err().contains(named), "{mask}");
        }
    }
}
