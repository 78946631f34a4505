//! A small fixed sample of runs and attacks by which changed answers are recognised.
//!
//! `evaluate --sample` stores it beside its results; `make results-check` computes it again and
//! compares. As long as both agree, the code gives the answers that it gave when the results were
//! written. The sample writes its map files itself and takes seconds.

mod comparison;
mod imported;
mod town;

pub use comparison::differences;

use crate::costs::Costs;
use crate::experiment::TimeModel;
use crate::maps::{DC_MAX, MapPlan};
use crate::privacy::{AttackPlan, AttackedScheme, run_attacks};
use crate::result_file::{ATTACK_CRATES, ResultFile, joined};
use crate::results::{self, PrivacyRow, ResultsError, RunRow, WriteError, privacy_rows};
use crate::run::{Conditions, Presence, TICK, run};
use crate::schemes::{self, PAPER};
use crate::workload::{Workload, WorkloadError, record_journeys, simulate};
use import::ImportError;
use meshcloak::distance::Atlas;
use meshcloak::units::Length;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use traffic::{Profile, SimulationSettings};

/// Map of the sample.
const MAP: &str = "city:600:25";
/// Random seed.
const SEED: u64 = 25;
/// Temporal tolerance of all queries.
const TOLERANCE: Duration = Duration::from_secs(3);
/// Schemes that run with late arrivals, on imported maps and on trips.
const FEW: [&str; 3] = [PAPER, "meshcloak/reciprocal", "casper"];
/// Settings of MeshCloak besides the table of schemes.
const SETTINGS: [&str; 7] = [
    "meshcloak/paper/printed",
    "meshcloak/reciprocal",
    "meshcloak/reciprocal/cell",
    "meshcloak/reciprocal/present-75",
    "meshcloak/history",
    "meshcloak/history/published",
    "meshcloak/history/published/cell",
];
/// Schemes that are attacked by all attacks; the others by [`COMMON_ATTACKS`].
const ATTACKED: [&str; 5] =
    [PAPER, "meshcloak/reciprocal", "meshcloak/history", "meshcloak/history/cell", "casper"];

/// Attacks on all other schemes.
const COMMON_ATTACKS: [&str; 2] = ["inversion", "region-inversion"];

/// Rows of the sample.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// Runs of all schemes.
    pub runs: Vec<RunRow>,
    /// All attacks on some schemes, some attacks on all.
    pub attacks: Vec<PrivacyRow>,
}

/// Why a sample cannot be computed.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
    /// A map cannot be read.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The trips cannot be followed.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// The temporary files cannot be written.
    #[error("cannot write the temporary files of the sample: {0}")]
    Files(#[from] io::Error),
}

/// Names of the files of a sample.
pub const FILES: [&str; 2] = ["sample-runs.csv", "sample-privacy.csv"];

/// Stores a computed sample in a folder of results and returns its entries for the provenance.
///
/// The sample stands for the commits in its entry: a row of another commit is not covered by the
/// check. If the stored sample shows the same answers, the commit is added to those of the stored one,
/// as `earlier` lists them; otherwise the sample is replaced and stands for this commit alone.
///
/// # Errors
/// If a stored sample is invalid, or the sample cannot be written.
pub fn keep(
    folder: &Path,
    commit: &str,
    earlier: &[ResultFile],
    computed: &Sample,
) -> Result<Vec<ResultFile>, WriteError> {
    let [runs, attacks] = FILES.map(|name| folder.join(name));
    let has_sample = runs.is_file() && attacks.is_file();
    let is_same = has_sample && differences(&Sample::read(folder)?, computed).is_empty();
    let commits = match is_same {
        true => joined(ResultFile::commits_of(earlier, FILES[0]), commit),
        false => {
            results::write(&runs, &computed.runs)?;
            results::write(&attacks, &computed.attacks)?;
            vec![commit.to_owned()]
        }
    };
    Ok(FILES.map(|name| ResultFile::new(name, &commits, &ATTACK_CRATES)).to_vec())
}

impl Sample {
    /// Reads the sample of a folder.
    ///
    /// # Errors
    /// If a file is missing or invalid.
    pub fn read(folder: &Path) -> Result<Sample, ResultsError> {
        let [runs, attacks] = FILES.map(|name| folder.join(name));
        Ok(Sample { runs: results::read(&runs)?, attacks: results::read(&attacks)? })
    }

