//! Interpretation of OSM tags: streets, their direction, and points of interest
//! (docs/SPEC.md §8). Independent of the file format.

use crate::options::Highways;

/// The keys in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Highway,
    Area,
    OneWay,
    Junction,
    Name,
    Amenity,
    Shop,
    Tourism,
    Leisure,
    Office,
}

/// Keys of points of interest, in order of priority: `amenity=cafe, tourism=yes` is a café.
const POI_KEYS: [(Key, &str); 5] = [
    (Key::Amenity, "amenity"),
    (Key::Shop, "shop"),
    (Key::Tourism, "tourism"),
    (Key::Leisure, "leisure"),
    (Key::Office, "office"),
];

impl Key {
    /// Returns the key of that name, if it is in use.
    pub(super) fn of(name: &[u8]) -> Option<Key> {
        Some(match name {
            b"highway" => Key::Highway,
            b"area" => Key::Area,
            b"oneway" => Key::OneWay,
            b"junction" => Key::Junction,
            b"name" => Key::Name,
            b"amenity" => Key::Amenity,
            b"shop" => Key::Shop,
            b"tourism" => Key::Tourism,
            b"leisure" => Key::Leisure,
            b"office" => Key::Office,
            _ => return None,
        })
    }
}

/// Permitted direction of travel, relative to the order of the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AllowedDirection {
    Both,
    Forward,
    Backward,
}

/// Tags of a street.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StreetTags<'a> {
    pub class: &'a str,
    pub name: &'a str,
    pub direction: AllowedDirection,
}

/// Tags of a point of interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PoiTags<'a> {
    pub category: &'a str,
    pub name: &'a str,
}

/// Number of keys in use.
const KEYS: usize = Key::Office as usize + 1;

/// Values of the keys in use of one element; reused for the next to avoid allocation.
#[derive(Debug, Default)]
pub(super) struct Tags {
    values: [String; KEYS],
}

/// Longest value that OSM allows, in characters; longer values are truncated.
const MAX_VALUE_CHARS: usize = 255;

impl Tags {
    /// Removes all tags.
    pub(super) fn clear(&mut self) {
        self.values.iter_mut().for_each(String::clear);
    }

    /// Sets a tag; a later value replaces an earlier one.
    #[expect(clippy::indexing_slicing, reason = "there is a value for every key")]
    pub(super) fn set(&mut self, key: Key, value: &str) {
        let end = value.char_indices().nth(MAX_VALUE_CHARS).map_or(value.len(), |(end, _)| end);
        let slot = &mut self.values[key as usize];
        slot.clear();
        slot.push_str(value.get(..end).unwrap_or(value));
    }

    /// Returns the street described by these tags, if its highway class is selected.
    pub(super) fn street(&self, highways: Highways) -> Option<StreetTags<'_>> {
        let class = self.get(Key::Highway);
        let wanted = is_for_cars(class) || highways == Highways::All && is_for_others(class);
        let is_street = wanted && self.get(Key::Area) != "yes";
        let name = self.get(Key::Name);
        is_street.then(|| StreetTags { class, name, direction: self.direction() })
    }

    /// Returns the point of interest described by these tags, if any.
    pub(super) fn poi(&self) -> Option<PoiTags<'_>> {
        POI_KEYS.iter().find_map(|&(key, word)| {
            let category = match self.get(key) {
                "" | "no" => return None,
                "yes" => word,
                value => value,
            };
            Some(PoiTags { category, name: self.get(Key::Name) })
        })
    }

    /// `reversible` lanes change direction over the day; only the drawn direction is assumed.
    fn direction(&self) -> AllowedDirection {
        match self.get(Key::OneWay) {
            "yes" | "true" | "1" | "reversible" => AllowedDirection::Forward,
            "-1" | "reverse" => AllowedDirection::Backward,
            "no" | "false" | "0" => AllowedDirection::Both,
            _ if self.implies_one_way() => AllowedDirection::Forward,
            _ => AllowedDirection::Both,
        }
    }

    /// Motorways and roundabouts. Not `motorway_link`: OSM does not imply it, and many links without
    /// a `oneway` tag are two-way.
    fn implies_one_way(&self) -> bool {
        self.get(Key::Highway) == "motorway"
            || matches!(self.get(Key::Junction), "roundabout" | "circular")
    }

    #[expect(clippy::indexing_slicing, reason = "there is a value for every key")]
    fn get(&self, key: Key) -> &str {
        &self.values[key as usize]
    }
}

