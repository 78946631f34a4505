//! Rows of an earlier evaluation in the same folder whose cells are not stored.
//!
//! A committed folder has result files and no cells. One pass must not remove the rows of the other,
//! so rows of cells that did not run again stay, with the commits of their file.

use crate::grid::GridCell;
use crate::maps::MapPlan;
use crate::result_file::ResultFile;
use crate::results::{self, MapRow, RunRow, SchemeRow, VolumeRow};
use crate::store::{Store, StoreError};
use serde::de::DeserializeOwned;

/// Rows of the result files of a folder.
pub(super) struct EarlierResults {
    runs: Vec<RunRow>,
    volume: Vec<VolumeRow>,
    maps: Vec<MapRow>,
    pub schemes: Vec<SchemeRow>,
    /// Entries of its provenance.
    pub files: Vec<ResultFile>,
}

impl EarlierResults {
    /// Reads the files of a folder; missing ones are empty.
    pub fn read(store: &Store) -> Result<EarlierResults, StoreError> {
        Ok(EarlierResults {
            runs: rows(store, "runs.csv")?,
            volume: rows(store, "volume.csv")?,
            maps: rows(store, "maps.csv")?,
            schemes: rows(store, "schemes.csv")?,
            files: ResultFile::read_all(&store.file(""))?,
        })
    }

    /// Returns the row of a cell.
    pub fn run(&self, cell: &GridCell) -> Option<&RunRow> {
        let of = cell.row(0);
        self.runs.iter().find(|run| key(run) == key(&of))
    }

    /// Returns the volume of a run.
    pub fn volume<'a>(&'a self, run: &'a RunRow) -> impl Iterator<Item = VolumeRow> {
        let is_same = |row: &&VolumeRow| {
            (&row.map, row.users, &row.configuration, &row.scheme, &row.view, row.seed) == key(run)
        };
        self.volume.iter().filter(is_same).cloned()
    }

    /// Returns the row of a map.
    pub fn map(&self, plan: &MapPlan) -> Option<MapRow> {
        self.maps.iter().find(|row| row.map == plan.name).cloned()
    }

    /// Returns the commits of its runs.
    pub fn commits(&self) -> Vec<String> {
        ResultFile::commits_of(&self.files, "runs.csv")
    }
}

/// What identifies a run in `runs.csv`.
fn key(run: &RunRow) -> (&String, u32, &String, &String, &String, u64) {
    (&run.map, run.users, &run.configuration, &run.scheme, &run.view, run.seed)
}

fn rows<R: DeserializeOwned>(store: &Store, name: &str) -> Result<Vec<R>, StoreError> {
    let path = store.file(name);
    match path.is_file() {
        true => Ok(results::read(&path).map_err(results::WriteError::from)?),
        false => Ok(Vec::new()),
    }
}
