//! Categories as OpenStreetMap tags.

use crate::question::Category;
use crate::service::category_names::CategoryNames;
use crate::service::remote::RemoteError;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Selects objects by tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Selector {
    /// Objects with any of [`KEYS`].
    Any,
    /// Objects with this key and value.
    Tag(String, String),
}

/// Keys of points of interest; an object with several is named by the first.
pub(crate) const KEYS: [&str; 5] = ["amenity", "shop", "tourism", "leisure", "office"];

/// Tags of the default categories: key, and values separated by spaces.
const COMMON: [(&str, &str); 5] = [
    (
        "amenity",
        "atm bank bar biergarten bicycle_rental cafe car_rental charging_station cinema clinic \
         college dentist doctors drinking_water fast_food fuel hospital ice_cream kindergarten \
         library marketplace parking pharmacy place_of_worship police post_box post_office pub \
         restaurant school taxi theatre toilets townhall university veterinary",
    ),
    (
        "shop",
        "bakery beauty bicycle books butcher car car_repair chemist clothes convenience \
         department_store doityourself electronics florist furniture greengrocer hairdresser \
         hardware jewelry kiosk mall mobile_phone optician shoes sports supermarket",
    ),
    ("tourism", "attraction camp_site gallery guest_house hostel hotel information museum zoo"),
    ("leisure", "fitness_centre garden park pitch playground sports_centre stadium swimming_pool"),
    ("office", "company estate_agent government insurance lawyer"),
];

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Selector::Any => write!(f, "[~\"^({})$\"~\".\"]", KEYS.join("|")),
            Selector::Tag(key, value) => write!(f, "[\"{key}\"=\"{value}\"]"),
        }
    }
}

/// Returns the key of a default category.
pub(crate) fn key_of_category(category: &str) -> Option<&'static str> {
    let has = |values: &str| values.split_whitespace().any(|value| value == category);
    COMMON.iter().find(|(_, values)| has(values)).map(|(key, _)| *key)
}

/// Returns the default categories; the name of each is the value of its tag.
pub(super) fn common() -> BTreeMap<String, Vec<Selector>> {
    let pairs = COMMON.iter().flat_map(|(key, values)| {
        values.split_whitespace().map(move |value| (key.to_string(), value.to_owned()))
    });
    pairs.map(|(key, value)| (value.clone(), vec![Selector::Tag(key, value)])).collect()
}

/// Parses the categories of the settings.
pub(super) fn parse_categories(
    names: &CategoryNames,
) -> Result<BTreeMap<String, Vec<Selector>>, RemoteError> {
    let selectors = |name: String| {
        let tags = names.service_name(&name).unwrap_or_default();
        let selectors: Option<Vec<Selector>> = tags.split('|').map(selector).collect();
        match selectors {
            Some(selectors) => Ok((name, selectors)),
            None => Err(RemoteError::Category(
                name,
                "must be tags: `key=value` or `key=value|key=value`",
            )),
        }
    };
    names.categories().into_iter().map(selectors).collect()
}

/// Parses `key=value`. Texts that would need escaping in Overpass QL are refused, so none is
/// escaped. At most 100 bytes each, so that a statement fits into a query.
fn selector(text: &str) -> Option<Selector> {
    let (key, value) = text.trim().split_once('=')?;
    let is_valid = |text: &str| {
        (1..=100).contains(&text.len()) && !text.contains(['"', '\\']) && !text.contains('=')
    };
    (is_valid(key) && is_valid(value)).then(|| Selector::Tag(key.to_owned(), value.to_owned()))
}

/// Returns the keys of all tags that decide a category.
pub(super) fn keys(categories: &BTreeMap<String, Vec<Selector>>) -> BTreeSet<String> {
    let selected = categories.values().flatten().filter_map(|selector| match selector {
        Selector::Any => None,
        Selector::Tag(key, _) => Some(key.clone()),
    });
    selected.chain(KEYS.map(str::to_owned)).collect()
}

/// Returns the category of an object with these tags; `None` if it does not match the question.
pub(super) fn category(
    tags: &BTreeMap<String, String>,
    asked: &Category,
    known: &BTreeMap<String, Vec<Selector>>,
) -> Option<String> {
    let has = |selector: &Selector| match selector {
        Selector::Any => true,
        Selector::Tag(key, value) => tags.get(key) == Some(value),
    };
    if let Some(name) = asked.name() {
        return known.get(name)?.iter().any(has).then(|| name.to_owned());
    }
    // As in map import: `key=yes` is named by its key, `key=no` is ignored.
    let (key, value) = KEYS.iter().find_map(|&key| {
        let value = tags.get(key).filter(|&value| value != "no")?;
        Some((key, value))
    })?;
    let tag = Selector::Tag(key.to_owned(), value.clone());
    let named = known.iter().find(|(_, selectors)| selectors.contains(&tag));
    let default = if value == "yes" { key } else { value };
    Some(named.map_or(default, |(name, _)| name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(text: &str) -> BTreeMap<String, String> {
        let pairs = text.split_whitespace().filter_map(|pair| pair.split_once('='));
        pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    }

    fn known(pairs: &[(&str, &str)]) -> Result<BTreeMap<String, Vec<Selector>>, RemoteError> {
        let own = |&(name, word): &(&str, &str)| (name.to_owned(), word.to_owned());
        parse_categories(&CategoryNames::new(&pairs.iter().map(own).collect()).unwrap())
    }

    #[test]
    fn the_category_is_the_one_asked_for_or_that_of_the_tags() {
        let known = known(&[("food", "amenity=restaurant|amenity=cafe"), ("tree", "natural=tree")]);
        let known = known.unwrap();
        let named = |text: &str, asked: &Category| category(&tags(text), asked, &known);
        let food = Category::named("food").unwrap();
        assert_eq!(named("amenity=cafe", &food).as_deref(), Some("food"));
        assert_eq!(named("amenity=bar", &food), None);
        assert_eq!(named("amenity=cafe", &Category::Any).as_deref(), Some("food"));
        assert_eq!(named("amenity=no shop=yes", &Category::Any).as_deref(), Some("shop"));
        assert_eq!(
            named("natural=tree", &Category::named("tree").unwrap()).as_deref(),
            Some("tree")
        );
        assert_eq!(named("highway=bus_stop", &Category::Any), None);
    }

    #[test]
    fn default_categories_are_named_by_their_values() {
        let known = common();
        assert_eq!(known["cafe"], [Selector::Tag("amenity".into(), "cafe".into())]);
        assert_eq!(
            known.len(),
            COMMON.iter().map(|(_, v)| v.split_whitespace().count()).sum::<usize>()
        );
        let found = category(&tags("tourism=hotel amenity=bar"), &Category::Any, &known);
        assert_eq!(found.as_deref(), Some("bar"));
    }

    #[test]
    fn tags_that_would_need_escaping_are_refused() {
        for bad in ["cafe", "amenity=\"x", "a\\=b", "=x", "a=", "a=b|", "a=b=c"] {
            assert!(known(&[("x", bad)]).is_err(), "{bad}");
        }
    }
}
