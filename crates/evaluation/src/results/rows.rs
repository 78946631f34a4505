//! Rows of `runs.csv`, `volume.csv`, `maps.csv` and `schemes.csv`.

use crate::metrics::Tally;
use crate::stopwatch::Spent;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A row of `runs.csv`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[expect(
    missing_docs,
    reason = "the columns are the metrics of docs/SPEC.md §11, by the same names"
)]
pub struct RunRow {
    pub map: String,
    pub users: u32,
    /// As in the paper: `P1-3-5` is profile, dt, largest k.
    pub configuration: String,
    pub profile: String,
    pub k_max: u32,
    /// In seconds.
    pub dt: f64,
    #[serde(deserialize_with = "crate::schemes::deserialize_name")]
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
    /// Absent in files of earlier versions.
    #[serde(default)]
    pub max_region_area_m2: Option<f64>,
    pub relative_k: Option<f64>,
    /// Absent in files of earlier versions.
    #[serde(default)]
    pub k_by_users: Option<f64>,
    #[serde(default)]
    pub k_by_askers: Option<f64>,
    pub relative_dt: Option<f64>,
    pub mean_delay_s: Option<f64>,
    pub served_within_2s: Option<f64>,
    pub largest_nodes: usize,
    pub largest_edges: usize,
    pub truncated_batches: u64,
    /// Absent in files of earlier versions.
    #[serde(default)]
    pub mean_batch_ms: Option<f64>,
    pub us_per_query: Option<f64>,
    pub us_collect: Option<f64>,
    pub us_graph: Option<f64>,
    pub us_cliques: Option<f64>,
    pub us_mesh: Option<f64>,
    pub us_settle: Option<f64>,
    pub worst_batch_ms: f64,
    /// Number of concurrent cells.
    pub jobs: usize,
    /// Cores that other processes kept busy before, during and after a run of the timing pass.
    #[serde(default)]
    pub load_before: Option<f64>,
    #[serde(default)]
    pub load_during: Option<f64>,
    #[serde(default)]
    pub load_after: Option<f64>,
    /// Number of earlier attempts that were discarded because of the load.
    #[serde(default)]
    pub repeats: u32,
}

/// Number of clock-dependent columns at the end of `runs.csv`.
pub const TIMING_COLUMNS: usize = 13;

impl RunRow {
    /// Returns the row without the columns that depend on the clock.
    #[must_use]
    pub fn without_times(self) -> RunRow {
        RunRow {
            mean_batch_ms: None,
            us_per_query: None,
            us_collect: None,
            us_graph: None,
            us_cliques: None,
            us_mesh: None,
            us_settle: None,
            worst_batch_ms: 0.0,
            ..self
        }
    }

    /// Largest load of the machine by other processes around the run; `None` if it was not timed.
    pub fn max_load(&self) -> Option<f64> {
        let loads = [self.load_before, self.load_during, self.load_after];
        loads.into_iter().flatten().reduce(f64::max)
    }

    /// Returns the row with the measured columns.
    #[must_use]
    pub fn with(self, tally: &Tally) -> RunRow {
        let value = |number: Option<f64>| number.map(rounded);
        let micros = |spent: Duration| value(tally.us_per_query(spent));
        let [collect, graph, cliques, mesh, settle]: Spent = tally.spent;
        RunRow {
            queries: tally.queries(),
            succeeded: tally.succeeded,
            expired: tally.expired + tally.replaced,
            refused: tally.refused(),
            success_rate: value(tally.success_rate()),
            printed_success_rate: value(tally.printed_success_rate.value()),
            region_metres: value(tally.region_metres.value()),
            region_metres_per_member: value(tally.region_metres_per_member.value()),
            region_area_m2: value(tally.region_area.value()),
            max_region_area_m2: value(tally.max_region_area),
            relative_k: value(tally.relative_k.value()),
            k_by_users: value(tally.k_by_users.value()),
            k_by_askers: value(tally.k_by_askers.value()),
            relative_dt: value(tally.relative_dt.value()),
            mean_delay_s: value(tally.delay.value()),
            served_within_2s: value(tally.within_two_seconds.value()),
            largest_nodes: tally.largest.nodes,
            largest_edges: tally.largest.edges,
            truncated_batches: tally.truncated,
            mean_batch_ms: (tally.turns > 0).then(|| {
                let spent: Duration = tally.spent.iter().sum();
                rounded(spent.as_secs_f64() * 1000.0 / tally.turns as f64)
            }),
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

/// A row of `matrix.csv`: time of the distance matrix of a part of a map, on one thread.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the columns are named as in maps.csv")]
pub struct MatrixRow {
    pub map: String,
    /// `cut` to a window, or `thinned` to its main streets over the whole area.
    pub method: String,
    /// Share of the terminals (cut) or streets (thinned) that are kept.
    pub share: f64,
    pub terminals: usize,
    pub streets: usize,
    /// Entries of the matrix.
    pub pairs: usize,
    /// Fastest of three computations.
    pub matrix_ms: f64,
    /// Cores that other processes kept busy meanwhile.
    pub load_during: Option<f64>,
}

/// Rounds to six decimals.
pub(crate) fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

/// A row of `volume.csv`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "as in runs.csv, and as in the paper's figure of query volume")]
pub struct VolumeRow {
    pub map: String,
    pub users: u32,
    pub configuration: String,
    #[serde(deserialize_with = "crate::schemes::deserialize_name")]
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the columns are those of Table II")]
pub struct MapRow {
    pub map: String,
    pub nodes: u64,
    pub edges: u64,
    pub width_km: f64,
    pub height_km: f64,
    pub area_km2: f64,
    pub street_km: f64,
    /// Computation time of the distance matrix.
    pub matrix_ms: f64,
}

/// A row of `schemes.csv` (Table I).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the columns are those of Table I")]
pub struct SchemeRow {
    #[serde(deserialize_with = "crate::schemes::deserialize_name")]
    pub scheme: String,
    pub setting: String,
    pub cliques: String,
    pub constraint: String,
    /// `batch` or `one by one`.
    pub pace: String,
}
