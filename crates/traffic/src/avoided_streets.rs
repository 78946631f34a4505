//! Streets that a class of agents avoids, such as motorways for pedestrians.
//!
//! Avoided streets are not forbidden, so that every position stays reachable; their length counts
//! [`AVOIDANCE_FACTOR`] times in routing.

use meshcloak::map::{Rank, StreetId, StreetMap};

/// Factor on the length of an avoided street in routing.
pub const AVOIDANCE_FACTOR: u64 = 20;

/// Bitset of avoided kinds of street.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct AvoidedStreets(u8);

/// Names of the kinds: the seven ranks and footways.
const NAMES: [&str; 8] =
    ["motorway", "trunk", "primary", "secondary", "tertiary", "residential", "service", "footway"];
const FOOTWAY: usize = 7;

impl AvoidedStreets {
    /// No avoided streets.
    pub const NONE: AvoidedStreets = AvoidedStreets(0);

    /// Parses names of kinds.
    ///
    /// # Errors
    /// Returns the first unknown name.
    pub fn named<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<AvoidedStreets, &'a str> {
        words.into_iter().try_fold(AvoidedStreets::NONE, |avoided, word| {
            let number = NAMES.iter().position(|&known| known == word).ok_or(word)?;
            Ok(AvoidedStreets(avoided.0 | 1 << number))
        })
    }

    /// Whether the street is avoided.
    pub fn contains(self, map: &StreetMap, street: StreetId) -> bool {
        if self == AvoidedStreets::NONE {
            return false;
        }
        let rank: Rank = map.rank(street);
        self.has(rank.number()) || (self.has(FOOTWAY) && is_footway(map.class(street)))
    }

    fn has(self, number: usize) -> bool {
        self.0 & 1 << number != 0
    }

    /// Returns `self` if the map has such streets, else [`AvoidedStreets::NONE`].
    pub(crate) fn restricted_to(self, map: &StreetMap) -> AvoidedStreets {
        if map.streets().any(|street| self.contains(map, street)) {
            self
        } else {
            AvoidedStreets::NONE
        }
    }
}

fn is_footway(class: Option<&str>) -> bool {
    let words = ["footway", "path", "steps", "pedestrian", "corridor", "bridleway", "cycleway"];
    class.is_some_and(|class| words.contains(&class))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_parses_kinds_and_returns_the_unknown_name() {
        assert_eq!(AvoidedStreets::named(["motorway", "motorwy"]), Err("motorwy"));
        assert_eq!(AvoidedStreets::named([]), Ok(AvoidedStreets::NONE));
        for (number, rank) in Rank::ALL.into_iter().enumerate() {
            assert_eq!(Rank::of_class(NAMES[number]), rank);
            assert!(AvoidedStreets::named([NAMES[number]]).unwrap().has(rank.number()));
        }
        assert!(is_footway(Some("steps")) && !is_footway(Some("service")) && !is_footway(None));
    }
}
