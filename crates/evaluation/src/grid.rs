//! Cells of an experiment: one map, population, configuration, scheme and view each.
//!
//! The key of a cell follows from its content, so experiments with the same output folder share
//! cells.

use crate::distinct::distinct;
use crate::experiment::{Experiment, ExperimentGrid, TAXI, TimeModel, TripSource, Volume};
use crate::maps::MapPlan;
use crate::results::RunRow;
use import::ImportError;
use meshcloak::mesh_cloak::Settings;
use std::collections::BTreeMap;
use std::path::Path;

/// Users of a cell, independent of scheme and `dt`.
#[derive(Clone, Debug, PartialEq)]
pub struct Population {
    /// Map on which the users move.
    pub map: MapPlan,
    /// Number of users.
    pub users: u32,
    /// Profile of movement and queries.
    pub profile: String,
    /// Smallest and largest k.
    pub k: (u32, u32),
    /// Random seed.
    pub seed: u64,
    /// Recorded trips; `None` for simulated agents.
    pub trips: Option<TripSource>,
}

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct GridCell {
    /// The users.
    pub population: Population,
    /// Temporal tolerance of every query, in milliseconds.
    pub dt: u32,
    /// Canonical name of the scheme.
    pub scheme: String,
    /// Whether processing takes time.
    pub view: TimeModel,
    /// Detail of the volume output; not part of the key.
    pub volume: Volume,
    /// Hash of everything that determines the result.
    fingerprint: u64,
}

/// Version of the cell format; increased when a cell of the same key gets a different result.
const FORMAT: u32 = 2;

impl GridCell {
    fn new(population: Population, dt: u32, scheme: &str, view: TimeModel) -> GridCell {
        let scheme = scheme.to_owned();
        let volume = Volume::Sums;
        let mut cell = GridCell { population, dt, scheme, view, volume, fingerprint: 0 };
        let Population { map, profile, k, trips, .. } = &cell.population;
        let content = format!(
            "{FORMAT}|{}|{}|{profile}|uniform|{k:?}|{dt}|{trips:?}|paper|own|reach|{}|{}",
            cell.slug(),
            map.fingerprint(),
            crate::maps::DC_MAX,
            Settings::default().budget,
        );
        cell.fingerprint = fnv(content.as_bytes());
        cell
    }

    /// Returns the configuration as the paper names it: `P1-3-5` is profile, dt, largest k.
    pub fn configuration(&self) -> String {
        let Population { profile, k, .. } = &self.population;
        let k = if k.0 == 2 { k.1.to_string() } else { format!("{}..{}", k.0, k.1) };
        format!("{}-{}-{k}", profile.to_uppercase(), f64::from(self.dt) / 1000.0)
    }

    /// Returns the readable part of the key.
    fn slug(&self) -> String {
        let Population { map, users, seed, .. } = &self.population;
        file_name(&format!(
            "{}_{users}_{}_{}_{}_{seed}",
            map.name,
            self.configuration(),
            self.scheme,
            self.view.name()
        ))
    }

    /// Returns the name of the cell's file, without extension.
    pub fn key(&self) -> String {
        format!("{}_{:016x}", self.slug(), self.fingerprint)
    }

    /// Returns the row of the cell in `runs.csv` without measurements.
    pub fn row(&self, jobs: usize) -> RunRow {
        let Population { map, users, profile, k, seed, .. } = &self.population;
        RunRow {
            map: map.name.clone(),
            users: *users,
            configuration: self.configuration(),
            profile: profile.clone(),
            k_max: k.1,
            dt: f64::from(self.dt) / 1000.0,
            scheme: self.scheme.clone(),
            view: self.view.name().to_owned(),
            seed: *seed,
            jobs,
            ..RunRow::default()
        }
    }
}

/// Replaces every character except ASCII letters, digits, `-`, `_` and `.` by `-`.
pub(crate) fn file_name(text: &str) -> String {
    let plain = |letter: char| {
        if letter.is_ascii_alphanumeric() || "-_.".contains(letter) { letter } else { '-' }
    };
    text.chars().map(plain).collect()
}

