//! Cells of a street map: pieces of streets of about equal length.
//!
//! A cell is a piece of a street; a directed cell is a cell travelled in one direction. The directed
//! cells of a leg follow one another in its direction.

use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::units::Length;
use traffic::{Direction, Leg};

/// Division of all streets into cells.
#[derive(Clone, Debug)]
pub struct StreetCells {
    /// First cell of each street, then the number of all cells.
    starts: Vec<u32>,
    /// Leg of each directed cell.
    legs: Vec<Leg>,
    /// Cell of each directed cell.
    cells: Vec<u32>,
}

impl StreetCells {
    /// Divides each street into equal cells of at most `length`.
    pub fn new(map: &StreetMap, length: Length) -> StreetCells {
        let mut starts = Vec::with_capacity(map.street_count() + 1);
        let mut total = 0_u32;
        for street in map.streets() {
            starts.push(total);
            total += map.street(street).length.units().div_ceil(length.units().max(1));
        }
        starts.push(total);
        let (mut legs, mut cells) = (Vec::new(), Vec::new());
        for street in map.streets() {
            let range = starts[street.index()]..starts[street.index() + 1];
            let [forward, backward] = Leg::both(street);
            legs.extend(range.clone().map(|_| forward).chain(range.clone().map(|_| backward)));
            cells.extend(range.clone().chain(range.rev()));
        }
        StreetCells { starts, legs, cells }
    }

    /// Number of cells.
    pub fn count(&self) -> usize {
        self.starts[self.starts.len() - 1] as usize
    }

    /// Number of cells of a street, at least 1.
    pub fn of_street(&self, street: StreetId) -> u32 {
        self.starts[street.index() + 1] - self.starts[street.index()]
    }

    /// Directed cell number `index` of a leg.
    pub fn directed(&self, leg: Leg, index: u32) -> u32 {
        let before = 2 * self.starts[leg.street().index()];
        let backward = match leg.direction() {
            Direction::Forward => 0,
            Direction::Backward => self.of_street(leg.street()),
        };
        before + backward + index
    }

    /// Leg of a directed cell and its number in the leg.
    pub fn leg(&self, directed: u32) -> (Leg, u32) {
        let leg = self.legs[directed as usize];
        (leg, directed - self.directed(leg, 0))
    }

    /// Cell of a directed cell.
    pub fn cell(&self, directed: u32) -> u32 {
        self.cells[directed as usize]
    }

    /// Number of the directed cell of a leg at a distance from its start.
    pub fn index_at(&self, map: &StreetMap, leg: Leg, along: Length) -> u32 {
        let count = self.of_street(leg.street());
        let length = map.street(leg.street()).length.units();
        let index = u64::from(along.units()) * u64::from(count) / u64::from(length);
        (index as u32).min(count - 1)
    }

    /// Distance from the start of a leg at which its directed cell `index` begins.
    pub fn begin(&self, map: &StreetMap, leg: Leg, index: u32) -> Length {
        let count = u64::from(self.of_street(leg.street()));
        let length = u64::from(map.street(leg.street()).length.units());
        Length::from_units((length * u64::from(index)).div_ceil(count) as u32)
    }

    /// Length of the cells of a street in metres.
    pub fn metres(&self, map: &StreetMap, street: StreetId) -> f64 {
        map.street(street).length.as_metres() / f64::from(self.of_street(street))
    }

    /// Position in the middle of a directed cell.
    pub fn middle(&self, map: &StreetMap, directed: u32) -> Position {
        let (leg, index) = self.leg(directed);
        let length = map.street(leg.street()).length;
        let share = (f64::from(index) + 0.5) / f64::from(self.of_street(leg.street()));
        leg.position(map, length.part(share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::Town;

    #[test]
    fn directed_cells_number_all_legs_and_share_their_cells() {
        for seed in 0..200 {
            let town = Town::random(seed);
            let map = &town.map;
            let cells = StreetCells::new(map, Length::metres(50.0));
            let mut next = 0;
            for street in map.streets() {
                let count = cells.of_street(street);
                let [forward, backward] = Leg::both(street);
                for leg in [forward, backward] {
                    for index in 0..count {
                        let directed = cells.directed(leg, index);
                        assert_eq!(directed, next, "seed {seed}");
                        assert_eq!(cells.leg(directed), (leg, index), "seed {seed}");
                        let begin = cells.begin(map, leg, index);
                        assert_eq!(cells.index_at(map, leg, begin), index, "seed {seed}\n{town}");
                        next += 1;
                    }
                }
                for index in 0..count {
                    let there = cells.cell(cells.directed(forward, index));
                    let back = cells.cell(cells.directed(backward, count - 1 - index));
                    assert_eq!(there, back, "seed {seed}");
                }
            }
            assert_eq!(next as usize, 2 * cells.count());
        }
    }
}
