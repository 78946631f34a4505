//! Writes the result files from the stored cells, in the order of the grid.

use super::earlier::EarlierResults;
use super::work::COMMAND;
use super::{EvaluationError, Work};
use crate::distinct::distinct;
use crate::experiment::Volume;
use crate::grid::GridCell;
use crate::maps::MapPlan;
use crate::provenance::{Machine, RunProvenance};
use crate::result_file::{PROVENANCE, RUN_CRATES, ResultFile, merged};
use crate::results::{self, RunRow, SchemeRow, SkippedRow, VolumeRow, merge_skipped};
use crate::sample::{self, FILES, Sample};
use crate::stated_commits::stated_files;
use crate::store::{CellResult, Store, StoreError};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Written files, and commits of the programs that ran the cells.
pub(super) struct Assembled {
    pub files: Vec<PathBuf>,
    pub commits: Vec<String>,
}

/// Writes all result files. Rows of cells that are not stored are kept from the files in the folder.
pub(super) fn assemble(
    work: &Work<'_>,
    cells: &[GridCell],
    plans: &[MapPlan],
    machine: Machine,
) -> Result<Assembled, EvaluationError> {
    let store = work.store;
    let earlier = EarlierResults::read(store)?;
    let ResultRows { runs, volume, schemes, commits } =
        ResultRows::collect(store, cells, &earlier)?;
    let map = |plan| Ok::<_, StoreError>(store.map(plan)?.or_else(|| earlier.map(plan)));
    let maps: Vec<_> =
        plans.iter().filter_map(|plan| map(plan).transpose()).collect::<Result<_, _>>()?;
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
    let own = names.iter().map(|name| ResultFile::new(name, &commits, &RUN_CRATES));
    let own: Vec<ResultFile> = own.chain(work.keep_sample(&earlier.files)?).collect();
    let stated = stated_files(work.evaluation.out)?;
    names.extend(
        own[names.len()..].iter().filter_map(|file| FILES.iter().find(|n| **n == file.name)),
    );
    let provenance = RunProvenance {
        program: work.evaluation.program.clone(),
        machine,
        title: work.evaluation.experiment.title.clone(),
        is_paper: work.evaluation.experiment.is_paper,
        commits: commits.clone(),
        cells: runs.len(),
        jobs: work.jobs,
        threads: work.threads,
        files: merged([own, stated].concat(), earlier.files, work.evaluation.out),
    };
    names.push(PROVENANCE);
    let file = store.file(PROVENANCE);
    import::write_file(&file, provenance.to_toml().as_bytes()).map_err(StoreError::from)?;
    Ok(Assembled { files: names.iter().map(|name| store.file(name)).collect(), commits })
}

impl Work<'_> {
    /// Stores the sample if the evaluation wants one; returns its entries.
    fn keep_sample(&self, earlier: &[ResultFile]) -> Result<Vec<ResultFile>, EvaluationError> {
        if !self.evaluation.with_sample {
            return Ok(Vec::new());
        }
        let commit = &self.evaluation.program.commit;
        let computed = Sample::compute().map_err(Box::new)?;
        let kept = sample::keep(self.evaluation.out, commit, earlier, &computed);
        Ok(kept.map_err(StoreError::from)?)
    }
}

#[derive(Default)]
struct ResultRows {
    runs: Vec<RunRow>,
    volume: Vec<VolumeRow>,
    schemes: Vec<SchemeRow>,
    commits: Vec<String>,
}

impl ResultRows {
    fn collect(
        store: &Store,
        cells: &[GridCell],
        earlier: &EarlierResults,
    ) -> Result<ResultRows, StoreError> {
        let mut rows = ResultRows::default();
        for cell in cells {
            match store.cell(cell)? {
                Some(result) => rows.add(cell, result),
                None => rows.add_earlier(cell, earlier),
            }
        }
        let order = crate::schemes::canonical_names();
        let index = |row: &SchemeRow| order.iter().position(|name| *name == row.scheme);
        rows.schemes.sort_by_key(|row| index(row).unwrap_or(order.len()));
        rows.commits = distinct(rows.commits);
        Ok(rows)
    }

    fn add(&mut self, cell: &GridCell, result: CellResult) {
        if cell.volume == Volume::BySecond {
            self.volume.extend(volume_rows(&result));
        }
        self.add_scheme(result.scheme);
        self.commits.push(result.commit);
        self.runs.push(result.run);
    }

    /// Adds the rows of a cell that is not stored, if the folder has them.
    fn add_earlier(&mut self, cell: &GridCell, earlier: &EarlierResults) {
        let Some(run) = earlier.run(cell) else { return };
        self.volume.extend(earlier.volume(run));
        let (name, _) = crate::schemes::presence(&run.scheme);
        if let Some(row) = earlier.schemes.iter().find(|row| row.scheme == name) {
            self.add_scheme(row.clone());
        }
        self.commits.extend(earlier.commits());
        self.runs.push(run.clone());
    }

    fn add_scheme(&mut self, scheme: SchemeRow) {
        if !self.schemes.iter().any(|known| known.scheme == scheme.scheme) {
            self.schemes.push(scheme);
        }
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
