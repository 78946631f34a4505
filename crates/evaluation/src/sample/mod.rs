//! A small fixed sample of runs and attacks by which changed answers are recognised.
//!
//! `evaluate --sample` stores it beside its results; `make results-check` computes it again and
//! compares. As long as both agree, the code gives the answers that it gave when the results were
//! written. The sample needs no map file and takes seconds.

mod comparison;

pub use comparison::differences;

use crate::costs::Costs;
use crate::maps::{DC_MAX, MapPlan};
use crate::privacy::{AttackPlan, AttackedScheme, run_attacks};
use crate::results::{PrivacyRow, RunRow, privacy_rows};
use crate::run::{Conditions, Presence, TICK, run};
use crate::schemes::{self, PAPER};
use crate::workload::{Workload, record_journeys, simulate};
use import::ImportError;
use meshcloak::distance::Atlas;
use meshcloak::units::Length;
use std::sync::Arc;
use std::time::Duration;
use traffic::{Profile, SimulationSettings};

/// Map of the sample.
const MAP: &str = "city:600:25";
/// Random seed.
const SEED: u64 = 25;
/// Temporal tolerance of all queries.
const TOLERANCE: Duration = Duration::from_secs(3);
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

/// Names of the files of a sample.
pub const FILES: [&str; 2] = ["sample-runs.csv", "sample-privacy.csv"];

impl Sample {
    /// Computes the sample.
    ///
    /// # Errors
    /// If the built-in city cannot be built.
    pub fn compute() -> Result<Sample, ImportError> {
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
            let people = People { profile: name, users, atlas: &atlas, workload: &workload };
            sample.runs.extend(people.runs());
            sample.attacks.extend(people.attacks());
        }
        Ok(sample)
    }
}

/// Users of one profile.
struct People<'a> {
    profile: &'static str,
    users: u32,
    atlas: &'a Arc<Atlas>,
    workload: &'a Workload,
}

impl People<'_> {
    fn conditions(&self, presence: Presence) -> Conditions {
        let dc_max = Length::metres(DC_MAX);
        Conditions {
            tolerance: TOLERANCE,
            dc_max,
            presence,
            tick: TICK,
            lag: Duration::ZERO,
            is_held: false,
        }
    }

    fn configuration(&self) -> String {
        format!("{}-3-5", self.profile.to_uppercase())
    }

    /// Runs every scheme that can run on the map; times are left out.
    fn runs(&self) -> impl Iterator<Item = RunRow> {
        schemes::names().into_iter().chain(SETTINGS).filter_map(|name| {
            let (scheme, presence) = schemes::presence(name);
            let mut built = schemes::by_name(self.atlas, scheme).ok()?;
            let conditions = self.conditions(presence);
            let map = self.atlas.map();
            let result = run(built.as_mut(), map, self.workload, conditions, &mut Costs::Free);
            let row = RunRow {
                map: MAP.to_owned(),
                users: self.users,
                configuration: self.configuration(),
                profile: self.profile.to_owned(),
                k_max: 5,
                dt: TOLERANCE.as_secs_f64(),
                scheme: name.to_owned(),
                view: "unlimited".to_owned(),
                seed: SEED,
                ..RunRow::default()
            };
            Some(row.with(&result.tally).without_times())
        })
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
        let conditions = self.conditions(Presence::AllAsk);
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
