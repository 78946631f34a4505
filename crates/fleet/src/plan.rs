//! Division of a city among engines: each shard owns a contiguous run of cells of about the same
//! total street length.
//!
//! With region `cell` a set lies in one cell, so no set is lost to a border between shards, and the
//! engines together publish what one engine would (docs/SPEC.md §7).

use meshcloak::cells::{CellId, Cells};
use meshcloak::map::{StreetId, StreetMap};

/// Shard of each street.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Empty for one shard.
    of_street: Vec<u16>,
    shards: u16,
}

impl Plan {
    /// A city with one shard.
    pub fn single() -> Plan {
        Plan { of_street: Vec::new(), shards: 1 }
    }

    /// Divides the cells of a map into `shards` runs. Neighbouring cells mostly have close numbers,
    /// so a run is mostly connected.
    pub fn new(map: &StreetMap, cells: &Cells, shards: u16) -> Plan {
        if shards <= 1 {
            return Plan::single();
        }
        let length = |street: &StreetId| u64::from(map.street(*street).length.units());
        let lengths: Vec<u64> =
            cells.iter().map(|cell| cells.streets(cell).iter().map(length).sum()).collect();
        let total: u64 = lengths.iter().sum::<u64>().max(1);
        let mut before = 0;
        let of_cell: Vec<u16> = lengths
            .iter()
            .map(|length| {
                // The shard of the middle of the cell.
                let middle = u128::from(2 * before + length) * u128::from(shards);
                before += length;
                ((middle / (2 * u128::from(total))) as u16).min(shards - 1)
            })
            .collect();
        let shard = |street| of_cell[cells.of(street).index()];
        Plan { of_street: map.streets().map(shard).collect(), shards }
    }

    /// Number of shards.
    pub fn shards(&self) -> u16 {
        self.shards
    }

    /// Returns the shard of a street.
    pub fn shard(&self, street: StreetId) -> u16 {
        self.of_street.get(street.index()).copied().unwrap_or(0)
    }

    /// Returns the shard of a cell.
    pub fn shard_of_cell(&self, cells: &Cells, cell: CellId) -> u16 {
        cells.streets(cell).first().map_or(0, |street| self.shard(*street))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::units::Length;

    fn city() -> StreetMap {
        let source = "city:2000:7".parse().unwrap();
        import::read_map(&source, &import::Options::default(), &()).unwrap().map
    }

    #[test]
    fn a_cell_is_in_one_shard_and_shards_are_about_equally_long() {
        let map = city();
        let cells = Cells::new(&map, Length::metres(1_200.0));
        for shards in [1, 2, 3, 7] {
            let plan = Plan::new(&map, &cells, shards);
            let mut lengths = vec![0_u64; usize::from(shards)];
            for cell in cells.iter() {
                let shard = plan.shard_of_cell(&cells, cell);
                for street in cells.streets(cell) {
                    assert_eq!(plan.shard(*street), shard);
                    lengths[usize::from(shard)] += u64::from(map.street(*street).length.units());
                }
            }
            let (min, max) = (lengths.iter().min().unwrap(), lengths.iter().max().unwrap());
            assert!(*max < 2 * *min, "{shards} shards: {lengths:?}");
        }
    }
}
