//! Writes the result files from the stored cells, in the order of the grid.

use super::work::COMMAND;
use super::{EvaluationError, Work};
use crate::distinct::distinct;
use crate::experiment::Volume;
use crate::grid::GridCell;
use crate::maps::MapPlan;
use crate::provenance::{Machine, RunProvenance};
use crate::results::{self, RunRow, SchemeRow, SkippedRow, VolumeRow, merge_skipped};
use crate::sample;
use crate::store::{CellResult, Store, StoreError};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Written files, and commits of the programs that ran the cells.
pub(super) struct Assembled {
    pub files: Vec<PathBuf>,
    pub commits: Vec<String>,
}

/// Writes all result files.
pub(super) fn assemble(
    work: &Work<'_>,
    cells: &[GridCell],
    plans: &[MapPlan],
    machine: Machine,
) -> Result<Assembled, EvaluationError> {
    let store = work.store;
    let ResultRows { runs, volume, schemes, commits } = ResultRows::collect(store, cells)?;
    let maps: Vec<_> =
        plans.iter().filter_map(|plan| store.map(plan).transpose()).collect::<Result<_, _>>()?;
    let mut names = vec!["runs.csv", "volume.csv", "maps.csv", "schemes.csv"];
    write(&store.file(names[0]), &runs)?;
    write(&store.file(names[1]), &volume)?;
    write(&store.file(names[2]), &maps)?;
    write(&store.file(names[3]), &schemes)?;
    let skipped: Vec<SkippedRow> = work.skipped.lock().iter().cloned().collect();
    let has_run = |map: &str, scheme: &str| {
        runs.iter().any(|run| (run.map.as_str(), run.scheme.as_str()) == (map, scheme))
    };
    merge_skipped(work.evaluation.out, &skipped, |old| {
        old.command == COMMAND && has_run(&old.map, &old.scheme)
    })?;
    if let Some(rows) = store.matrix()? {
        names.push("matrix.csv");
        write(&store.file("matrix.csv"), &rows)?;
    }
    names.extend(sample::FILES.iter().filter(|name| store.file(name).is_file()));
    let provenance = RunProvenance {
        program: work.evaluation.program.clone(),
        machine,
        title: work.evaluation.experiment.title.clone(),
        is_paper: work.evaluation.experiment.is_paper,
        commits: commits.clone(),
        cells: cells.len(),
        jobs: work.jobs,
        threads: work.threads,
        files: names.iter().map(|&name| name.to_owned()).collect(),
    };
    names.push("provenance.toml");
    let file = store.file("provenance.toml");
    import::write_file(&file, provenance.to_toml().as_bytes()).map_err(StoreError::from)?;
    Ok(Assembled { files: names.iter().map(|name| store.file(name)).collect(), commits })
}

#[derive(Default)]
struct ResultRows {
    runs: Vec<RunRow>,
    volume: Vec<VolumeRow>,
    schemes: Vec<SchemeRow>,
    commits: Vec<String>,
}

impl ResultRows {
    fn collect(store: &Store, cells: &[GridCell]) -> Result<ResultRows, StoreError> {
        let mut rows = ResultRows::default();
        for cell in cells {
            let Some(result) = store.cell(cell)? else { continue };
            if cell.volume == Volume::BySecond {
                rows.volume.extend(volume_rows(&result));
            }
            if !rows.schemes.iter().any(|known| known.scheme == result.scheme.scheme) {
                rows.schemes.push(result.scheme);
            }
            rows.commits.push(result.commit);
            rows.runs.push(result.run);
        }
        let order = crate::schemes::canonical_names();
        let index = |row: &SchemeRow| order.iter().position(|name| *name == row.scheme);
        rows.schemes.sort_by_key(|row| index(row).unwrap_or(order.len()));
        rows.commits = distinct(rows.commits);
        Ok(rows)
    }
}

fn write<R: Serialize + Default>(path: &Path, rows: &[R]) -> Result<(), StoreError> {
    Ok(results::write(path, rows)?)
}

fn volume_rows(result: &CellResult) -> impl Iterator<Item = VolumeRow> {
    let CellResult { run, seconds, .. } = result;
    seconds.iter().map(|&[time, new, succeeded, expired, waiting, nodes, edges]| VolumeRow {
        map: run.map.clone(),
        users: run.users,
        configuration: run.configuration.clone(),
        scheme: run.scheme.clone(),
        view: run.view.clone(),
        seed: run.seed,
        time,
        new,
        succeeded,
        expired,
        waiting,
        nodes: nodes as usize,
        edges: edges as usize,
    })
}
