//! Input of a report: the files of a results folder. A missing file counts as empty.

use crate::distinct::{distinct, sorted_distinct};
use crate::experiment::{TAXI, TimeModel};
use crate::maps::EVERY_NODE;
use crate::neighbours::{DRAWINGS, DrawingRow, MEASURES, MeasureRow};
use crate::privacy::PortraitRow;
use crate::results::{
    self, COSTS, CostRow, MapRow, MatrixRow, PrivacyRow, ResultsError, RunRow, SKIPPED, SchemeRow,
    SkippedRow, VolumeRow,
};
use crate::schemes;
use serde::de::DeserializeOwned;
use std::path::Path;

/// Rows of all files of a results folder.
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
    pub targets: Vec<PortraitRow>,
    /// `skipped.csv`.
    pub skipped: Vec<SkippedRow>,
    /// `costs.csv`.
    pub costs: Vec<CostRow>,
    /// `neighbours.csv`.
    pub neighbours: Vec<MeasureRow>,
    /// `neighbours-drawings.csv`.
    pub drawings: Vec<DrawingRow>,
    /// `matrix.csv`.
    pub matrix: Vec<MatrixRow>,
    /// `provenance.toml`.
    pub provenance: toml::Table,
}

/// Failure to read a results folder.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The folder holds no result file.
    #[error(
        "{0}: no results; expected runs.csv, volume.csv, maps.csv, schemes.csv, privacy.csv, \
         neighbours.csv or costs.csv"
    )]
    Empty(String),
    /// A CSV file is invalid.
    #[error(transparent)]
    Rows(#[from] ResultsError),
    /// `provenance.toml` is unreadable or invalid: path and cause.
    #[error("{0}: {1}")]
    Provenance(String, String),
}

impl Data {
    /// Reads all result files of `folder`.
    pub fn read(folder: &Path) -> Result<Data, DataError> {
        let file = |name: &str| folder.join(name);
        let names =
            ["runs.csv", "volume.csv", "maps.csv", "schemes.csv", "privacy.csv", MEASURES, COSTS];
        if !names.iter().any(|name| file(name).is_file()) {
            return Err(DataError::Empty(folder.display().to_string()));
        }
        Ok(Data {
            runs: rows(&file(names[0]))?,
            volume: rows(&file(names[1]))?,
            maps: rows(&file(names[2]))?,
            schemes: rows(&file(names[3]))?,
            privacy: rows(&file(names[4]))?,
            neighbours: rows(&file(names[5]))?,
            costs: rows(&file(names[6]))?,
            skipped: rows(&file(SKIPPED))?,
            targets: rows(&file("victim.csv"))?,
            drawings: rows(&file(DRAWINGS))?,
            matrix: rows(&file("matrix.csv"))?,
            provenance: provenance(&file("provenance.toml"))?,
        })
    }

    /// Returns the row of the map `name`.
    pub fn map(&self, name: &str) -> Option<&MapRow> {
        self.maps.iter().find(|row| row.map == name)
    }

    /// Returns the distinct maps of `runs`, in the order of `maps.csv`, then of first occurrence.
    pub fn maps_of<'a>(&'a self, runs: &[&'a RunRow]) -> Vec<&'a str> {
        let known = self.maps.iter().map(|row| row.map.as_str());
        let has_run = |map: &&str| runs.iter().any(|run| run.map == *map);
        distinct(known.chain(runs.iter().map(|run| run.map.as_str())).filter(has_run))
    }

    /// Returns the runs behind the figures of §V: those of [`Data::paper_runs`] with the user count
    /// that covers most pairs of map and configuration (ties: the largest user count).
    pub fn main_runs(&self) -> Vec<&RunRow> {
        let all: Vec<&RunRow> = self.paper_runs().collect();
        let cells = |users: u32| {
            let runs = all.iter().filter(|run| run.users == users);
            (sorted_distinct(runs.map(|run| (&run.map, &run.configuration))).len(), users)
        };
        let users = all.iter().map(|run| run.users).max_by_key(|&users| cells(users));
        all.into_iter().filter(|run| Some(run.users) == users).collect()
    }

    /// Whether the results are those of §V of the paper, with which the report compares them.
    pub fn is_paper(&self) -> bool {
        self.provenance.get("paper").and_then(toml::Value::as_bool) == Some(true)
    }

    /// Returns the scheme of the figures: `meshcloak/paper` if it ran, else the first that did.
    pub fn main_scheme(&self) -> &str {
        let ran = self.runs.iter().any(|run| run.scheme == schemes::PAPER);
        let first = || self.runs.first().map_or(schemes::PAPER, |run| &run.scheme);
        if ran { schemes::PAPER } else { first() }
    }

    /// Returns all runs of the main scheme with unlimited time on simulated users whose k starts at
    /// 2; of the paper's results those of P1 and P2.
    pub fn paper_runs(&self) -> impl Iterator<Item = &RunRow> {
        self.runs_in_view(TimeModel::Unlimited)
    }

    /// Returns the runs like [`Data::paper_runs`] in which queries join the batch after the next.
    pub fn late_runs(&self) -> impl Iterator<Item = &RunRow> {
        self.runs_in_view(TimeModel::After)
    }

    /// Returns the runs like [`Data::paper_runs`] of the timing pass.
    pub fn timed_runs(&self) -> impl Iterator<Item = &RunRow> {
        self.runs_in_view(TimeModel::Timed)
    }

    /// Returns the rows of one seed, and those that have no seed.
    pub fn of_seed(&self, seed: u64) -> Data {
        let mut data = self.clone();
        data.runs.retain(|run| run.seed == seed);
        data.volume.retain(|row| row.seed == seed);
        data.privacy.retain(|row| row.seed == seed);
        data
    }

    fn runs_in_view(&self, view: TimeModel) -> impl Iterator<Item = &RunRow> {
        let (scheme, is_paper) = (self.main_scheme(), self.is_paper());
        self.runs.iter().filter(move |run| {
            let is_own = !is_paper && !run.profile.starts_with(TAXI);
            run.scheme == scheme
                && run.view == view.name()
                && (is_own || ["p1", "p2"].contains(&run.profile.as_str()))
                && !run.configuration.contains("..")
                && !run.map.ends_with(EVERY_NODE)
        })
    }
}

fn rows<R: DeserializeOwned>(path: &Path) -> Result<Vec<R>, ResultsError> {
    if path.is_file() { results::read(path) } else { Ok(Vec::new()) }
}

fn provenance(path: &Path) -> Result<toml::Table, DataError> {
    if !path.is_file() {
        return Ok(toml::Table::new());
    }
    let problem = |cause: String| DataError::Provenance(path.display().to_string(), cause);
    let text = std::fs::read_to_string(path).map_err(|error| problem(error.to_string()))?;
    toml::from_str(&text).map_err(|error| problem(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn main_runs_have_the_user_count_with_most_configurations() {
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
        assert!(data.main_runs().iter().all(|run| run.users == 100) && data.main_runs().len() == 2);
    }

    #[test]
    fn a_folder_without_results_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let message = Data::read(folder.path()).unwrap_err().to_string();
        assert!(message.contains("no results"), "{message}");
    }
}
