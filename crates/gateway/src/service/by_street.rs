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
pub(crate) struct ByStreet(Vec<Place>);

impl ByStreet {
    /// The places of objects, which are numbered in this order.
    pub(crate) fn new(positions: impl Iterator<Item = Option<Position>>) -> ByStreet {
        let place = |(object, position)| {
            Option::map(position, |position| Place { position, object: object as u32 })
        };
        let mut places: Vec<Place> = positions.enumerate().filter_map(place).collect();
        places.sort_unstable();
        ByStreet(places)
    }

    /// How many objects stand on a street.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Those on one street, from its beginning on.
    pub(crate) fn on(&self, street: StreetId) -> &[Place] {
        let start = self.0.partition_point(|place| place.position.street < street);
        let rest = &self.0[start..];
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
