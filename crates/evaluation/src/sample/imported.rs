//! Runs of the sample on imported maps and along recorded trips.

use super::town;
use super::{FEW, People, SEED, SampleError};
use crate::experiment::TripSource;
use crate::grid::Population;
use crate::maps::{EVERY_NODE, MapPlan};
use crate::results::RunRow;
use crate::workload::{Workload, generate, simulate};
use meshcloak::distance::Atlas;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use traffic::{Profile, SimulationSettings};

/// Number of users.
const USERS: u32 = 150;

/// Runs some schemes on a town in each format, and along trips on one of them.
pub(super) fn runs() -> Result<Vec<RunRow>, SampleError> {
    let folder = tempfile::tempdir()?;
    let files = [
        (town::write_csv(folder.path())?, ""),
        (town::write_brinkhoff(folder.path())?, ""),
        (town::write_osm(folder.path())?, ""),
        (town::write_osm(folder.path())?, EVERY_NODE),
    ];
    let mut rows = Vec::new();
    for (file, suffix) in files {
        let plan = MapPlan::of(&format!("{}{suffix}", file.display()), None)?;
        let (atlas, _) = plan.prepare()?;
        let Some(profile) = Profile::named("p1").map(Profile::with_uniform_places) else {
            continue;
        };
        let settings =
            SimulationSettings { users: USERS, k: (2, 5), temporal_tolerance: 0, seed: SEED };
        let workload = simulate(atlas.map(), &profile, settings);
        let run = |profile, workload: &Workload| {
            let (map, atlas) = (plan.name.as_str(), &atlas);
            People { map, profile, users: USERS, atlas, workload }.runs(&FEW, Duration::ZERO)
        };
        rows.extend(run("p1", &workload));
        if suffix.is_empty() {
            rows.extend(run("taxi-p1", &along_trips(folder.path(), &plan, &atlas, &workload)?));
        }
    }
    Ok(rows)
}

/// Writes the queries as recorded trips and follows these.
fn along_trips(
    folder: &Path,
    plan: &MapPlan,
    atlas: &Arc<Atlas>,
    workload: &Workload,
) -> Result<Workload, SampleError> {
    let file: PathBuf = folder.join(format!("{}.trips", plan.name));
    let file = town::write_trips(file, atlas.map(), &workload.queries)?;
    let population = Population {
        map: plan.clone(),
        users: USERS,
        profile: "taxi-p1".to_owned(),
        k: (2, 5),
        seed: SEED,
        trips: Some(TripSource { files: vec![file], overlay: 30_000 }),
    };
    Ok(generate(&population, atlas.map(), None)?)
}
