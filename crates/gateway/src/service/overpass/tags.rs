//! Categories as tags: what is asked for, and what an object with some tags is called.

use crate::question::Category;
use crate::service::categories::Categories;
use crate::service::remote::RemoteError;
use std::collections::BTreeMap;
use std::fmt;

/// Which objects are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Selector {
    /// Any that is a point of interest.
    Any,
    /// Those with this key and value.
    Tag(String, String),
}

/// Keys of points of interest, the telling ones first.
const KEYS: [&str; 5] = ["amenity", "shop", "tourism", "leisure", "office"];

/// What is known without settings.
const USUAL: [(&str, &str); 5] = [
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

/// The usual categories, each called by its value.
pub(super) fn usual() -> BTreeMap<String, Vec<Selector>> {
    let pairs = USUAL.iter().flat_map(|(key, values)| {
        values.split_whitespace().map(move |value| (key.to_string(), value.to_owned()))
    });
    pairs.map(|(key, value)| (value.clone(), vec![Selector::Tag(key, value)])).collect()
}

/// The categories of the settings.
pub(super) fn selectors(
    categories: &Categories,
) -> Result<BTreeMap<String, Vec<Selector>>, RemoteError> {
    let selectors = |name: String| {
        let word = categories.word(&name).unwrap_or_default();
        let all: Option<Vec<Selector>> = word.split('|').map(selector).collect();
        match all {
            Some(all) => Ok((name, all)),
            None => Err(RemoteError::Category(
                name,
                "must be tags: `key=value` or `key=value|key=value`",
            )),
        }
    };
    categories.names().into_iter().map(selectors).collect()
}

/// A tag that needs no escapes; at most 255 letters each, as in OSM, and less than a query.
fn selector(text: &str) -> Option<Selector> {
    let (key, value) = text.trim().split_once('=')?;
    let plain = |text: &str| {
        (1..=100).contains(&text.len()) && !text.contains(['"', '\\']) && !text.contains('=')
    };
    (plain(key) && plain(value)).then(|| Selector::Tag(key.to_owned(), value.to_owned()))
}

/// What an object with these tags is called; `None` if it is not what was asked for.
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
    // As maps are imported: `yes` says no more than the key, `no` less.
    let (key, value) = KEYS.iter().find_map(|&key| {
        let value = tags.get(key).filter(|&value| value != "no")?;
        Some((key, value))
    })?;
    let told = Selector::Tag(key.to_owned(), value.clone());
    let named = known.iter().find(|(_, selectors)| selectors.contains(&told));
    let plain = if value == "yes" { key } else { value };
    Some(named.map_or(plain, |(name, _)| name).to_owned())
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
        selectors(&Categories::new(&pairs.iter().map(own).collect()).unwrap())
    }

    #[test]
    fn an_object_is_called_what_was_asked_for_or_what_its_tags_say() {
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
    fn the_usual_categories_are_called_by_their_values() {
        let known = usual();
        assert_eq!(known["cafe"], [Selector::Tag("amenity".into(), "cafe".into())]);
        assert_eq!(
            known.len(),
            USUAL.iter().map(|(_, v)| v.split_whitespace().count()).sum::<usize>()
        );
        let found = category(&tags("tourism=hotel amenity=bar"), &Category::Any, &known);
        assert_eq!(found.as_deref(), Some("bar"));
    }

    #[test]
    fn what_could_be_mistaken_for_ql_is_refused() {
        for bad in ["cafe", "amenity=\"x", "a\\=b", "=x", "a=", "a=b|", "a=b=c"] {
            assert!(known(&[("x", bad)]).is_err(), "{bad}");
        }
    }
}
