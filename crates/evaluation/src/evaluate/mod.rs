//! Runs an experiment: map by map, tape by tape, cell by cell, several at once if wanted; what is
//! done already is not done again. Then the files of results are put together in the order of the
//! grid, so that they do not depend on who was done first.

mod assemble;
mod estimate;
mod shelf;

use crate::costs::Costs;
use crate::experiment::{Experiment, View};
use crate::grid::{self, Cell};
use crate::maps::{DC_MAX, MapPlan};
use crate::people::CrowdError;
use crate::provenance::{Machine, Program};
use crate::results::SchemeRow;
use crate::run::{Conditions, run};
use crate::schemes;
use crate::store::{Done, Store, StoreError};
use crate::tape::Tape;
use estimate::Estimate;
use import::ImportError;
use meshcloak::distance::Atlas;
use meshcloak::scheme::{Pace, Scheme};
use meshcloak::units::Length;
use shelf::Shelf;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What is to be done, and where.
#[derive(Clone, Debug)]
pub struct Evaluation<'a> {
    /// What to try.
    pub experiment: &'a Experiment,
    /// The folder of results.
    pub out: &'a Path,
    /// The folder of maps, if there is one.
    pub maps: Option<&'a Path>,
    /// How many cells may run at once; fewer do where memory does not allow it.
    pub jobs: usize,
    /// How many threads each of them has; unless given, the cores are shared out.
    pub threads: Option<usize>,
    /// The folder of an earlier evaluation whose costs are replayed in the real-time view.
    pub costs: Option<&'a Path>,
    /// For the results.
    pub program: Program,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Cells of the experiment.
    pub cells: usize,
    /// Those of them that were done before.
    pub known: usize,
    /// How many ran at once.
    pub jobs: usize,
    /// Commits of the programs that ran them.
    pub commits: Vec<String>,
    /// The files of results.
    pub files: Vec<PathBuf>,
}

/// Is told how it goes.
pub trait Witness: Sync {
    /// So many of so many cells are done, and the others will take about so long, if that can be
    /// said.
    fn progress(&self, done: usize, of: usize, left: Option<Duration>);
}

/// Nobody looks.
impl Witness for () {
    fn progress(&self, _: usize, _: usize, _: Option<Duration>) {}
}

