//! Runs an experiment: by map, then by cell, with several concurrent jobs. Stored cells do not run
//! again. The result files follow the order of the grid, not the order of completion.

mod assemble;
mod estimate;
mod shard;
mod workload_cache;

pub use shard::Shard;

use crate::costs::Costs;
use crate::experiment::{Experiment, TimeModel};
use crate::grid::{self, GridCell};
use crate::maps::{DC_MAX, MapPlan};
use crate::provenance::{Machine, Program};
use crate::results::SchemeRow;
use crate::run::{Conditions, TICK, run};
use crate::schemes;
use crate::store::{CellResult, Store, StoreError};
use crate::workload::{self, Workload, WorkloadError};
use assemble::{Assembled, assemble};
use baselines::SchemeError;
use estimate::Estimate;
use import::ImportError;
use meshcloak::distance::Atlas;
use meshcloak::scheme::{Pace, Scheme};
use meshcloak::units::Length;
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use workload_cache::WorkloadCache;

/// An experiment and how to run it.
#[derive(Clone, Debug)]
pub struct Evaluation<'a> {
    /// The experiment.
    pub experiment: &'a Experiment,
    /// Output folder.
    pub out: &'a Path,
    /// Map folder; `None` replaces named maps by the built-in city.
    pub maps: Option<&'a Path>,
    /// Largest number of concurrent cells; free memory may lower it.
    pub jobs: usize,
    /// Threads per cell; by default the cores divided by the jobs.
    pub threads: Option<usize>,
    /// Output folder of an earlier evaluation whose recorded costs the real-time view replays.
    pub costs: Option<&'a Path>,
    /// Cells to run; the result files hold all stored cells.
    pub shard: Shard,
    /// The running program, for the provenance.
    pub program: Program,
}

/// Summary of a completed evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvaluationSummary {
    /// Number of cells of the shard.
    pub cells: usize,
    /// Number of cells of the shard that were stored before.
    pub known: usize,
    /// Number of concurrent cells.
    pub jobs: usize,
    /// Commits of the programs that ran the cells.
    pub commits: Vec<String>,
    /// Paths of the result files.
    pub files: Vec<PathBuf>,
}

/// Receives the progress of an evaluation.
pub trait CellProgress: Sync {
    /// Reports `done` of `total` cells and the estimated remaining time, if known.
    fn progress(&self, done: usize, total: usize, remaining: Option<Duration>);

    /// Reports that a scheme cannot run on a map; its cells are skipped.
    fn skipped(&self, map: &str, problem: &SchemeError);
}

/// Ignores all reports.
impl CellProgress for () {
    fn progress(&self, _: usize, _: usize, _: Option<Duration>) {}

    fn skipped(&self, _: &str, _: &SchemeError) {}
}

/// Why an evaluation stopped. Completed cells stay stored.
#[derive(Debug, thiserror::Error)]
pub enum EvaluationError {
    /// A map cannot be read.
    #[error(transparent)]
    Map(#[from] ImportError),
    /// A workload cannot be generated.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// The output folder cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The scheme is unknown.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// The recorded costs belong to another run: file, recorded turns, replayed turns.
    #[error("{}: {} turns recorded, {} turns replayed; the costs belong to another run", .0.display(), .1, .2)]
    Costs(PathBuf, usize, usize),
    /// The threads cannot be started.
    #[error("cannot start worker threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// Runs all cells that are not stored, and writes the result files.
pub fn evaluate(
    evaluation: &Evaluation<'_>,
    observer: &dyn CellProgress,
) -> Result<EvaluationSummary, EvaluationError> {
    let Evaluation { experiment, out, maps, .. } = *evaluation;
    let cells = grid::cells(experiment, maps)?;
    let plans = grid::maps(experiment, maps)?;
    let store = Store::open(out)?;
    let own: Vec<&GridCell> = cells
        .iter()
        .enumerate()
        .filter(|(at, _)| evaluation.shard.has(*at))
        .map(|(_, c)| c)
        .collect();
    let pending: Vec<&GridCell> = own.iter().copied().filter(|cell| !store.has(cell)).collect();
    let machine = Machine::detect();
    let jobs = max_jobs(evaluation.jobs, &pending, &machine);
    let work = Work {
        evaluation,
        store: &store,
        jobs,
        threads: evaluation.threads.unwrap_or(machine.cores / jobs).max(1),
        observer,
        estimate: Mutex::new(Estimate::new(&pending)),
        known: own.len() - pending.len(),
        total: own.len(),
    };
    work.report_progress();
    for plan in &plans {
        let is_here = |cell: &&GridCell| cell.population.map == *plan;
        // A map without cells of the shard is read by another shard.
        if evaluation.shard == Shard::ALL || own.iter().any(is_here) {
            work.run_map(plan, &pending.iter().copied().filter(is_here).collect::<Vec<_>>())?;
        }
    }
    let Assembled { files, commits } = assemble(&work, &cells, &plans, machine)?;
    Ok(EvaluationSummary { cells: own.len(), known: work.known, jobs: work.jobs, commits, files })
}

/// Returns how many cells fit into three quarters of the free memory, at most `wanted`. A cell
/// holds a workload and the graph of its waiting queries.
fn max_jobs(wanted: usize, cells: &[&GridCell], machine: &Machine) -> usize {
    const BYTES_PER_USER: usize = 3_000;
    const QUERIES_PER_USER: usize = 11;
    let users = cells.iter().map(|cell| cell.population.users as usize).max().unwrap_or(0);
    let each = Workload::bytes(users * QUERIES_PER_USER) + users * BYTES_PER_USER;
    let free = machine.free_mb as usize * 1024 * 1024 / 4 * 3;
    let fitting = if machine.free_mb == 0 || each == 0 { wanted } else { free / each };
    wanted.min(fitting).max(1)
}

/// An evaluation in progress.
struct Work<'a> {
    evaluation: &'a Evaluation<'a>,
    store: &'a Store,
    jobs: usize,
    threads: usize,
    observer: &'a dyn CellProgress,
    estimate: Mutex<Estimate>,
    known: usize,
    total: usize,
}

impl Work<'_> {
    fn report_progress(&self) {
        let estimate = self.estimate.lock();
        let done = self.known + estimate.finished_cells();
        self.observer.progress(done, self.total, estimate.remaining(self.jobs));
    }

