//! Objects by the street they stand on, and how far one walks to them.

use meshcloak::map::{Position, StreetId, StreetMap, TerminalId};
use meshcloak::units::Length;

/// An object's place on its street.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// Where it is.
    pub position: Position,
    /// Its number in the list it came from.
    pub object: u32,
}

/// Places, street by street.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ByStreet {
    places: Vec<Place>,
    /// For each street how many places come before it, up to the last that has any; nothing if
    /// they are looked for.
    starts: Vec<u32>,
}

impl ByStreet {
    /// The places of objects, which are numbered in this order.
    pub(crate) fn new(positions: impl Iterator<Item = Option<Position>>) -> ByStreet {
        let place = |(object, position)| {
            Option::map(position, |position| Place { position, object: object as u32 })
        };
        let mut places: Vec<Place> = positions.enumerate().filter_map(place).collect();
        places.sort_unstable();
        ByStreet { places, starts: Vec::new() }
    }

    /// The same, with the places of every street at hand: for many who ask.
    pub(crate) fn at_hand(mut self) -> ByStreet {
        let streets = self.places.last().map_or(0, |place| place.position.street.index() + 1);
        self.starts = vec![0; streets + 1];
        for place in &self.places {
            self.starts[place.position.street.index() + 1] += 1;
        }
        for street in 1..self.starts.len() {
            self.starts[street] += self.starts[street - 1];
        }
        self
    }

    /// How many objects stand on a street.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Those on one street, from its beginning on.
    pub(crate) fn on(&self, street: StreetId) -> &[Place] {
        if !self.starts.is_empty() {
            let start = |street: usize| self.starts.get(street).map(|&start| start as usize);
            let all = self.places.len();
            let street = street.index();
            return &self.places[start(street).unwrap_or(all)..start(street + 1).unwrap_or(all)];
        }
        let start = self.places.partition_point(|place| place.position.street < street);
        let rest = &self.places[start..];
        let count = rest.iter().take_while(|place| place.position.street == street).count();
        &rest[..count]
    }

    /// Calls `meet` with every object on a street that leaves `terminal`, and how far it is.
    pub(crate) fn beyond(
        &self,
        map: &StreetMap,
        terminal: TerminalId,
        mut meet: impl FnMut(u32, Length),
    ) {
        for arm in map.leaving(terminal) {
            let street = map.street(arm.street);
            for &Place { position, object } in self.on(arm.street) {
                // A loop is entered at both ends from the same terminal.
                if street.from == terminal {
                    meet(object, position.offset);
                }
                if street.to == terminal && !street.one_way {
                    meet(object, street.length - position.offset);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::Town;
    use rand::RngExt as _;

    #[test]
    fn places_at_hand_are_those_that_are_found() {
        for seed in 0..100 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let count = random.random_range(0..20);
            let places: Vec<_> = (0..count).map(|_| Some(town.position(&mut random))).collect();
            let found = ByStreet::new(places.into_iter());
            let at_hand = found.clone().at_hand();
            for street in town.map.streets() {
                assert_eq!(at_hand.on(street), found.on(street), "seed {seed}");
            }
            assert_eq!(at_hand.len(), count);
        }
    }
}
