//! Result files: rows, writing and reading.
//!
//! `runs.csv` has one row per cell, with the clock-dependent columns last; `volume.csv` one row per
//! second; `maps.csv` and `schemes.csv` are Tables II and I of the paper. Files are written
//! atomically.

mod privacy;
mod rows;

use import::ImportError;
pub use privacy::{PrivacyRow, privacy_rows};
pub use rows::{MapRow, RunRow, SchemeRow, TIMING_COLUMNS, VolumeRow};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// A file is not a result file.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", file.display())]
pub struct ResultsError {
    file: PathBuf,
    source: csv::Error,
}

/// Row of a result file.
pub trait Row: Serialize + DeserializeOwned {
    /// Header line, present even without rows.
    const COLUMNS: &'static str;
}

fn to_csv<R: Row>(rows: &[R]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    writer.write_record(R::COLUMNS.split(','))?;
    for row in rows {
        writer.serialize(row)?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

/// Writes rows as CSV, atomically.
pub fn write<R: Row>(path: &Path, rows: &[R]) -> Result<(), WriteError> {
    let bytes = to_csv(rows).map_err(|source| ResultsError { file: path.to_owned(), source })?;
    Ok(import::write_file(path, &bytes)?)
}

/// Why a file cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A row cannot be serialized.
    #[error(transparent)]
    Rows(#[from] ResultsError),
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] ImportError),
}

/// Reads rows from CSV; extra columns are ignored.
pub fn read<R: Row>(path: &Path) -> Result<Vec<R>, ResultsError> {
    let problem = |source| ResultsError { file: path.to_owned(), source };
    let mut reader = csv::Reader::from_path(path).map_err(problem)?;
    reader.deserialize().collect::<Result<_, _>>().map_err(problem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::PortraitRow;

    #[test]
    fn rows_survive_writing_and_reading() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.csv");
        let row =
            RunRow { map: "a,b".into(), dt: 2.5, success_rate: Some(0.5), ..RunRow::default() };
        write(&path, std::slice::from_ref(&row)).unwrap();
        assert_eq!(read::<RunRow>(&path).unwrap(), [row]);
        let header = RunRow::COLUMNS;
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().next(), Some(header));
        let timing = header.split(',').position(|column| column == "us_per_query");
        assert_eq!(timing, Some(header.split(',').count() - TIMING_COLUMNS));
    }

    #[test]
    fn columns_have_the_names_of_their_fields() {
        fn same<R: Row>(row: &R) {
            let mut writer = csv::Writer::from_writer(Vec::new());
            writer.serialize(row).unwrap();
            let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
            assert_eq!(text.lines().next(), Some(R::COLUMNS));
        }
        let run = RunRow::default();
        same(&run);
        same(&PrivacyRow::default());
        same(&PortraitRow::default());
        same(&VolumeRow {
            map: run.map.clone(),
            users: 0,
            configuration: run.configuration.clone(),
            scheme: run.scheme.clone(),
            view: run.view.clone(),
            seed: 0,
            time: 0,
            new: 0,
            succeeded: 0,
            expired: 0,
            waiting: 0,
            nodes: 0,
            edges: 0,
        });
        let text = String::new;
        let (setting, cliques, constraint) = (text(), text(), text());
        same(&SchemeRow { scheme: text(), setting, cliques, constraint, pace: text() });
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("maps.csv");
        write::<MapRow>(&path, &[]).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap().trim_end(), MapRow::COLUMNS);
        assert_eq!(read::<MapRow>(&path).unwrap(), []);
    }

    #[test]
    fn an_invalid_file_is_named_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("maps.csv");
        std::fs::write(
            &path,
            "map,nodes,edges,width_km,height_km,area_km2,street_km,matrix_ms\na,b,1,1,1,1,1,1\n",
        )
        .unwrap();
        let message = read::<MapRow>(&path).unwrap_err().to_string();
        assert!(message.contains("maps.csv") && message.contains("line: 2"), "{message}");
    }
}
