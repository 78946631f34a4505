//! A fixed partition of the streets into connected cells (SPEC §7). Streets of a cell hang
//! together through shared terminals, whichever way they may be travelled: no cell reaches across
//! a river except over a bridge.
//!
//! Parts are halved until they weigh less than one and a half cells; only whole numbers are
//! compared, so the same map gives the same cells everywhere. If no street is longer than half a
//! cell, every cell is from half to one and a half times as long as it should be, but for parts
//! of the map that are shorter as a whole. A longer street makes its cell longer.

mod halves;
mod network;
mod regions;
mod spread;

use crate::map::{StreetId, StreetMap};
use crate::units::Length;
use halves::Halves;
use network::Network;
pub use regions::CellRegions;

/// A cell, in an order in which neighbours are mostly near each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellId(pub u32);

impl CellId {
    /// The row of its table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What cells are wanted, and how many of them a region has at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellRule {
    /// How long a cell is, about.
    pub length: Length,
    /// A region has at least so many cells.
    pub least: u32,
}

impl Default for CellRule {
    /// Cells of 1200 m, any number of them.
    fn default() -> CellRule {
        CellRule { length: Length::metres(1200.0), least: 1 }
    }
}

/// Every street in exactly one cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cells {
    cell_of: Vec<CellId>,
    streets: Lists<StreetId>,
    neighbours: Lists<CellId>,
}

/// Lists one behind the other.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Lists<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Lists<T> {
    fn of(&self, cell: CellId) -> &[T] {
        let [start, end] = [self.starts[cell.index()], self.starts[cell.index() + 1]];
        &self.items[start as usize..end as usize]
    }
}

impl Cells {
    /// Cells of about that length.
    pub fn new(map: &StreetMap, length: Length) -> Cells {
        let lengths = map.streets().map(|id| u64::from(map.street(id).length.units()));
        Cells::partition(map, lengths.collect(), u64::from(length.units()).max(1))
    }

    /// As many cells as there would be of that length, but of about the same weight each: how
    /// popular each street is, say. Streets without a weight have none.
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
        let mut halves = Halves::new(&network);
        let mut parts = 0;
        let mut starts = Vec::new();
        let mut items = Vec::with_capacity(network.street_count());
        for street in 0..network.street_count() as u32 {
            if network.part(street) != 0 {
                continue;
            }
            let mut open = vec![halves.connected(&network, street)];
            while let Some(mut part) = open.pop() {
                parts += 1;
                network.assign(&part, parts);
                if let Some(cut) = halves.split(&network, &mut part, target) {
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
        Cells::listed(map, Lists { starts, items })
    }

    /// The cells with these streets.
    fn listed(map: &StreetMap, streets: Lists<StreetId>) -> Cells {
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

    /// How many cells there are; at least one.
    pub fn count(&self) -> usize {
        self.streets.starts.len() - 1
    }

    /// All cells in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = CellId> + use<> {
        (0..self.count() as u32).map(CellId)
    }

    /// The cell of a street.
    pub fn of(&self, street: StreetId) -> CellId {
        self.cell_of[street.index()]
    }

    /// The streets of a cell, ascending.
    pub fn streets(&self, cell: CellId) -> &[StreetId] {
        self.streets.of(cell)
    }

    /// The other cells that have a terminal in common with a cell, ascending.
    pub fn neighbours(&self, cell: CellId) -> &[CellId] {
        self.neighbours.of(cell)
    }

    /// A number for each cell, for colours: neighbours have different ones. Of the first six that
    /// its neighbours leave it takes the one that was used least, else the smallest.
    pub fn colours(&self) -> Vec<u32> {
        let mut colours: Vec<u32> = Vec::with_capacity(self.count());
        let mut used = [0_usize; 6];
        for cell in self.iter() {
            let earlier = self.neighbours(cell).iter().take_while(|other| **other < cell);
            let taken: Vec<u32> = earlier.map(|other| colours[other.index()]).collect();
            let is_free = |number: &u32| !taken.contains(number);
            let few = (0..used.len() as u32).filter(is_free);
            let mut many = used.len() as u32..;
            let colour = few.min_by_key(|&number| used[number as usize]);
            let colour = colour.or_else(|| many.find(is_free)).unwrap_or(0);
            if let Some(used) = used.get_mut(colour as usize) {
                *used += 1;
            }
            colours.push(colour);
        }
        colours
    }
}

/// For each cell the others at its terminals.
fn neighbours(map: &StreetMap, cell_of: &[CellId], count: u32) -> Lists<CellId> {
    let mut at: Vec<(u32, CellId)> = Vec::with_capacity(2 * cell_of.len());
    for id in map.streets() {
        let street = map.street(id);
        at.extend([(street.from.0, cell_of[id.index()]), (street.to.0, cell_of[id.index()])]);
    }
    at.sort_unstable();
    at.dedup();
    let mut pairs: Vec<(CellId, CellId)> = Vec::new();
    for meeting in at.chunk_by(|a, b| a.0 == b.0) {
        let others = |a: CellId| meeting.iter().map(move |b| (a, b.1)).filter(|(a, b)| a != b);
        pairs.extend(meeting.iter().flat_map(|a| others(a.1)));
    }
    pairs.sort_unstable();
    pairs.dedup();
    let before = |cell: u32| pairs.partition_point(|pair| pair.0.0 < cell) as u32;
    Lists {
        starts: (0..=count).map(before).collect(),
        items: pairs.iter().map(|pair| pair.1).collect(),
    }
}

#[cfg(test)]
mod tests;
