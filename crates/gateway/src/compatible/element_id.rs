//! Ids of objects as elements of OpenStreetMap.

use std::fmt;

/// Type of an element, in the order of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ElementType {
    Node,
    Way,
    Relation,
}

/// Type and number of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ElementId {
    pub element: ElementType,
    pub number: u64,
    /// Whether the object is an element of OpenStreetMap.
    pub is_osm: bool,
}

impl ElementType {
    /// Returns the first letter, as in Photon.
    pub fn letter(self) -> &'static str {
        match self {
            ElementType::Node => "N",
            ElementType::Way => "W",
            ElementType::Relation => "R",
        }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ElementType::Node => "node",
            ElementType::Way => "way",
            ElementType::Relation => "relation",
        })
    }
}

impl ElementId {
    /// Reads the id of an object: `node/17` from Overpass, `n17` from a map file. Every other object is
    /// a node whose number is a hash of its id, below 2^53.
    pub fn of(id: &str) -> ElementId {
        let types = [ElementType::Node, ElementType::Way, ElementType::Relation];
        let osm = types.into_iter().zip(["n", "w", "r"]).find_map(|(element, letter)| {
            let long = id.strip_prefix(&*element.to_string()).and_then(|id| id.strip_prefix('/'));
            let number = long.or_else(|| id.strip_prefix(letter))?;
            let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            let number = is_number.then(|| number.parse().ok())??;
            Some(ElementId { element, number, is_osm: true })
        });
        osm.unwrap_or_else(|| ElementId {
            element: ElementType::Node,
            number: fnv(id.as_bytes()) >> 11,
            is_osm: false,
        })
    }
}

/// FNV-1a: the same number in all processes and versions.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_openstreetmap_keep_their_type_and_number() {
        for (id, element, number) in [
            ("node/17", ElementType::Node, 17),
            ("way/18", ElementType::Way, 18),
            ("relation/19", ElementType::Relation, 19),
            ("n17", ElementType::Node, 17),
            ("w18", ElementType::Way, 18),
        ] {
            assert_eq!(ElementId::of(id), ElementId { element, number, is_osm: true }, "{id}");
        }
        for id in ["p17", "node/", "node/x", "n", "", "n-1", "n99999999999999999999", "n1#2"] {
            let found = ElementId::of(id);
            assert!(!found.is_osm && found.element == ElementType::Node, "{id}");
            assert!(found.number < 1 << 53, "{id}");
        }
        assert_eq!(ElementId::of("p17").number, ElementId::of("p17").number);
        assert_ne!(ElementId::of("p17").number, ElementId::of("p18").number);
    }
}
