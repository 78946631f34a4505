//! A fixed partition of the streets into connected cells (docs/SPEC.md §7).
//!
//! The streets of a cell are connected through shared terminals, regardless of direction: a cell
//! spans a river only over a bridge. Parts are bisected until they weigh less than one and a half
//! cells. Only integers are compared, so a map has the same cells on every machine.
//!
//! If no street is longer than half a cell, every cell has between half and one and a half times the
//! target length, except components that are shorter as a whole. A longer street makes its cell
//! longer. Complexity: O(n log² n) for n streets, if the cuts are balanced.

mod bisection;
mod network;
mod regions;
mod shortest_path_tree;

use crate::map::{StreetId, StreetMap};
use crate::units::Length;
use bisection::Bisection;
use network::Network;
pub use regions::CellRegions;

/// Number of a cell; neighbouring cells mostly have close numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellId(pub u32);

impl CellId {
    /// Returns the number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Default length of the cells of region `cells`: 1,200 m.
pub const DEFAULT_CELLS_LENGTH: Length = Length::from_units(1_200 * 32);

/// Default length of the cells of region `cell`: 3,000 m.
pub const DEFAULT_CELL_LENGTH: Length = Length::from_units(3_000 * 32);

/// A partition of the streets into cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cells {
    cell_of: Vec<CellId>,
    streets: CellLists<StreetId>,
    neighbours: CellLists<CellId>,
}

/// One list per cell, concatenated.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CellLists<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> CellLists<T> {
    fn of(&self, cell: CellId) -> &[T] {
        let [start, end] = [self.starts[cell.index()], self.starts[cell.index() + 1]];
        &self.items[start as usize..end as usize]
    }
}

impl Cells {
    /// Partitions a map into cells of about that length.
    pub fn new(map: &StreetMap, length: Length) -> Cells {
        let lengths = map.streets().map(|id| u64::from(map.street(id).length.units()));
        Cells::partition(map, lengths.collect(), u64::from(length.units()).max(1))
    }

    /// Partitions a map into as many cells as there would be of that length, but of about equal
    /// weight, for example popularity. Streets beyond the end of `weights` have weight 0.
    pub fn balanced(map: &StreetMap, length: Length, weights: &[u32]) -> Cells {
        let weight = |id: StreetId| u64::from(weights.get(id.index()).copied().unwrap_or(0));
        let weights: Vec<u64> = map.streets().map(weight).collect();
        let metres: u64 = map.streets().map(|id| u64::from(map.street(id).length.units())).sum();
        let target = weights.iter().map(|&weight| u128::from(weight)).sum::<u128>()
            * u128::from(length.units())
            / u128::from(metres);
        Cells::partition(map, weights, (target as u64).max(1))
    }

    fn partition(map: &StreetMap, weights: Vec<u64>, target: u64) -> Cells {
        let mut network = Network::new(map, weights);
        let mut bisection = Bisection::new(&network);
        let mut parts = 0;
        let mut starts = Vec::new();
        let mut items = Vec::with_capacity(network.street_count());
        for street in 0..network.street_count() as u32 {
            if network.part(street) != 0 {
                continue;
            }
            let mut open = vec![bisection.component(&network, street)];
            while let Some(mut part) = open.pop() {
                parts += 1;
                network.assign(&part, parts);
                if let Some(cut) = bisection.split(&network, &mut part, target) {
                    open.push(part.split_off(cut));
                    open.push(part);
                } else {
                    starts.push(items.len() as u32);
                    part.sort_unstable();
                    items.extend(part.into_iter().map(StreetId));
                }
            }
        }
        starts.push(items.len() as u32);
        Cells::from_streets(map, CellLists { starts, items })
    }

    fn from_streets(map: &StreetMap, streets: CellLists<StreetId>) -> Cells {
        let mut cell_of = vec![CellId(0); map.street_count()];
        let count = streets.starts.len() as u32 - 1;
        for cell in (0..count).map(CellId) {
            for street in streets.of(cell) {
                cell_of[street.index()] = cell;
            }
        }
        let neighbours = neighbours(map, &cell_of, count);
        Cells { cell_of, streets, neighbours }
    }

    /// Number of cells, at least one.
    pub fn count(&self) -> usize {
        self.streets.starts.len() - 1
    }

    /// Returns all cells, ascending.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = CellId> + use<> {
        (0..self.count() as u32).map(CellId)
    }

    /// Returns the cell of a street.
    pub fn of(&self, street: StreetId) -> CellId {
        self.cell_of[street.index()]
    }

    /// Returns the streets of a cell, ascending.
    pub fn streets(&self, cell: CellId) -> &[StreetId] {
        self.streets.of(cell)
    }

    /// Returns the other cells that share a terminal with a cell, ascending.
    pub fn neighbours(&self, cell: CellId) -> &[CellId] {
        self.neighbours.of(cell)
    }

    /// Returns a colour number for each cell; neighbours differ. Greedy: the least used of the first
    /// six numbers that no neighbour has, otherwise the smallest larger one.
    pub fn colours(&self) -> Vec<u32> {
        let mut colours: Vec<u32> = Vec::with_capacity(self.count());
        let mut used = [0_usize; 6];
        for cell in self.iter() {
            let earlier = self.neighbours(cell).iter().take_while(|other| **other < cell);
            let taken: Vec<u32> = earlier.map(|other| colours[other.index()]).collect();
            let is_free = |number: &u32| !taken.contains(number);
            let preferred = (0..used.len() as u32).filter(is_free);
            let mut others = used.len() as u32..;
            let colour = preferred.min_by_key(|&number| used[number as usize]);
            let colour = colour.or_else(|| others.find(is_free)).unwrap_or(0);
            if let Some(used) = used.get_mut(colour as usize) {
                *used += 1;
            }
            colours.push(colour);
        }
        colours
    }
}

/// Returns the neighbours of each cell.
fn neighbours(map: &StreetMap, cell_of: &[CellId], count: u32) -> CellLists<CellId> {
    let mut at: Vec<(u32, CellId)> = Vec::with_capacity(2 * cell_of.len());
    for id in map.streets() {
        let street = map.street(id);
        at.extend([(street.from.0, cell_of[id.index()]), (street.to.0, cell_of[id.index()])]);
    }
    at.sort_unstable();
    at.dedup();
    let mut pairs: Vec<(CellId, CellId)> = Vec::new();
    for terminal in at.chunk_by(|a, b| a.0 == b.0) {
        let others = |a: CellId| terminal.iter().map(move |b| (a, b.1)).filter(|(a, b)| a != b);
        pairs.extend(terminal.iter().flat_map(|a| others(a.1)));
    }
    pairs.sort_unstable();
    pairs.dedup();
    let before = |cell: u32| pairs.partition_point(|pair| pair.0.0 < cell) as u32;
    CellLists {
        starts: (0..=count).map(before).collect(),
        items: pairs.iter().map(|pair| pair.1).collect(),
    }
}

#[cfg(test)]
mod tests;
