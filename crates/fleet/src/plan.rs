//! Division of a city among engines: each shard owns a run of cells of about the same weight.
//!
//! With region `cell` a set lies in one cell, so no set is lost to a border between shards, and the
//! engines together publish what one engine would (docs/SPEC.md §7). The weight of a cell is its
//! share of the street length, plus its share of the queries if they are known.

use cluster::{CellLoad, Division};
use meshcloak::cells::Cells;
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::units::Length;

/// Cells of a city that can be divided.
#[derive(Debug)]
pub struct CityCells {
    cells: Cells,
    length: Length,
}

impl CityCells {
    /// Partitions a map.
    pub fn new(map: &StreetMap, length: Length) -> CityCells {
        CityCells { cells: Cells::new(map, length), length }
    }

    /// Length of cells in units.
    pub fn length(&self) -> u32 {
        self.length.units()
    }

    /// Returns a first division of a map into shards, by street length.
    pub fn divide(&self, map: &StreetMap, digest: u64, shards: u16) -> Division {
        let length = |street: &StreetId| map.street(*street).length.as_metres();
        let metres = |cell| self.cells.streets(cell).iter().map(length).sum::<f64>().round() as u32;
        let metres: Vec<u32> = self.cells.iter().map(metres).collect();
        let starts = starts(&weights(&metres, &[]), shards);
        Division::new(digest, self.length(), metres, starts)
    }
}

/// Returns the weight of each cell by street length and, if there are any, queries: half each.
pub fn weights(metres: &[u32], queries: &[u64]) -> Vec<u64> {
    let lengths = || metres.iter().map(|metres| u64::from(*metres));
    let (length, count): (u64, u64) = (lengths().sum(), queries.iter().sum());
    if count == 0 {
        return lengths().collect();
    }
    let share = |value: u64, total: u64| (u128::from(value) << 40) / u128::from(total.max(1));
    let queries = queries.iter().copied().chain(std::iter::repeat(0));
    let both = lengths().zip(queries).map(|(cell, queries)| {
        u64::try_from(share(cell, length) + share(queries, count)).unwrap_or(u64::MAX)
    });
    both.collect()
}

/// Divides cells into runs of about equal weight, none of which is empty, and returns the first cell
/// of each. There are at most as many runs as cells.
pub fn starts(weights: &[u64], shards: u16) -> Vec<u32> {
    let shards = usize::from(shards).clamp(1, weights.len().max(1));
    let total: u128 = weights.iter().map(|weight| u128::from(*weight)).sum();
    let mut starts = vec![0_u32];
    let mut before = 0_u128;
    for (cell, weight) in weights.iter().enumerate() {
        let (run, left) = (starts.len(), weights.len() - cell);
        // The run of the middle of the cell.
        let middle = 2 * before + u128::from(*weight);
        let is_due = middle * shards as u128 >= 2 * total * run as u128;
        let is_needed = left <= shards - run;
        if run < shards && cell > 0 && (is_due || is_needed) {
            starts.push(cell as u32);
        }
        before += u128::from(*weight);
    }
    starts
}

/// Shard of each street.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Empty for one shard.
    of_street: Vec<u16>,
    starts: Vec<u32>,
    revision: u64,
}

impl Plan {
    /// A city with one shard.
    pub fn single() -> Plan {
        Plan { of_street: Vec::new(), starts: vec![0], revision: 0 }
    }

    /// Divides the streets of a map as a division says.
    pub fn new(map: &StreetMap, cells: &CityCells, revision: u64, starts: &[u32]) -> Plan {
        let cell = |street| cells.cells.of(street).0;
        let shard = |street| starts.partition_point(|start| *start <= cell(street)) - 1;
        let of_street = map.streets().map(|street| shard(street) as u16).collect();
        Plan { of_street, starts: starts.to_vec(), revision }
    }

    /// Number of shards.
    pub fn shards(&self) -> u16 {
        self.starts.len() as u16
    }

    /// Revision of the division; 0 without one.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// First cell of each shard.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// Returns the shard of a street.
    pub fn shard(&self, street: StreetId) -> u16 {
        self.of_street.get(street.index()).copied().unwrap_or(0)
    }
}

/// Number of accepted queries of each cell of a shard.
#[derive(Debug, Default)]
pub struct CellCounts {
    first: u32,
    queries: Vec<u32>,
}

