//! What a report is made of: the files of a folder of results. A file that is missing has no rows.

use crate::privacy::PortraitRow;
use crate::results::{self, MapRow, PrivacyRow, ResultsError, Row, RunRow, SchemeRow, VolumeRow};
use crate::schemes;
use std::path::Path;

/// The rows of a folder of results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Data {
    /// `runs.csv`.
    pub runs: Vec<RunRow>,
    /// `volume.csv`.
    pub volume: Vec<VolumeRow>,
    /// `maps.csv`.
    pub maps: Vec<MapRow>,
    /// `schemes.csv`.
    pub schemes: Vec<SchemeRow>,
    /// `privacy.csv`.
    pub privacy: Vec<PrivacyRow>,
    /// `victim.csv`.
    pub victims: Vec<PortraitRow>,
    /// `provenance.toml`.
    pub provenance: toml::Table,
}

/// Why a folder of results cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// Nothing is there.
    #[error("{0}: no results; expected runs.csv, volume.csv, maps.csv, schemes.csv or privacy.csv")]
    Nothing(String),
    /// Rows that are none.
    #[error(transparent)]
    Rows(#[from] ResultsError),
    /// Provenance that is none.
    #[error("{0}: {1}")]
    Provenance(String, String),
}

impl Data {
    /// Reads a folder.
    pub fn read(folder: &Path) -> Result<Data, DataError> {
        let file = |name: &str| folder.join(name);
        let names = ["runs.csv", "volume.csv", "maps.csv", "schemes.csv", "privacy.csv"];
        if !names.iter().any(|name| file(name).is_file()) {
            return Err(DataError::Nothing(folder.display().to_string()));
        }
        Ok(Data {
            runs: rows(&file(names[0]))?,
            volume: rows(&file(names[1]))?,
            maps: rows(&file(names[2]))?,
            schemes: rows(&file(names[3]))?,
            privacy: rows(&file(names[4]))?,
            victims: rows(&file("victim.csv"))?,
            provenance: provenance(&file("provenance.toml"))?,
        })
    }

    /// The row of a map.
    pub fn map(&self, name: &str) -> Option<&MapRow> {
        self.maps.iter().find(|row| row.map == name)
    }

    /// The maps of these runs, as `maps.csv` orders them, then as they come.
    pub fn maps_of<'a>(&'a self, runs: &[&'a RunRow]) -> Vec<&'a str> {
        let known = self.maps.iter().map(|row| row.map.as_str());
        let mut all: Vec<&str> = Vec::new();
        for map in known.chain(runs.iter().map(|run| run.map.as_str())) {
            if !all.contains(&map) && runs.iter().any(|run| run.map == map) {
                all.push(map);
            }
        }
        all
    }

    /// The runs that the figures of §V are drawn from: MeshCloak with unlimited time on simulated
    /// people of P1 and P2, for the number of people with the most configurations and maps (of
    /// equal ones the largest).
    pub fn main(&self) -> Vec<&RunRow> {
        let all: Vec<&RunRow> = self.meshcloak().collect();
        let cells = |users: u32| {
            let mut cells: Vec<(&str, &str)> = all
                .iter()
                .filter(|run| run.users == users)
                .map(|run| (run.map.as_str(), run.configuration.as_str()))
                .collect();
            cells.sort_unstable();
            cells.dedup();
            (cells.len(), users)
        };
        let users = all.iter().map(|run| run.users).max_by_key(|&users| cells(users));
        all.into_iter().filter(|run| Some(run.users) == users).collect()
    }

    /// All runs of MeshCloak with unlimited time on simulated people of P1 and P2, whose k begins
    /// at 2.
    pub fn meshcloak(&self) -> impl Iterator<Item = &RunRow> {
        self.runs.iter().filter(|run| {
            run.scheme == schemes::PAPER
                && run.view == "unlimited"
                && ["p1", "p2"].contains(&run.profile.as_str())
                && !run.configuration.contains("..")
        })
    }
}

fn rows<R: Row>(path: &Path) -> Result<Vec<R>, ResultsError> {
    if path.is_file() { results::read(path) } else { Ok(Vec::new()) }
}

fn provenance(path: &Path) -> Result<toml::Table, DataError> {
    if !path.is_file() {
        return Ok(toml::Table::new());
    }
    let problem = |words: String| DataError::Provenance(path.display().to_string(), words);
    let text = std::fs::read_to_string(path).map_err(|error| problem(error.to_string()))?;
    toml::from_str(&text).map_err(|error| problem(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_runs_are_those_with_the_most_configurations() {
        let run = |users, configuration: &str, scheme: &str| RunRow {
            users,
            configuration: configuration.into(),
            scheme: scheme.into(),
            profile: "p1".into(),
            view: "unlimited".into(),
            ..RunRow::default()
        };
        let runs = vec![
            run(100, "P1-3-5", schemes::PAPER),
            run(100, "P1-5-5", schemes::PAPER),
            run(900, "P1-3-5", schemes::PAPER),
            run(900, "P1-3-5", "casper"),
            run(900, "P1-5-5", "casper"),
        ];
        let data = Data { runs, ..Data::default() };
        assert!(data.main().iter().all(|run| run.users == 100) && data.main().len() == 2);
    }

    #[test]
    fn a_folder_without_results_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let message = Data::read(folder.path()).unwrap_err().to_string();
        assert!(message.contains("no results"), "{message}");
    }
}