    /// Computes the sample.
    ///
    /// # Errors
    /// If a map cannot be read or the temporary files cannot be written.
    pub fn compute() -> Result<Sample, SampleError> {
        let (atlas, _) = MapPlan::of(MAP, None)?.prepare()?;
        let mut sample = Sample::default();
        for (name, users) in [("p1", 700), ("p2", 400)] {
            let Some(profile) = Profile::named(name).map(Profile::with_uniform_places) else {
                continue;
            };
            let settings =
                SimulationSettings { users, k: (2, 5), temporal_tolerance: 0, seed: SEED };
            let mut workload = simulate(atlas.map(), &profile, settings);
            workload.journeys = record_journeys(atlas.map(), &profile, settings);
            let people =
                People { map: MAP, profile: name, users, atlas: &atlas, workload: &workload };
            sample.runs.extend(people.runs(&all_schemes(), Duration::ZERO));
            sample.runs.extend(people.runs(&FEW, TICK));
            sample.attacks.extend(people.attacks());
        }
        sample.runs.extend(imported::runs()?);
        Ok(sample)
    }
}

/// Names of all schemes and settings.
fn all_schemes() -> Vec<&'static str> {
    schemes::names().into_iter().chain(SETTINGS).collect()
}

/// Users of one profile on one map.
struct People<'a> {
    /// Name of the map.
    map: &'a str,
    profile: &'static str,
    users: u32,
    atlas: &'a Arc<Atlas>,
    workload: &'a Workload,
}

impl People<'_> {
    fn conditions(&self, presence: Presence, lag: Duration) -> Conditions {
        let dc_max = Length::metres(DC_MAX);
        Conditions { tolerance: TOLERANCE, dc_max, presence, tick: TICK, lag, is_held: false }
    }

    fn configuration(&self) -> String {
        format!("{}-3-5", self.profile.to_uppercase())
    }

    /// Runs the schemes that can run on the map; times are left out. With a lag queries join a later
    /// batch.
    fn runs(&self, schemes: &[&str], lag: Duration) -> Vec<RunRow> {
        let view = if lag.is_zero() { TimeModel::Unlimited } else { TimeModel::After };
        let run = |&name: &&str| {
            let (scheme, presence) = schemes::presence(name);
            let mut built = schemes::by_name(self.atlas, scheme).ok()?;
            let conditions = self.conditions(presence, lag);
            let map = self.atlas.map();
            let result = run(built.as_mut(), map, self.workload, conditions, &mut Costs::Free);
            let row = RunRow {
                map: self.map.to_owned(),
                users: self.users,
                configuration: self.configuration(),
                profile: self.profile.to_owned(),
                k_max: 5,
                dt: TOLERANCE.as_secs_f64(),
                scheme: name.to_owned(),
                view: view.name().to_owned(),
                seed: SEED,
                ..RunRow::default()
            };
            Some(row.with(&result.tally).without_times())
        };
        schemes.iter().filter_map(run).collect()
    }

    fn attacks(&self) -> Vec<PrivacyRow> {
        let all = AttackPlan { targets: 60, planted: 10, followed: 20, ..AttackPlan::default() };
        let common = COMMON_ATTACKS.to_vec();
        let some = AttackPlan { attacks: common, targets: 20, ..AttackPlan::default() };
        let columns = PrivacyRow {
            map: MAP.to_owned(),
            users: self.users,
            configuration: self.configuration(),
            seed: SEED,
            ..PrivacyRow::default()
        };
        let conditions = self.conditions(Presence::AllAsk, Duration::ZERO);
        let attack = |(name, plan): (&str, &AttackPlan)| {
            let scheme = AttackedScheme::named(name).ok()?;
            let found = run_attacks(&scheme, self.atlas, self.workload, conditions, plan).ok()?;
            Some(privacy_rows(&columns, &found))
        };
        let others = schemes::names().into_iter().filter(|name| !ATTACKED.contains(name));
        let plans = ATTACKED.map(|name| (name, &all));
        let plans = plans.into_iter().chain(others.map(|name| (name, &some)));
        plans.filter_map(attack).flatten().map(PrivacyRow::without_times).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_of_other_answers_stands_for_its_own_commit_alone() {
        let folder = tempfile::tempdir().unwrap();
        let sample = |succeeded| Sample {
            runs: vec![RunRow { succeeded, ..RunRow::default() }],
            attacks: vec![PrivacyRow::default()],
        };
        let mut entries = Vec::new();
        let mut commits = |commit: &str, succeeded| {
            entries = keep(folder.path(), commit, &entries, &sample(succeeded)).unwrap();
            ResultFile::commits_of(&entries, FILES[0])
        };
        assert_eq!(commits("a", 5), ["a"]);
        assert_eq!(commits("b", 5), ["a", "b"]);
        assert_eq!(commits("c", 6), ["c"], "rows of a and b are out of date");
        assert_eq!(Sample::read(folder.path()).unwrap().runs[0].succeeded, 6);
    }
}
