//! The files of results: their rows, how they are written and how they are read again.
//!
//! `runs.csv` holds a row for each cell of the grid, with everything that depends on the clock in
//! the last columns; `volume.csv` what happened second by second; `maps.csv` and `schemes.csv` are
//! Tables II and I of the paper. All are written whole or not at all.

use crate::metrics::Tally;
use crate::privacy::{Assay, PortraitRow, Score};
use crate::stopwatch::Spent;
use import::ImportError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A row of `runs.csv`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the columns are the metrics of SPEC §11, by the same names")]
pub struct RunRow {
    pub map: String,
    pub users: u32,
    /// As in the paper: `P1-3-5` is profile, dt, largest k.
    pub configuration: String,
    pub profile: String,
    pub k_max: u32,
    /// In seconds.
    pub dt: f64,
    pub scheme: String,
    pub view: String,
    pub seed: u64,
    pub queries: u64,
    pub succeeded: u64,
    pub expired: u64,
    pub refused: u64,
    pub success_rate: Option<f64>,
    pub printed_success_rate: Option<f64>,
    pub region_metres: Option<f64>,
    pub region_metres_per_member: Option<f64>,
    pub region_area_m2: Option<f64>,
    pub relative_k: Option<f64>,
    pub relative_dt: Option<f64>,
    pub mean_delay_s: Option<f64>,
    pub served_within_2s: Option<f64>,
    pub largest_nodes: usize,
    pub largest_edges: usize,
    pub truncated_batches: u64,
    pub us_per_query: Option<f64>,
    pub us_collect: Option<f64>,
    pub us_graph: Option<f64>,
    pub us_cliques: Option<f64>,
    pub us_mesh: Option<f64>,
    pub us_settle: Option<f64>,
    pub worst_batch_ms: f64,
    /// How many cells ran at once.
    pub jobs: usize,
}

/// How many columns of `runs.csv` depend on the clock: the last ones.
pub const TIMING_COLUMNS: usize = 8;

impl RunRow {
    /// Fills in everything that was measured.
    #[must_use]
    pub fn with(self, tally: &Tally) -> RunRow {
        let value = |number: Option<f64>| number.map(rounded);
        let micros = |spent: Duration| value(tally.us_per_query(spent));
        let [collect, graph, cliques, mesh, settle]: Spent = tally.spent;
        RunRow {
            queries: tally.queries(),
            succeeded: tally.succeeded,
            expired: tally.expired,
            refused: tally.refused(),
            success_rate: value(tally.success_rate()),
            printed_success_rate: value(tally.printed_success_rate.value()),
            region_metres: value(tally.region_metres.value()),
            region_metres_per_member: value(tally.region_metres_per_member.value()),
            region_area_m2: value(tally.region_area.value()),
            relative_k: value(tally.relative_k.value()),
            relative_dt: value(tally.relative_dt.value()),
            mean_delay_s: value(tally.delay.value()),
            served_within_2s: value(tally.within_two_seconds.value()),
            largest_nodes: tally.largest.nodes,
            largest_edges: tally.largest.edges,
            truncated_batches: tally.truncated,
            us_per_query: micros(tally.spent.iter().sum()),
            us_collect: micros(collect),
            us_graph: micros(graph),
            us_cliques: micros(cliques),
            us_mesh: micros(mesh),
            us_settle: micros(settle),
            worst_batch_ms: rounded(tally.worst.as_secs_f64() * 1000.0),
            ..self
        }
    }
}

/// To six decimals.
fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

/// A row of `volume.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "as in runs.csv, and as in the paper's figure of query volume")]
pub struct VolumeRow {
    pub map: String,
    pub users: u32,
    pub configuration: String,
    pub scheme: String,
    pub view: String,
    pub seed: u64,
    /// In seconds.
    pub time: u64,
    pub new: u64,
    pub succeeded: u64,
    pub expired: u64,
    pub waiting: u64,
    pub nodes: usize,
    pub edges: usize,
}

/// A row of `maps.csv` (Table II).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the columns are those of Table II")]
pub struct MapRow {
    pub map: String,
    pub nodes: u64,
    pub edges: u64,
    pub width_km: f64,
    pub height_km: f64,
    pub area_km2: f64,
    pub street_km: f64,
    /// How long it took to measure all distances within reach.
    pub matrix_ms: f64,
}

/// A row of `schemes.csv` (Table I).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the columns are those of Table I")]
pub struct SchemeRow {
    pub scheme: String,
    pub setting: String,
    pub cliques: String,
    pub constraint: String,
    /// `batch` or `one by one`.
    pub pace: String,
}

/// A row of `privacy.csv`: what one attack on one scheme came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the columns are the figures of the attacks, by the same names")]
pub struct PrivacyRow {
    pub map: String,
    pub users: u32,
    pub configuration: String,
    pub seed: u64,
    pub scheme: String,
    /// Over everyone, as in `runs.csv`.
    pub success_rate: Option<f64>,
    pub region_metres: Option<f64>,
    pub relative_k: Option<f64>,
    pub mean_delay_s: Option<f64>,
    pub attack: String,
    /// `L1`, `L2` or `L3`; of what was shown, nothing.
    pub level: String,
    pub publications: u64,
    /// The share with fewer than k people left.
    pub below_k: Option<f64>,
    /// The share with one.
    pub alone: Option<f64>,
    /// People left, over k.
    pub anonymity: Option<f64>,
    pub metres_left: Option<f64>,
    pub error_m: Option<f64>,
    /// The share in which the truth was ruled out.
    pub wrong: Option<f64>,
    /// Further figures: `name=value;name=value`.
    pub more: String,
    /// Seconds on one thread.
    pub seconds: f64,
}

