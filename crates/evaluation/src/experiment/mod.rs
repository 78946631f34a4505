//! Experiments: grids of map × users × profile × k × dt × scheme × view × seed.
//!
//! An experiment is a TOML file (`experiments/`). Top-level fields are defaults of every
//! `[[grid]]`; fields that are absent in both have the values of the paper (Table III).

mod error;
mod paper;
mod read;
#[cfg(test)]
mod tests;
mod toml_table;

pub use error::ExperimentError;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One or more grids under a title.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// Title of the report.
    pub title: String,
    /// Whether the report compares the results with the claims of the paper.
    pub is_paper: bool,
    /// Map whose distance matrix is timed at several sizes; empty for none.
    pub matrix_map: String,
    /// Grids in the order of the file.
    pub grids: Vec<ExperimentGrid>,
}

/// Value lists of one grid; every combination is a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct ExperimentGrid {
    /// Known names (see [`crate::maps::NAMES`]), `city`, `city:STREETS:SEED`, or paths.
    pub maps: Vec<String>,
    /// Numbers of users.
    pub users: Vec<u32>,
    /// `p1`, `p2` or `city`; the prefix `taxi-` selects recorded trips with the query interval of the
    /// profile.
    pub profiles: Vec<String>,
    /// Ranges of k: smallest and largest.
    pub k: Vec<(u32, u32)>,
    /// Temporal tolerances.
    pub dt: Tolerances,
    /// Canonical names of schemes.
    pub schemes: Vec<String>,
    /// Whether processing takes time.
    pub views: Vec<TimeModel>,
    /// Random seeds.
    pub seeds: Vec<u64>,
    /// Detail of `volume.csv`.
    pub volume: Volume,
    /// Recorded trips.
    pub trips: TripSource,
}

/// Whether processing takes time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimeModel {
    /// Processing takes no time.
    Unlimited,
    /// Processing takes the measured time, and queries expire meanwhile.
    RealTime,
    /// Processing takes no time, and a query joins the batch after the first one that follows it:
    /// the other reading of the paper's arrivals (docs/SPEC.md §5).
    After,
    /// As `Unlimited`, in the timing pass: one run at a time, on one thread, repeated while other
    /// processes load the machine.
    Timed,
}

impl TimeModel {
    /// All views.
    pub const ALL: [TimeModel; 4] =
        [TimeModel::Unlimited, TimeModel::RealTime, TimeModel::After, TimeModel::Timed];

    /// Name in files.
    pub fn name(self) -> &'static str {
        match self {
            TimeModel::Unlimited => "unlimited",
            TimeModel::RealTime => "realtime",
            TimeModel::After => "after",
            TimeModel::Timed => "timed",
        }
    }

    /// Whether the result depends on the clock, so that the run must have the machine to itself.
    pub fn needs_quiet_machine(self) -> bool {
        matches!(self, TimeModel::RealTime | TimeModel::Timed)
    }
}

/// Detail of the query volume output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Volume {
    /// Totals only.
    Sums,
    /// One row per second, for seed 1.
    BySecond,
}

/// Temporal tolerances, in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tolerances {
    /// Tolerances of profiles that `by_profile` does not list.
    pub all: Option<Vec<u32>>,
    /// Tolerances by profile.
    pub by_profile: BTreeMap<String, Vec<u32>>,
}

/// Recorded trips.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TripSource {
    /// Trip files; relative paths start at the map folder.
    pub files: Vec<PathBuf>,
    /// Window in milliseconds; every trip is shifted to begin within it.
    pub overlay: u32,
}

impl Tolerances {
    /// Returns the tolerances of a profile; by default those of the paper.
    pub fn of(&self, profile: &str) -> Vec<u32> {
        let base = profile.strip_prefix(TAXI).unwrap_or(profile);
        let named = self.by_profile.get(profile).or_else(|| self.by_profile.get(base));
        let paper: &[u32] =
            if base == "p1" { &[3000, 4000, 5000] } else { &[3000, 5000, 7000, 10_000] };
        named.or(self.all.as_ref()).cloned().unwrap_or_else(|| paper.to_vec())
    }
}

/// Prefix of profiles with recorded trips.
pub const TAXI: &str = "taxi-";

impl Default for ExperimentGrid {
    /// Grid of §V of the paper: five maps, Table III, the printed method.
    fn default() -> ExperimentGrid {
        let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        ExperimentGrid {
            maps: texts(&crate::maps::PAPER),
            users: vec![100_000],
            profiles: texts(&["p1", "p2"]),
            k: vec![(2, 5), (2, 10)],
            dt: Tolerances::default(),
            schemes: texts(&[crate::schemes::PAPER]),
            views: vec![TimeModel::Unlimited],
            seeds: vec![1],
            volume: Volume::Sums,
            trips: TripSource {
                files: vec!["../traces/porto-taxi/train_1500.csv.gz".into()],
                overlay: 300_000,
            },
        }
    }
}

impl Experiment {
    /// Reads an experiment from `text`, the content of `file`.
    pub fn from_toml(file: &Path, text: &str) -> Result<Experiment, ExperimentError> {
        read::read(file, text)
    }
}
