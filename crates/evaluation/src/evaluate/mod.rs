//! Runs an experiment: by map, then by cell, with several concurrent jobs. Stored cells do not run
//! again. The result files follow the order of the grid, not the order of completion.
//!
//! Runs that depend on the clock come last, in a pass of their own with one run at a time.

mod assemble;
mod earlier;
mod estimate;
mod pass;
mod shard;
mod times;
mod work;
mod workload_cache;

pub use pass::Pass;
pub use shard::Shard;

use crate::experiment::Experiment;
use crate::grid::{self, GridCell};
use crate::provenance::{Machine, Program};
use crate::results::MergeError;
use crate::sample::SampleError;
use crate::store::{Store, StoreError};
use crate::workload::{Workload, WorkloadError};
use assemble::{Assembled, assemble};
use baselines::SchemeError;
use estimate::Estimate;
use import::ImportError;
use meshcloak::map::MapError;
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::time::Duration;
use work::Work;

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
    /// Passes to run.
    pub pass: Pass,
    /// Whether to store the sample of [`crate::sample`] beside the results.
    pub with_sample: bool,
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

    /// Reports what the user should know about the input.
    fn note(&self, _text: &str) {}

    /// Whether to end after the running cells. Completed cells are in the result files.
    fn is_stopped(&self) -> bool {
        false
    }
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
    /// The list of skipped schemes cannot be read or written.
    #[error(transparent)]
    Skipped(#[from] MergeError),
    /// The sample cannot be computed.
    #[error(transparent)]
    Sample(#[from] Box<SampleError>),
    /// The scheme is unknown.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// The recorded costs belong to another run: file, recorded turns, replayed turns.
    #[error("{}: {} turns recorded, {} turns replayed; the costs belong to another run", .0.display(), .1, .2)]
    Costs(PathBuf, usize, usize),
    /// A part of a map has no street.
    #[error("map {0}: {1}")]
    Part(String, MapError),
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
    let own: Vec<&GridCell> =
        own.into_iter().filter(|cell| evaluation.pass.includes(cell.view)).collect();
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
        skipped: Mutex::default(),
    };
    work.report_progress();
    work.run_answers(&plans, &own, &pending)?;
    work.run_times(&plans, &pending)?;
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
