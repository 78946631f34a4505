//! What is to be tried: grids of map × people × profile × k × dt × scheme × view × seed.
//!
//! An experiment is a TOML file (`experiments/`). The fields of a grid may stand at the top; those
//! of a `[[grid]]` go before them, and what neither says is as in the paper (Table III).

mod error;
mod fields;
mod read;
#[cfg(test)]
mod tests;

pub use error::ExperimentError;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One or more grids under a title.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// What it shows.
    pub title: String,
    /// In the order of the file.
    pub grids: Vec<Grid>,
}

/// Every combination of these.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Known by name (see [`crate::maps::NAMES`]), `city`, `city:STREETS:SEED`, or a path.
    pub maps: Vec<String>,
    /// How many people.
    pub users: Vec<u32>,
    /// `p1`, `p2`, `city`; with `taxi-` before it real trips that ask as often as the profile says.
    pub profiles: Vec<String>,
    /// Smallest and largest k.
    pub k: Vec<(u32, u32)>,
    /// How long people wait.
    pub dt: Waits,
    /// Names of schemes.
    pub schemes: Vec<String>,
    /// Whether processing takes time.
    pub views: Vec<View>,
    /// What chance begins with.
    pub seeds: Vec<u64>,
    /// Whether `volume.csv` is to hold what happened second by second, of seed 1.
    pub volume: Volume,
    /// Real trips.
    pub trips: Trips,
}

/// Whether processing takes time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum View {
    /// Time stands still while a scheme works.
    Unlimited,
    /// A scheme works in real time, and whoever waits, waits.
    RealTime,
}

impl View {
    /// All of them.
    pub const ALL: [View; 2] = [View::Unlimited, View::RealTime];

    /// As in files.
    pub fn name(self) -> &'static str {
        match self {
            View::Unlimited => "unlimited",
            View::RealTime => "realtime",
        }
    }
}

/// Whether what happens second by second is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Volume {
    /// Sums will do.
    Sums,
    /// Yes, of seed 1.
    BySecond,
}

/// How long people wait, in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// For every profile that is not named below.
    pub all: Option<Vec<u32>>,
    /// By profile.
    pub of: BTreeMap<String, Vec<u32>>,
}

/// Real trips: files, and the window in milliseconds within which all of them begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trips {
    /// Relative ones lie beside the folder of maps.
    pub files: Vec<PathBuf>,
    /// Trips of different hours are laid over each other.
    pub overlay: u32,
}

impl Waits {
    /// Those of a profile; the paper's if nobody says otherwise.
    pub fn of(&self, profile: &str) -> Vec<u32> {
        let base = profile.strip_prefix(TAXI).unwrap_or(profile);
        let named = self.of.get(profile).or_else(|| self.of.get(base));
        let paper: &[u32] =
            if base == "p1" { &[3000, 4000, 5000] } else { &[3000, 5000, 7000, 10_000] };
        named.or(self.all.as_ref()).cloned().unwrap_or_else(|| paper.to_vec())
    }
}

/// What the names of profiles of real trips begin with.
pub const TAXI: &str = "taxi-";

impl Default for Grid {
    /// §V of the paper: the five maps, Table III, MeshCloak.
    fn default() -> Grid {
        let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        Grid {
            maps: texts(&crate::maps::PAPER),
            users: vec![100_000],
            profiles: texts(&["p1", "p2"]),
            k: vec![(2, 5), (2, 10)],
            dt: Waits::default(),
            schemes: texts(&["meshcloak"]),
            views: vec![View::Unlimited],
            seeds: vec![1],
            volume: Volume::Sums,
            trips: Trips {
                files: vec!["../traces/porto-taxi/train_1500.csv.gz".into()],
                overlay: 300_000,
            },
        }
    }
}

impl Experiment {
    /// The whole of §V.
    pub fn paper() -> Experiment {
        let grid = Grid { volume: Volume::BySecond, ..Grid::default() };
        Experiment { title: "Evaluation as in §V of the paper".to_owned(), grids: vec![grid] }
    }

    /// The experiment that `text`, the content of `file`, describes.
    pub fn from_toml(file: &Path, text: &str) -> Result<Experiment, ExperimentError> {
        read::read(file, text)
    }
}