/// Why an evaluation ended early. What was done until then is kept.
#[derive(Debug, thiserror::Error)]
pub enum EvaluationError {
    /// A map that cannot be read.
    #[error(transparent)]
    Map(#[from] ImportError),
    /// A crowd that there is not.
    #[error(transparent)]
    Crowd(#[from] CrowdError),
    /// The folder of results.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Nobody knows that scheme.
    #[error("no scheme `{0}`; expected one of {1}")]
    Scheme(String, String),
    /// Costs of another run.
    #[error("{}: {} turns recorded, {} replayed; it is of another run", .0.display(), .1, .2)]
    Costs(PathBuf, usize, usize),
    /// The system gives no threads.
    #[error("no threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// Runs whatever is not done yet, and writes the files of results.
pub fn evaluate(
    evaluation: &Evaluation<'_>,
    witness: &dyn Witness,
) -> Result<Finished, EvaluationError> {
    let Evaluation { experiment, out, maps, .. } = *evaluation;
    let cells = grid::cells(experiment, maps)?;
    let plans = grid::maps(experiment, maps)?;
    let store = Store::open(out)?;
    let pending: Vec<&Cell> = cells.iter().filter(|cell| !store.has(cell)).collect();
    let machine = Machine::here();
    let jobs = allowed(evaluation.jobs, &pending, &machine);
    let work = Work {
        evaluation,
        store: &store,
        jobs,
        threads: evaluation.threads.unwrap_or(machine.cores / jobs).max(1),
        witness,
        estimate: Mutex::new(Estimate::new(&pending)),
        known: cells.len() - pending.len(),
        total: cells.len(),
    };
    work.tell();
    for plan in &plans {
        let of_map = pending.iter().copied().filter(|cell| cell.crowd.map == *plan);
        work.map(plan, &of_map.collect::<Vec<_>>())?;
    }
    let (files, commits) = assemble::assemble(&work, &cells, &plans, machine)?;
    Ok(Finished { cells: cells.len(), known: work.known, jobs: work.jobs, commits, files })
}

/// How many cells may run at once: each holds a tape, and a graph of those who wait.
fn allowed(wanted: usize, cells: &[&Cell], machine: &Machine) -> usize {
    const BYTES_OF_A_USER: usize = 3_000;
    let users = cells.iter().map(|cell| cell.crowd.users as usize).max().unwrap_or(0);
    let each = Tape::bytes(users * 11) + users * BYTES_OF_A_USER;
    let free = machine.free_mb as usize * 1024 * 1024 / 4 * 3;
    let room = if machine.free_mb == 0 || each == 0 { wanted } else { free / each };
    wanted.min(room).max(1)
}

/// An evaluation under way.
struct Work<'a> {
    evaluation: &'a Evaluation<'a>,
    store: &'a Store,
    jobs: usize,
    threads: usize,
    witness: &'a dyn Witness,
    estimate: Mutex<Estimate>,
    known: usize,
    total: usize,
}

impl Work<'_> {
    fn tell(&self) {
        let estimate = self.estimate.lock().unwrap_or_else(PoisonError::into_inner);
        let done = self.known + estimate.done();
        self.witness.progress(done, self.total, estimate.left(self.jobs));
    }

    /// Runs the cells of a map.
    fn map(&self, plan: &MapPlan, cells: &[&Cell]) -> Result<(), EvaluationError> {
        if cells.is_empty() && self.store.map(plan)?.is_some() {
            return Ok(());
        }
        let (atlas, row) = plan.prepare()?;
        self.store.keep_map(plan, &row)?;
        let shelf = Shelf::new(cells);
        let next = AtomicUsize::new(0);
        let failed = Mutex::new(None);
        let pools = (0..self.jobs)
            .map(|_| rayon::ThreadPoolBuilder::new().num_threads(self.threads).build());
        let pools = pools.collect::<Result<Vec<_>, _>>()?;
        let (shelf, atlas) = (&shelf, &atlas);
        let (next, failed) = (&next, &failed);
        std::thread::scope(|scope| {
            for pool in &pools {
                scope.spawn(move || {
                    pool.install(|| {
                        while let Some(&cell) = cells.get(next.fetch_add(1, Ordering::Relaxed)) {
                            if let Err(error) = self.cell(cell, atlas, shelf) {
                                next.store(cells.len(), Ordering::Relaxed);
                                let mut failed =
                                    failed.lock().unwrap_or_else(PoisonError::into_inner);
                                failed.get_or_insert(error);
                            }
                        }
                    });
                });
            }
        });
        let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.take().map_or(Ok(()), Err)
    }

    fn cell(&self, cell: &Cell, atlas: &Arc<Atlas>, shelf: &Shelf) -> Result<(), EvaluationError> {
        let begun = Instant::now();
        let tape = shelf.take(&cell.crowd, || {
            crate::people::tape(&cell.crowd, atlas.map(), self.evaluation.maps)
        })?;
        let (name, presence) = schemes::presence(&cell.scheme);
        let mut scheme = schemes::by_name(atlas, name).ok_or_else(|| {
            EvaluationError::Scheme(cell.scheme.clone(), schemes::names().join(", "))
        })?;
        let conditions = Conditions {
            tolerance: Duration::from_millis(cell.dt.into()),
            dc_max: Length::metres(DC_MAX),
            presence,
        };
        let mut costs = self.costs(cell)?;
        let ran = run(scheme.as_mut(), atlas.map(), &tape, conditions, &mut costs);
        self.settle(cell, &costs)?;
        let done = Done {
            commit: self.evaluation.program.commit.clone(),
            run: cell.row(self.jobs).with(&ran.tally),
            scheme: described(scheme.as_ref()),
            seconds: Done::kept(&ran.seconds),
        };
        self.store.keep(cell, &done)?;
        shelf.give_back(&cell.crowd);
        self.estimate.lock().unwrap_or_else(PoisonError::into_inner).took(cell, begun.elapsed());
        self.tell();
        Ok(())
    }

    /// Nothing in the unlimited view; what was recorded, if anything was; otherwise the clock.
    fn costs(&self, cell: &Cell) -> Result<Costs, EvaluationError> {
        if cell.view == View::Unlimited {
            return Ok(Costs::Free);
        }
        let recorded = match self.evaluation.costs {
            Some(folder) => Store::reading(folder).costs(cell)?,
            None => self.store.costs(cell)?,
        };
        Ok(recorded.map_or(Costs::Measured(Vec::new()), |record| Costs::Recorded(record, 0)))
    }

    /// Keeps what was measured; what was replayed must have been of the same run.
    fn settle(&self, cell: &Cell, costs: &Costs) -> Result<(), EvaluationError> {
        match costs {
            Costs::Measured(record) => self.store.keep_costs(cell, record)?,
            Costs::Recorded(record, replayed) if !costs.fit() => {
                let path = self.store.costs_file(cell);
                return Err(EvaluationError::Costs(path, record.len(), *replayed));
            }
            // Whoever replays these results needs them, too.
            Costs::Recorded(record, _) if self.evaluation.costs.is_some() => {
                self.store.keep_costs(cell, record)?;
            }
            _ => (),
        }
        Ok(())
    }
}

/// A scheme in its own words.
fn described(scheme: &dyn Scheme) -> SchemeRow {
    let description = scheme.describe();
    SchemeRow {
        scheme: scheme.name().to_owned(),
        setting: description.setting.to_owned(),
        cliques: description.cliques.to_owned(),
        constraint: description.constraint.to_owned(),
        pace: match description.pace {
            Pace::Batch => "batch".to_owned(),
            Pace::Sequential => "one by one".to_owned(),
        },
    }
}