impl CellCounts {
    /// Begins to count in the cells of a shard.
    pub fn new(cells: &CityCells, plan: &Plan, shard: u16) -> CellCounts {
        let start = |shard: usize| plan.starts.get(shard).map(|start| *start as usize);
        let first = start(usize::from(shard)).unwrap_or(0);
        let end = start(usize::from(shard) + 1).unwrap_or(cells.cells.count());
        CellCounts { first: first as u32, queries: vec![0; end.saturating_sub(first)] }
    }

    /// Counts a query on a street.
    pub fn add(&mut self, cells: &CityCells, street: StreetId) {
        let place = cells.cells.of(street).0.checked_sub(self.first);
        if let Some(count) = place.and_then(|place| self.queries.get_mut(place as usize)) {
            *count = count.saturating_add(1);
        }
    }

    /// Returns the counts, rounded, and begins anew.
    pub fn take(&mut self) -> CellLoad {
        let load = CellLoad::new(self.first, &self.queries);
        self.queries.fill(0);
        load
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_pcg::Pcg64;

    fn city() -> StreetMap {
        let source = "city:2000:7".parse().unwrap();
        import::read_map(&source, &import::Options::default(), &()).unwrap().map
    }

    #[test]
    fn a_cell_is_in_one_shard_and_shards_are_about_equally_long() {
        let map = city();
        let cells = CityCells::new(&map, Length::metres(1_200.0));
        for shards in [1, 2, 3, 7] {
            let division = cells.divide(&map, 5, shards);
            let plan = Plan::new(&map, &cells, 9, &division.starts);
            assert_eq!((plan.shards(), plan.revision()), (shards, 9));
            let mut lengths = vec![0_u64; usize::from(shards)];
            for cell in cells.cells.iter() {
                let streets = cells.cells.streets(cell);
                let shard = plan.shard(streets[0]);
                assert!(division.cells(shard).contains(&cell.index()));
                for street in streets {
                    assert_eq!(plan.shard(*street), shard);
                    lengths[usize::from(shard)] += u64::from(map.street(*street).length.units());
                }
            }
            let (min, max) = (lengths.iter().min().unwrap(), lengths.iter().max().unwrap());
            assert!(*max < 2 * *min, "{shards} shards: {lengths:?}");
        }
    }

    #[test]
    fn runs_are_not_empty_and_as_even_as_the_heaviest_cell_allows() {
        let mut random = Pcg64::seed_from_u64(3);
        for _ in 0..2_000 {
            let count = random.random_range(1..40);
            let weights: Vec<u64> = (0..count)
                .map(|_| if random.random_bool(0.2) { 0 } else { random.random_range(0..1_000) })
                .collect();
            let shards = random.random_range(1..9);
            let starts = starts(&weights, shards);
            assert_eq!(starts.len(), usize::from(shards).min(count));
            assert!(starts[0] == 0 && starts.is_sorted_by(|a, b| a < b));
            let ends = starts.iter().skip(1).map(|end| *end as usize).chain([count]);
            let runs: Vec<u64> = starts
                .iter()
                .zip(ends)
                .map(|(start, end)| weights[*start as usize..end].iter().sum())
                .collect();
            let (total, heaviest) = (weights.iter().sum::<u64>(), *weights.iter().max().unwrap());
            let ideal = total / u64::from(shards);
            let limit = ideal + heaviest + 1;
            assert!(runs.iter().all(|run| *run <= limit), "{weights:?} {shards}: {runs:?}");
        }
    }

    #[test]
    fn queries_count_as_much_as_streets() {
        assert_eq!(weights(&[3, 1], &[]), [3, 1]);
        let both = weights(&[300, 100, 0], &[0, 0, 10]);
        assert_eq!(both[2], both[0] + both[1]);
        assert_eq!(starts(&both, 2), [0, 2], "the busy cell is a shard of its own");
        assert_eq!(weights(&[1, 1], &[5]).len(), 2, "cells without a count");
    }

    #[test]
    fn queries_are_counted_in_the_cells_of_the_shard() {
        let map = city();
        let cells = CityCells::new(&map, Length::metres(1_200.0));
        let of_cell = |cell: u32| cells.cells.streets(meshcloak::cells::CellId(cell))[0];
        let plan = Plan::new(&map, &cells, 1, &[0, 3, 8]);
        let mut counts = CellCounts::new(&cells, &plan, 1);
        for cell in [5, 7, 7, 3, 2, 8] {
            counts.add(&cells, of_cell(cell));
        }
        assert_eq!(counts.take(), CellLoad::new(3, &[1, 0, 1, 0, 2]));
        assert_eq!(counts.take(), CellLoad::new(3, &[0; 5]));
        let last = CellCounts::new(&cells, &plan, 2);
        assert_eq!(last.queries.len(), cells.cells.count() - 8);
    }
}