fn is_for_cars(highway: &str) -> bool {
    let with_links = highway.strip_suffix("_link").unwrap_or(highway);
    matches!(with_links, "motorway" | "trunk" | "primary" | "secondary" | "tertiary")
        || matches!(highway, "unclassified" | "residential" | "living_street" | "service" | "road")
}

/// Other passable classes. Excludes `proposed`, `construction`, `platform`, `services`, `elevator`
/// and similar.
fn is_for_others(highway: &str) -> bool {
    matches!(
        highway,
        "pedestrian"
            | "footway"
            | "path"
            | "cycleway"
            | "track"
            | "steps"
            | "bridleway"
            | "corridor"
            | "busway"
            | "bus_guideway"
            | "escape"
            | "ladder"
            | "via_ferrata"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(text: &str) -> Tags {
        let mut tags = Tags::default();
        for tag in text.split_whitespace() {
            let (key, value) = tag.split_once('=').unwrap();
            if let Some(key) = Key::of(key.as_bytes()) {
                tags.set(key, value);
            }
        }
        tags
    }

    #[test]
    fn one_way_rules_follow_osm() {
        use AllowedDirection::*;
        let table = [
            ("highway=residential", Both),
            ("highway=residential oneway=yes", Forward),
            ("highway=residential oneway=true", Forward),
            ("highway=residential oneway=1", Forward),
            ("highway=residential oneway=-1", Backward),
            ("highway=residential oneway=reverse", Backward),
            ("highway=residential oneway=reversible", Forward),
            ("highway=residential oneway=no", Both),
            ("highway=residential oneway=alternating", Both),
            ("highway=motorway", Forward),
            ("highway=motorway oneway=no", Both),
            ("highway=motorway oneway=false", Both),
            ("highway=motorway oneway=0", Both),
            ("highway=motorway oneway=-1", Backward),
            ("highway=motorway_link", Both),
            ("highway=motorway_link oneway=yes", Forward),
            ("highway=primary junction=roundabout", Forward),
            ("highway=primary junction=circular", Forward),
            ("highway=primary junction=roundabout oneway=no", Both),
            ("highway=primary junction=roundabout oneway=-1", Backward),
            ("highway=primary junction=intersection", Both),
        ];
        for (text, direction) in table {
            assert_eq!(tags(text).street(Highways::Drive).unwrap().direction, direction, "{text}");
        }
    }

    #[test]
    fn only_selected_highways_are_streets() {
        let streets = |text: &str| {
            [Highways::Drive, Highways::All].map(|highways| tags(text).street(highways).is_some())
        };
        for highway in ["motorway", "trunk_link", "tertiary_link", "living_street", "road"] {
            assert_eq!(streets(&format!("highway={highway}")), [true, true], "{highway}");
        }
        for highway in ["footway", "path", "cycleway", "track", "steps", "pedestrian"] {
            assert_eq!(streets(&format!("highway={highway}")), [false, true], "{highway}");
        }
        for highway in ["proposed", "construction", "platform", "services", "elevator", "", "_link"]
        {
            assert_eq!(streets(&format!("highway={highway}")), [false, false], "{highway}");
        }
        assert_eq!(streets("highway=residential_link"), [false, false]);
        assert_eq!(streets("building=yes"), [false, false]);
        assert_eq!(streets("highway=service area=yes"), [false, false]);
        assert_eq!(streets("highway=service area=no"), [true, true]);
    }

    #[test]
    fn a_point_of_interest_has_a_category_and_a_name() {
        let category = |text: &str| tags(text).poi().map(|poi| poi.category.to_owned());
        assert_eq!(category("amenity=cafe name=Ada").as_deref(), Some("cafe"));
        assert_eq!(category("shop=yes").as_deref(), Some("shop"));
        assert_eq!(category("tourism=hotel amenity=bar").as_deref(), Some("bar"));
        assert_eq!(category("amenity=no office=lawyer").as_deref(), Some("lawyer"));
        assert_eq!(category("amenity=no"), None);
        assert_eq!(category("natural=tree name=Oak"), None);
        assert_eq!(tags("leisure=park name=Green").poi().unwrap().name, "Green");
    }

    #[test]
    fn overlong_values_are_truncated() {
        let mut tags = Tags::default();
        tags.set(Key::Amenity, "x");
        tags.set(Key::Name, &"ä".repeat(300));
        assert_eq!(tags.poi().unwrap().name.chars().count(), 255);
        tags.clear();
        assert_eq!(tags.poi(), None);
    }
}
