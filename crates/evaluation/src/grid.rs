//! The cells of an experiment: one map, one crowd, one configuration, one scheme, one view.
//!
//! A cell is named by what it is, so that experiments which share an output folder share cells.

use crate::experiment::{Experiment, Grid, TAXI, Trips, View, Volume};
use crate::maps::MapPlan;
use crate::results::RunRow;
use import::ImportError;
use std::collections::BTreeMap;
use std::path::Path;

/// The people of a cell, whoever serves them and however long they wait.
#[derive(Clone, Debug, PartialEq)]
pub struct Crowd {
    /// Where they are.
    pub map: MapPlan,
    /// How many.
    pub users: u32,
    /// How they move and ask.
    pub profile: String,
    /// Smallest and largest k.
    pub k: (u32, u32),
    /// What chance begins with.
    pub seed: u64,
    /// Real trips, if they are real.
    pub trips: Option<Trips>,
}

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Who asks.
    pub crowd: Crowd,
    /// How long everyone waits, in milliseconds.
    pub dt: u32,
    /// Which scheme.
    pub scheme: String,
    /// Whether processing takes time.
    pub view: View,
    /// Whether what happens second by second is wanted of it; no part of its key.
    pub volume: Volume,
    /// What tells it from cells that look alike.
    fingerprint: u64,
}

/// Changes when a cell of the same name would come out otherwise.
const FORMAT: u32 = 1;

impl Cell {
    fn new(crowd: Crowd, dt: u32, scheme: &str, view: View) -> Cell {
        let scheme = scheme.to_owned();
        let volume = Volume::Sums;
        let mut cell = Cell { crowd, dt, scheme, view, volume, fingerprint: 0 };
        let Crowd { map, profile, k, trips, .. } = &cell.crowd;
        let everything = format!(
            "{FORMAT}|{}|{}|{profile}|uniform|{k:?}|{dt}|{trips:?}|paper|own|reach|{}|{}",
            cell.slug(),
            map.fingerprint(),
            crate::maps::DC_MAX,
            crate::schemes::PAPER.budget,
        );
        cell.fingerprint = fnv(everything.as_bytes());
        cell
    }

    /// The configuration as the paper names it: `P1-3-5` is profile, dt, largest k.
    pub fn configuration(&self) -> String {
        let Crowd { profile, k, .. } = &self.crowd;
        let k = if k.0 == 2 { k.1.to_string() } else { format!("{}..{}", k.0, k.1) };
        format!("{}-{}-{k}", profile.to_uppercase(), f64::from(self.dt) / 1000.0)
    }

    /// For people who look into the folder.
    fn slug(&self) -> String {
        let Crowd { map, users, seed, .. } = &self.crowd;
        let words = format!(
            "{}_{users}_{}_{}_{}_{seed}",
            map.name,
            self.configuration(),
            self.scheme,
            self.view.name()
        );
        let plain = |letter: char| {
            if letter.is_ascii_alphanumeric() || "-_.".contains(letter) { letter } else { '-' }
        };
        words.chars().map(plain).collect()
    }

    /// The name of its file, without ending.
    pub fn key(&self) -> String {
        format!("{}_{:016x}", self.slug(), self.fingerprint)
    }

    /// Its row, before anything was measured.
    pub fn row(&self, jobs: usize) -> RunRow {
        RunRow {
            map: self.crowd.map.name.clone(),
            users: self.crowd.users,
            configuration: self.configuration(),
            profile: self.crowd.profile.clone(),
            k_max: self.crowd.k.1,
            dt: f64::from(self.dt) / 1000.0,
            scheme: self.scheme.clone(),
            view: self.view.name().to_owned(),
            seed: self.crowd.seed,
            jobs,
            ..RunRow::default()
        }
    }
}

/// FNV-1a, 64 bit: the same on every machine.
fn fnv(bytes: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// All cells of an experiment, each once, in the order of its grids. `folder` is that of the maps.
pub fn cells(experiment: &Experiment, folder: Option<&Path>) -> Result<Vec<Cell>, ImportError> {
    let mut all: Vec<Cell> = Vec::new();
    let mut places = BTreeMap::new();
    for grid in &experiment.grids {
        for crowd in crowds(grid, folder)? {
            for dt in grid.dt.of(&crowd.profile) {
                let each = |scheme| grid.views.iter().map(move |&view| (scheme, view));
                for (scheme, view) in grid.schemes.iter().flat_map(each) {
                    let cell = Cell::new(crowd.clone(), dt, scheme, view);
                    let place = *places.entry(cell.key()).or_insert(all.len());
                    if place == all.len() {
                        all.push(cell);
                    }
                    if grid.volume == Volume::BySecond && crowd.seed == 1 {
                        all[place].volume = Volume::BySecond;
                    }
                }
            }
        }
    }
    Ok(all)
}

/// All maps of an experiment, each once, in the order of its grids.
pub fn maps(experiment: &Experiment, folder: Option<&Path>) -> Result<Vec<MapPlan>, ImportError> {
    let mut all: Vec<MapPlan> = Vec::new();
    for map in experiment.grids.iter().flat_map(|grid| &grid.maps) {
        let map = MapPlan::of(map, folder)?;
        if !all.contains(&map) {
            all.push(map);
        }
    }
    Ok(all)
}

fn crowds(grid: &Grid, folder: Option<&Path>) -> Result<Vec<Crowd>, ImportError> {
    let mut crowds: Vec<Crowd> = Vec::new();
    for map in &grid.maps {
        let map = MapPlan::of(map, folder)?;
        for &users in &grid.users {
            for profile in &grid.profiles {
                for &k in &grid.k {
                    for &seed in &grid.seeds {
                        let trips = profile.starts_with(TAXI).then(|| grid.trips.clone());
                        let (map, profile) = (map.clone(), profile.clone());
                        crowds.push(Crowd { map, users, profile, k, seed, trips });
                    }
                }
            }
        }
    }
    Ok(crowds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<Cell> {
        let experiment = Experiment::from_toml(Path::new("e"), text).unwrap();
        cells(&experiment, None).unwrap()
    }

    #[test]
    fn the_paper_has_fourteen_configurations_on_each_map() {
        let cells = cells(&Experiment::paper(), Some(Path::new("maps"))).unwrap();
        assert_eq!(cells.len(), 14 * 5);
        let names: Vec<String> = cells[..14].iter().map(Cell::configuration).collect();
        assert_eq!(names[..4], ["P1-3-5", "P1-4-5", "P1-5-5", "P1-3-10"]);
        assert_eq!(names[13], "P2-10-10");
        // Without a folder of maps all five are the built-in city, and that runs once.
        assert_eq!(all("").len(), 14);
    }

    #[test]
    fn what_differs_has_another_key_and_what_does_not_has_the_same() {
        let one = all("maps = \"city:500:7\"\nprofiles = \"p1\"\nk = \"2-5\"\ndt = 3");
        let keys = |cells: &[Cell]| cells.iter().map(Cell::key).collect::<Vec<_>>();
        let more = all("maps = \"city:500:7\"\ndt = [2.5, 3]\nseeds = 2\nk = [\"2-5\", \"3-5\"]");
        assert!(keys(&more).contains(&one[0].key()));
        let mut all_keys = keys(&more);
        all_keys.sort_unstable();
        all_keys.dedup();
        assert_eq!(all_keys.len(), 2 * 2 * 2 * 2);
        assert!(one[0].key().starts_with("city-500-7_100000_P1-3-5_meshcloak_unlimited_1_"));
        assert!(more.iter().any(|cell| cell.configuration() == "P1-2.5-3..5"));
    }
}