/// FNV-1a, 64 bit: the same on every machine.
fn fnv(bytes: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Returns all cells of an experiment without duplicates, in the order of its grids. `folder` is
/// the map folder.
pub fn cells(experiment: &Experiment, folder: Option<&Path>) -> Result<Vec<GridCell>, ImportError> {
    let mut all: Vec<GridCell> = Vec::new();
    let mut index_of = BTreeMap::new();
    for grid in &experiment.grids {
        for population in populations(grid, folder)? {
            for dt in grid.dt.of(&population.profile) {
                let each = |scheme| grid.views.iter().map(move |&view| (scheme, view));
                for (scheme, view) in grid.schemes.iter().flat_map(each) {
                    let cell = GridCell::new(population.clone(), dt, scheme, view);
                    let index = *index_of.entry(cell.key()).or_insert(all.len());
                    if index == all.len() {
                        all.push(cell);
                    }
                    if grid.volume == Volume::BySecond {
                        all[index].volume = Volume::BySecond;
                    }
                }
            }
        }
    }
    Ok(all)
}

/// Returns all maps of an experiment without duplicates, in the order of its grids.
pub fn maps(experiment: &Experiment, folder: Option<&Path>) -> Result<Vec<MapPlan>, ImportError> {
    let names = experiment.grids.iter().flat_map(|grid| &grid.maps);
    let plans = names.map(|name| MapPlan::of(name, folder)).collect::<Result<Vec<_>, _>>()?;
    Ok(distinct(plans))
}

fn populations(
    grid: &ExperimentGrid,
    folder: Option<&Path>,
) -> Result<Vec<Population>, ImportError> {
    let mut populations: Vec<Population> = Vec::new();
    for map in &grid.maps {
        let map = MapPlan::of(map, folder)?;
        for &users in &grid.users {
            for profile in &grid.profiles {
                for &k in &grid.k {
                    for &seed in &grid.seeds {
                        let trips = profile.starts_with(TAXI).then(|| grid.trips.clone());
                        let (map, profile) = (map.clone(), profile.clone());
                        populations.push(Population { map, users, profile, k, seed, trips });
                    }
                }
            }
        }
    }
    Ok(populations)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<GridCell> {
        let experiment = Experiment::from_toml(Path::new("e"), text).unwrap();
        cells(&experiment, None).unwrap()
    }

    #[test]
    fn the_paper_has_fourteen_configurations_on_each_map() {
        let cells = cells(&Experiment::paper(), Some(Path::new("maps"))).unwrap();
        let main = |cell: &&GridCell| {
            cell.scheme == crate::schemes::PAPER
                && cell.view == TimeModel::Unlimited
                && (cell.population.seed, cell.population.map.every_node) == (1, false)
        };
        let main: Vec<&GridCell> = cells.iter().filter(main).collect();
        assert_eq!(main.len(), 14 * 5);
        let names: Vec<String> = main[..14].iter().map(|cell| cell.configuration()).collect();
        assert_eq!(names[..4], ["P1-3-5", "P1-4-5", "P1-5-5", "P1-3-10"]);
        assert_eq!(names[13], "P2-10-10");
        let drawn = |cell: &&GridCell| cell.volume == Volume::BySecond;
        assert_eq!(cells.iter().filter(drawn).count(), 4 * 5 * 3);
        // Without a map folder all five are the built-in city, which runs once.
        assert_eq!(all("").len(), 14);
    }

    #[test]
    fn equal_cells_have_equal_keys_and_different_cells_different_keys() {
        let one = all("maps = \"city:500:7\"\nprofiles = \"p1\"\nk = \"2-5\"\ndt = 3");
        let keys = |cells: &[GridCell]| cells.iter().map(GridCell::key).collect::<Vec<_>>();
        let more = all("maps = \"city:500:7\"\ndt = [2.5, 3]\nseeds = 2\nk = [\"2-5\", \"3-5\"]");
        assert!(keys(&more).contains(&one[0].key()));
        let mut all_keys = keys(&more);
        all_keys.sort_unstable();
        all_keys.dedup();
        assert_eq!(all_keys.len(), 2 * 2 * 2 * 2);
        assert!(one[0].key().starts_with("city-500-7_100000_P1-3-5_meshcloak-paper_unlimited_1_"));
        assert!(more.iter().any(|cell| cell.configuration() == "P1-2.5-3..5"));
    }
}