    /// Runs the cells of one map; the first error stops the remaining ones.
    fn run_map(&self, plan: &MapPlan, cells: &[&GridCell]) -> Result<(), EvaluationError> {
        if cells.is_empty() && self.store.map(plan)?.is_some() {
            return Ok(());
        }
        let (atlas, row) = plan.prepare()?;
        self.store.keep_map(plan, &row)?;
        let pools = (0..self.jobs)
            .map(|_| rayon::ThreadPoolBuilder::new().num_threads(self.threads).build());
        let pools = pools.collect::<Result<Vec<_>, _>>()?;
        let (workloads, next) = (WorkloadCache::new(cells), AtomicUsize::new(0));
        let first_error = Mutex::new(None);
        let run_cells = || {
            while let Some(&cell) = cells.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Err(error) = self.run_cell(cell, &atlas, &workloads) {
                    next.store(cells.len(), Ordering::Relaxed);
                    first_error.lock().get_or_insert(error);
                }
            }
        };
        std::thread::scope(|scope| {
            for pool in &pools {
                scope.spawn(|| pool.install(run_cells));
            }
        });
        first_error.into_inner().map_or(Ok(()), Err)
    }

    fn run_cell(
        &self,
        cell: &GridCell,
        atlas: &Arc<Atlas>,
        workloads: &WorkloadCache,
    ) -> Result<(), EvaluationError> {
        let begun = Instant::now();
        let (name, presence) = schemes::presence(&cell.scheme);
        let mut scheme = match schemes::by_name(atlas, name) {
            Err(problem @ SchemeError::Map { .. }) => {
                workloads.release(&cell.population);
                self.observer.skipped(&cell.population.map.name, &problem);
                return Ok(());
            }
            built => built?,
        };
        let workload = workloads.get_or_generate(&cell.population, || {
            workload::generate(&cell.population, atlas.map(), self.evaluation.maps)
        })?;
        let conditions = Conditions {
            tolerance: Duration::from_millis(cell.dt.into()),
            dc_max: Length::metres(DC_MAX),
            presence,
            tick: TICK,
            lag: if cell.view == TimeModel::After { TICK } else { Duration::ZERO },
        };
        let mut costs = self.costs(cell)?;
        let result = run(scheme.as_mut(), atlas.map(), &workload, conditions, &mut costs);
        self.keep_costs(cell, &costs)?;
        let result = CellResult {
            commit: self.evaluation.program.commit.clone(),
            run: cell.row(self.jobs).with(&result.tally),
            scheme: scheme_row(name, scheme.as_ref()),
            seconds: CellResult::pack(&result.seconds),
        };
        self.store.keep(cell, &result)?;
        workloads.release(&cell.population);
        self.estimate.lock().record(cell, begun.elapsed());
        self.report_progress();
        Ok(())
    }

    /// Returns free costs in the unlimited view, else recorded costs if there are any, else
    /// measured costs.
    fn costs(&self, cell: &GridCell) -> Result<Costs, EvaluationError> {
        if cell.view != TimeModel::RealTime {
            return Ok(Costs::Free);
        }
        let recorded = match self.evaluation.costs {
            Some(folder) => Store::reading(folder).costs(cell)?,
            None => self.store.costs(cell)?,
        };
        Ok(recorded.map_or(Costs::Measured(Vec::new()), |record| Costs::Recorded(record, 0)))
    }

    /// Stores measured costs and costs replayed from another folder. Fails if the replayed costs
    /// belong to another run.
    fn keep_costs(&self, cell: &GridCell, costs: &Costs) -> Result<(), EvaluationError> {
        match costs {
            Costs::Measured(record) => self.store.keep_costs(cell, record)?,
            Costs::Recorded(record, replayed) if !costs.is_complete() => {
                let path = self.store.costs_file(cell);
                return Err(EvaluationError::Costs(path, record.len(), *replayed));
            }
            Costs::Recorded(record, _) if self.evaluation.costs.is_some() => {
                self.store.keep_costs(cell, record)?;
            }
            _ => (),
        }
        Ok(())
    }
}

/// Returns the row of a scheme in `schemes.csv`.
fn scheme_row(name: &str, scheme: &dyn Scheme) -> SchemeRow {
    let description = scheme.describe();
    SchemeRow {
        scheme: name.to_owned(),
        setting: description.setting.to_owned(),
        cliques: description.cliques.to_owned(),
        constraint: description.constraint.to_owned(),
        pace: match description.pace {
            Pace::Batch => "batch".to_owned(),
            Pace::Sequential => "one by one".to_owned(),
        },
    }
}
