//! Streets that a class of people avoids: nobody walks on a motorway.
//!
//! Avoided is not forbidden, or places that only a motorway leads to could not be reached: such a
//! street counts as so many times longer in the choice of a route that people take any other way
//! they have.

use meshcloak::map::{Rank, StreetId, StreetMap};

/// How many times longer an avoided street counts.
pub const DETOUR: u64 = 20;

/// Kinds of street that are avoided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Avoided(u8);

/// The words for them: the seven ranks, and what is for people on foot.
const WORDS: [&str; 8] =
    ["motorway", "trunk", "primary", "secondary", "tertiary", "residential", "service", "footway"];
const FOOTWAY: usize = 7;

impl Avoided {
    /// Every street is taken.
    pub const NOTHING: Avoided = Avoided(0);

    /// The kinds of these names; the first unknown one otherwise.
    pub fn named<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Avoided, &'a str> {
        words.into_iter().try_fold(Avoided::NOTHING, |avoided, word| {
            let number = WORDS.iter().position(|&known| known == word).ok_or(word)?;
            Ok(Avoided(avoided.0 | 1 << number))
        })
    }

    /// Whether the street is of such a kind.
    pub fn holds(self, map: &StreetMap, street: StreetId) -> bool {
        if self == Avoided::NOTHING {
            return false;
        }
        let rank: Rank = map.rank(street);
        self.has(rank.number()) || (self.has(FOOTWAY) && is_footway(map.class(street)))
    }

    fn has(self, number: usize) -> bool {
        self.0 & 1 << number != 0
    }

    /// The same on a map that has such streets, nothing on one that has none.
    pub(crate) fn on(self, map: &StreetMap) -> Avoided {
        if map.streets().any(|street| self.holds(map, street)) { self } else { Avoided::NOTHING }
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
    fn kinds_have_names_and_unknown_names_are_given_back() {
        assert_eq!(Avoided::named(["motorway", "motorwy"]), Err("motorwy"));
        assert_eq!(Avoided::named([]), Ok(Avoided::NOTHING));
        for (number, rank) in Rank::ALL.into_iter().enumerate() {
            assert_eq!(Rank::of_class(WORDS[number]), rank);
            assert!(Avoided::named([WORDS[number]]).unwrap().has(rank.number()));
        }
        assert!(is_footway(Some("steps")) && !is_footway(Some("service")) && !is_footway(None));
    }
}