impl PrivacyRow {
    /// What the run is: all rows of it stand together.
    pub fn run(&self) -> (&str, u32, &str, u64, &str) {
        (&self.map, self.users, &self.configuration, self.seed, &self.scheme)
    }

    /// A further figure by name.
    pub fn figure(&self, name: &str) -> Option<f64> {
        let mut pairs = self.more.split(';').filter_map(|pair| pair.split_once('='));
        pairs.find(|pair| pair.0 == name)?.1.parse().ok()
    }
}

/// The rows of all attacks on one scheme; `of` holds what they have in common.
pub fn privacy_rows(of: &PrivacyRow, assay: &Assay) -> Vec<PrivacyRow> {
    let value = |number: Option<f64>| number.map(rounded);
    let all = attacks::all();
    let level = |name: &str| {
        let attack = all.iter().find(|attack| attack.name() == name);
        attack.map_or(String::new(), |attack| attack.level().name().to_owned())
    };
    let tally = &assay.tally;
    let row = |(name, score): (&'static str, &Score)| {
        let more = score
            .more
            .iter()
            .filter_map(|(name, mean)| Some(format!("{name}={}", rounded(mean.value()?))));
        PrivacyRow {
            scheme: assay.scheme.clone(),
            success_rate: value(tally.success_rate()),
            region_metres: value(tally.region_metres.value()),
            relative_k: value(tally.relative_k.value()),
            mean_delay_s: value(tally.delay.value()),
            attack: name.to_owned(),
            level: level(name),
            publications: score.publications,
            below_k: value(score.below_k.value()),
            alone: value(score.alone.value()),
            anonymity: value(score.anonymity.value()),
            metres_left: value(score.metres.value()),
            error_m: value(score.error.value()),
            wrong: value(score.wrong.value()),
            more: more.collect::<Vec<_>>().join(";"),
            seconds: rounded(score.took.as_secs_f64()),
            ..of.clone()
        }
    };
    assay.scores.in_order().into_iter().map(row).collect()
}

/// A file that is no file of results.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", file.display())]
pub struct ResultsError {
    file: PathBuf,
    source: csv::Error,
}

/// Rows of a file of results.
pub trait Row: Serialize + DeserializeOwned {
    /// Its columns, which stand there even if there are no rows.
    const COLUMNS: &'static str;
}

impl Row for RunRow {
    const COLUMNS: &'static str = "map,users,configuration,profile,k_max,dt,scheme,view,seed,\
        queries,succeeded,expired,refused,success_rate,printed_success_rate,region_metres,\
        region_metres_per_member,region_area_m2,relative_k,relative_dt,mean_delay_s,\
        served_within_2s,largest_nodes,largest_edges,truncated_batches,us_per_query,us_collect,\
        us_graph,us_cliques,us_mesh,us_settle,worst_batch_ms,jobs";
}

impl Row for VolumeRow {
    const COLUMNS: &'static str = "map,users,configuration,scheme,view,seed,time,new,succeeded,\
        expired,waiting,nodes,edges";
}

impl Row for MapRow {
    const COLUMNS: &'static str = "map,nodes,edges,width_km,height_km,area_km2,street_km,matrix_ms";
}

impl Row for SchemeRow {
    const COLUMNS: &'static str = "scheme,setting,cliques,constraint,pace";
}

impl Row for PrivacyRow {
    const COLUMNS: &'static str = "map,users,configuration,seed,scheme,success_rate,region_metres,\
        relative_k,mean_delay_s,attack,level,publications,below_k,alone,anonymity,metres_left,\
        error_m,wrong,more,seconds";
}

impl Row for PortraitRow {
    const COLUMNS: &'static str = "scheme,layer,points";
}

fn to_csv<R: Row>(rows: &[R]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    writer.write_record(R::COLUMNS.split(','))?;
    for row in rows {
        writer.serialize(row)?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

/// Writes rows as CSV, all or nothing.
pub fn write<R: Row>(path: &Path, rows: &[R]) -> Result<(), WriteError> {
    let bytes = to_csv(rows).map_err(|source| ResultsError { file: path.to_owned(), source })?;
    Ok(import::write_file(path, &bytes)?)
}

/// Why a file could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A row that is no row.
    #[error(transparent)]
    Rows(#[from] ResultsError),
    /// No room, or no permission.
    #[error(transparent)]
    File(#[from] ImportError),
}

/// Reads rows of CSV; extra columns are ignored.
pub fn read<R: Row>(path: &Path) -> Result<Vec<R>, ResultsError> {
    let problem = |source| ResultsError { file: path.to_owned(), source };
    let mut reader = csv::Reader::from_path(path).map_err(problem)?;
    reader.deserialize().collect::<Result<_, _>>().map_err(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_were_written_and_columns_are_as_promised() {
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
    fn columns_are_named_as_the_fields_they_hold() {
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
    fn a_file_that_is_no_results_is_named_with_its_line() {
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
