//! Division of a map into a bounded number of regions, with what the linear program needs of them.

use meshcloak::cells::{CellId, Cells};
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::units::{Length, Point};

/// Regions of a map.
#[derive(Clone, Debug)]
pub(super) struct RegionTable {
    cells: Cells,
    /// By region: probability that a user is inside, the share of street length.
    pub(super) prior: Vec<f64>,
    /// By region: mean point of its streets.
    pub(super) centres: Vec<Point>,
}

impl RegionTable {
    /// Divides a map into at most `max` connected regions of similar street length; more only if the
    /// map has more components.
    pub(super) fn new(map: &StreetMap, max: usize) -> RegionTable {
        let total: f64 = map.streets().map(|street| metres(map, street)).sum();
        let mut length = total / max as f64;
        let mut cells = Cells::new(map, Length::metres(length));
        while cells.count() > max && length < total * 4.0 {
            length *= 1.1;
            cells = Cells::new(map, Length::metres(length));
        }
        let share = |cell: CellId| {
            let all = cells.streets(cell).iter().map(|&street| metres(map, street));
            all.sum::<f64>() / total
        };
        let prior = cells.iter().map(share).collect();
        let centres = cells.iter().map(|cell| centre(map, cells.streets(cell))).collect();
        RegionTable { prior, centres, cells }
    }

    /// Number of regions.
    pub(super) fn count(&self) -> usize {
        self.cells.count()
    }

    /// Region of a street.
    pub(super) fn of(&self, street: StreetId) -> usize {
        self.cells.of(street).index()
    }

    /// Streets of a region, ascending.
    pub(super) fn streets(&self, region: usize) -> &[StreetId] {
        self.cells.streets(CellId(region as u32))
    }
}

/// Length of a street, never zero.
fn metres(map: &StreetMap, street: StreetId) -> f64 {
    map.street(street).length.as_metres()
}

/// Mean point of streets, weighted by length.
fn centre(map: &StreetMap, streets: &[StreetId]) -> Point {
    let add = |sum: (f64, f64, f64), &street: &StreetId| {
        let (from, to) = (map.street(street).from, map.street(street).to);
        let middle = map.terminal(from).towards(map.terminal(to), 0.5);
        let metres = metres(map, street);
        (sum.0 + middle.x * metres, sum.1 + middle.y * metres, sum.2 + metres)
    };
    let (x, y, metres) = streets.iter().fold((0.0, 0.0, 0.0), add);
    Point::new(x / metres, y / metres)
}
