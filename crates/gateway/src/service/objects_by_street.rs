//! Objects sorted by street and offset.

#![expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "indices are street numbers; starts has one more entry"
)]

use meshcloak::map::{Position, StreetId, StreetMap, TerminalId};
use meshcloak::units::Length;

/// An object on a street.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StreetObject {
    /// Position of the object.
    pub position: Position,
    /// Number of the object in the list it comes from.
    pub object: u32,
}

/// Objects in the order of their streets, then offsets.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ObjectsByStreet {
    objects: Vec<StreetObject>,
    /// Index of the first object of each street, up to the last street that has one. Empty without
    /// [`ObjectsByStreet::with_street_index`]; then objects are found by binary search.
    starts: Vec<u32>,
}

impl ObjectsByStreet {
    /// Sorts objects, which are numbered in the order of `positions`.
    pub(crate) fn new(positions: impl Iterator<Item = Option<Position>>) -> ObjectsByStreet {
        let on_street = |(object, position)| {
            Option::map(position, |position| StreetObject { position, object: object as u32 })
        };
        let mut objects: Vec<StreetObject> = positions.enumerate().filter_map(on_street).collect();
        objects.sort_unstable();
        ObjectsByStreet { objects, starts: Vec::new() }
    }

    /// Adds an index by street: constant-time lookup instead of binary search.
    pub(crate) fn with_street_index(mut self) -> ObjectsByStreet {
        let streets = self.objects.last().map_or(0, |last| last.position.street.index() + 1);
        self.starts = vec![0; streets + 1];
        for object in &self.objects {
            self.starts[object.position.street.index() + 1] += 1;
        }
        for street in 1..self.starts.len() {
            self.starts[street] += self.starts[street - 1];
        }
        self
    }

    /// Number of objects that are on a street.
    pub(crate) fn len(&self) -> usize {
        self.objects.len()
    }

    /// Returns the objects on one street, ascending by offset.
    pub(crate) fn on_street(&self, street: StreetId) -> &[StreetObject] {
        if !self.starts.is_empty() {
            let start = |street: usize| self.starts.get(street).map(|&start| start as usize);
            let end = self.objects.len();
            let street = street.index();
            return &self.objects[start(street).unwrap_or(end)..start(street + 1).unwrap_or(end)];
        }
        let start = self.objects.partition_point(|object| object.position.street < street);
        let rest = &self.objects[start..];
        let count = rest.iter().take_while(|object| object.position.street == street).count();
        &rest[..count]
    }

    /// Calls `visit` with every object on a street that leaves `terminal`, and its distance from
    /// the terminal along that street.
    pub(crate) fn visit_leaving(
        &self,
        map: &StreetMap,
        terminal: TerminalId,
        mut visit: impl FnMut(u32, Length),
    ) {
        for arm in map.leaving(terminal) {
            let street = map.street(arm.street);
            for &StreetObject { position, object } in self.on_street(arm.street) {
                // A loop is entered at both ends from the same terminal.
                if street.from == terminal {
                    visit(object, position.offset);
                }
                if street.to == terminal && !street.one_way {
                    visit(object, street.length - position.offset);
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
    fn the_street_index_finds_what_binary_search_finds() {
        for seed in 0..100 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let count = random.random_range(0..20);
            let positions: Vec<_> = (0..count).map(|_| Some(town.position(&mut random))).collect();
            let searched = ObjectsByStreet::new(positions.into_iter());
            let indexed = searched.clone().with_street_index();
            for street in town.map.streets() {
                assert_eq!(indexed.on_street(street), searched.on_street(street), "seed {seed}");
            }
            assert_eq!(indexed.len(), count);
        }
    }
}
