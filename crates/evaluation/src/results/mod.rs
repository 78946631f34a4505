//! Result files: rows, writing and reading. Columns have the names of the fields.
//!
//! `runs.csv` has one row per cell, with the clock-dependent columns last; `volume.csv` one row per
//! second; `maps.csv` and `schemes.csv` are Tables II and I of the paper. Files are written
//! atomically.

mod cost;
mod privacy;
mod rows;
mod skipped;

pub use cost::{COSTS, CostRow};
use import::ImportError;
pub use privacy::{OWN_MODEL, PrivacyRow, own_model_row, privacy_rows};
pub(crate) use rows::rounded;
pub use rows::{MapRow, MatrixRow, RunRow, SchemeRow, TIMING_COLUMNS, VolumeRow};
pub use skipped::{MergeError, SKIPPED, SkippedRow, merge_skipped};

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

/// Returns rows as CSV with a header, which is present even without rows.
fn to_csv<R: Serialize + Default>(rows: &[R]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row)?;
    }
    if rows.is_empty() {
        writer.serialize(R::default())?;
    }
    let mut bytes = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
    if rows.is_empty() {
        bytes.truncate(bytes.iter().position(|&byte| byte == b'\n').map_or(0, |end| end + 1));
    }
    Ok(bytes)
}

/// Writes rows as CSV, atomically.
pub fn write<R: Serialize + Default>(path: &Path, rows: &[R]) -> Result<(), WriteError> {
    let bytes = to_csv(rows).map_err(|source| ResultsError { file: path.to_owned(), source })?;
    Ok(import::write_file(path, &bytes)?)
}

/// Adds rows to a file; those for which `is_replaced` holds are removed, all others kept.
///
/// # Errors
/// If the file is invalid or cannot be written.
pub fn merge<R: Serialize + DeserializeOwned + Default + Clone>(
    path: &Path,
    rows: &[R],
    is_replaced: impl Fn(&R) -> bool,
) -> Result<(), MergeError> {
    let mut all: Vec<R> = if path.is_file() { read(path)? } else { Vec::new() };
    all.retain(|old| !is_replaced(old));
    all.extend_from_slice(rows);
    Ok(write(path, &all)?)
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
pub fn read<R: DeserializeOwned>(path: &Path) -> Result<Vec<R>, ResultsError> {
    let problem = |source| ResultsError { file: path.to_owned(), source };
    let mut reader = csv::Reader::from_path(path).map_err(problem)?;
    reader.deserialize().collect::<Result<_, _>>().map_err(problem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::PortraitRow;

    const RUN_COLUMNS: &str = "map,users,configuration,profile,k_max,dt,scheme,view,seed,\
        queries,succeeded,expired,refused,success_rate,printed_success_rate,region_metres,\
        region_metres_per_member,region_area_m2,max_region_area_m2,relative_k,k_by_users,k_by_askers,relative_dt,\
        mean_delay_s,served_within_2s,largest_nodes,largest_edges,truncated_batches,mean_batch_ms,us_per_query,us_collect,\
        us_graph,us_cliques,us_mesh,us_settle,worst_batch_ms,jobs,load_before,load_during,load_after,repeats";
    const VOLUME_COLUMNS: &str = "map,users,configuration,scheme,view,seed,time,new,succeeded,\
        expired,waiting,nodes,edges";
    const MAP_COLUMNS: &str = "map,nodes,edges,width_km,height_km,area_km2,street_km,matrix_ms";
    const PRIVACY_COLUMNS: &str = "map,users,configuration,seed,scheme,success_rate,region_metres,\
        relative_k,mean_delay_s,us_per_query,ms_per_batch,attack,level,publications,below_k,alone,anonymity,metres_left,\
        error_m,wrong,targets,below_k_low,below_k_high,error_low_m,error_high_m,more,seconds,commit";

    #[test]
    fn rows_survive_writing_and_reading() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.csv");
        let row =
            RunRow { map: "a,b".into(), dt: 2.5, success_rate: Some(0.5), ..RunRow::default() };
        write(&path, std::slice::from_ref(&row)).unwrap();
        assert_eq!(read::<RunRow>(&path).unwrap(), [row]);
        let text = std::fs::read_to_string(&path).unwrap();
        let header = text.lines().next().unwrap();
        assert_eq!(header, RUN_COLUMNS);
        let timing = header.split(',').position(|column| column == "mean_batch_ms");
        assert_eq!(timing, Some(header.split(',').count() - TIMING_COLUMNS));
    }

    #[test]
    fn files_without_rows_have_the_documented_columns() {
        fn header<R: Serialize + Default>() -> String {
            String::from_utf8(to_csv::<R>(&[]).unwrap()).unwrap()
        }
        let expected = [
            (header::<RunRow>(), RUN_COLUMNS),
            (header::<VolumeRow>(), VOLUME_COLUMNS),
            (header::<MapRow>(), MAP_COLUMNS),
            (header::<SchemeRow>(), "scheme,setting,cliques,constraint,pace"),
            (header::<PrivacyRow>(), PRIVACY_COLUMNS),
            (header::<PortraitRow>(), "scheme,layer,points"),
        ];
        for (found, columns) in expected {
            assert_eq!(found.trim_end(), columns);
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("maps.csv");
        write::<MapRow>(&path, &[]).unwrap();
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
