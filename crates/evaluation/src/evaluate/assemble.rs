//! The files of results, put together from the cells in the order of the grid.

use super::{EvaluationError, Work};
use crate::experiment::Volume;
use crate::grid::Cell;
use crate::maps::MapPlan;
use crate::provenance::{Machine, Provenance};
use crate::results::{self, SchemeRow, VolumeRow};
use crate::store::{Done, StoreError};
use std::path::{Path, PathBuf};

/// Writes all of them; gives their names, and the commits of the programs that ran the cells.
pub(super) fn assemble(
    work: &Work<'_>,
    cells: &[Cell],
    plans: &[MapPlan],
    machine: Machine,
) -> Result<(Vec<PathBuf>, Vec<String>), EvaluationError> {
    let store = work.store;
    let mut runs = Vec::with_capacity(cells.len());
    let (mut volume, mut schemes, mut commits) = (Vec::new(), Vec::<SchemeRow>::new(), Vec::new());
    for cell in cells {
        let Some(done) = store.cell(cell)? else { continue };
        if cell.volume == Volume::BySecond {
            volume.extend(rows(&done));
        }
        if !schemes.iter().any(|known| known.scheme == done.scheme.scheme) {
            schemes.push(done.scheme);
        }
        if !commits.contains(&done.commit) {
            commits.push(done.commit);
        }
        runs.push(done.run);
    }
    let order = crate::schemes::names();
    schemes.sort_by_key(|row| order.iter().position(|name| *name == row.scheme));
    let maps: Vec<_> =
        plans.iter().filter_map(|plan| store.map(plan).transpose()).collect::<Result<_, _>>()?;
    let provenance = Provenance {
        program: work.evaluation.program.clone(),
        machine,
        title: work.evaluation.experiment.title.clone(),
        commits: commits.clone(),
        cells: cells.len(),
        jobs: work.jobs,
        threads: work.threads,
    };
    let mut files = Vec::new();
    let mut named = |name: &str| {
        files.push(store.file(name));
        store.file(name)
    };
    write(&named("runs.csv"), &runs)?;
    write(&named("volume.csv"), &volume)?;
    write(&named("maps.csv"), &maps)?;
    write(&named("schemes.csv"), &schemes)?;
    let text = provenance.to_toml();
    import::write_file(&named("provenance.toml"), text.as_bytes()).map_err(StoreError::from)?;
    Ok((files, commits))
}

fn write<R: results::Row>(path: &Path, rows: &[R]) -> Result<(), StoreError> {
    Ok(results::write(path, rows)?)
}

fn rows(done: &Done) -> impl Iterator<Item = VolumeRow> {
    done.seconds.iter().map(|&[time, new, succeeded, expired, waiting, nodes, edges]| VolumeRow {
        map: done.run.map.clone(),
        users: done.run.users,
        configuration: done.run.configuration.clone(),
        scheme: done.run.scheme.clone(),
        view: done.run.view.clone(),
        seed: done.run.seed,
        time,
        new,
        succeeded,
        expired,
        waiting,
        nodes: nodes as usize,
        edges: edges as usize,
    })
}
