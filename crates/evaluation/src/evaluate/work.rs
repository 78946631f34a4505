//! Runs the cells of an evaluation.

use super::estimate::Estimate;
use super::workload_cache::WorkloadCache;
use super::{CellProgress, Evaluation, EvaluationError, Shard};
use crate::costs::Costs;
use crate::experiment::TimeModel;
use crate::grid::GridCell;
use crate::maps::{DC_MAX, MapPlan};
use crate::results::{SchemeRow, SkippedRow};
use crate::run::{Conditions, TICK, run};
use crate::schemes;
use crate::store::{CellResult, Store};
use crate::workload::{self, Workload};
use baselines::SchemeError;
use meshcloak::distance::Atlas;
use meshcloak::scheme::{Pace, Scheme};
use meshcloak::units::Length;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Name of this evaluation in `skipped.csv`.
pub(super) const COMMAND: &str = "evaluate";

/// An evaluation in progress.
pub(super) struct Work<'a> {
    pub(super) evaluation: &'a Evaluation<'a>,
    pub(super) store: &'a Store,
    pub(super) jobs: usize,
    pub(super) threads: usize,
    pub(super) observer: &'a dyn CellProgress,
    pub(super) estimate: Mutex<Estimate>,
    pub(super) known: usize,
    pub(super) total: usize,
    /// Schemes that cannot run on a map.
    pub(super) skipped: Mutex<BTreeSet<SkippedRow>>,
}

impl Work<'_> {
    pub(super) fn report_progress(&self) {
        let estimate = self.estimate.lock();
        let done = self.known + estimate.finished_cells();
        self.observer.progress(done, self.total, estimate.remaining(self.jobs));
    }

    /// Runs the cells that do not depend on the clock, by map.
    pub(super) fn run_answers(
        &self,
        plans: &[MapPlan],
        own: &[&GridCell],
        pending: &[&GridCell],
    ) -> Result<(), EvaluationError> {
        if !self.evaluation.pass.includes(TimeModel::Unlimited) {
            return Ok(());
        }
        for plan in plans {
            let is_here = |cell: &&GridCell| cell.population.map == *plan;
            let runs = |cell: &&GridCell| is_here(cell) && !cell.view.needs_quiet_machine();
            let cells: Vec<&GridCell> = pending.iter().copied().filter(runs).collect();
            // A map without cells of the shard is read by another shard.
            let is_needed = self.evaluation.shard == Shard::ALL || own.iter().any(is_here);
            let is_known = cells.is_empty() && self.store.map(plan)?.is_some();
            if is_needed && !is_known {
                self.run_map(plan, &cells, self.jobs, self.threads)?;
            }
        }
        Ok(())
    }

    /// Runs cells of one map in `jobs` concurrent threads; the first error stops the remaining ones.
    fn run_map(
        &self,
        plan: &MapPlan,
        cells: &[&GridCell],
        jobs: usize,
        threads: usize,
    ) -> Result<(), EvaluationError> {
        if self.observer.is_stopped() {
            return Ok(());
        }
        let (atlas, row) = plan.prepare()?;
        self.store.keep_map(plan, &row)?;
        let pools = (0..jobs).map(|_| rayon::ThreadPoolBuilder::new().num_threads(threads).build());
        let pools = pools.collect::<Result<Vec<_>, _>>()?;
        let (workloads, next) = (WorkloadCache::new(cells), AtomicUsize::new(0));
        let first_error = Mutex::new(None);
        let run_cells = || {
            while let Some(&cell) = cells.get(next.fetch_add(1, Ordering::Relaxed)) {
                if self.observer.is_stopped() {
                    return;
                }
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

    pub(super) fn run_cell(
        &self,
        cell: &GridCell,
        atlas: &Arc<Atlas>,
        workloads: &WorkloadCache,
    ) -> Result<(), EvaluationError> {
        let begun = Instant::now();
        let (name, _) = schemes::presence(&cell.scheme);
        if let Err(problem @ SchemeError::Map { .. }) = schemes::by_name(atlas, name) {
            workloads.release(&cell.population);
            self.observer.skipped(&cell.population.map.name, &problem);
            self.skipped.lock().insert(SkippedRow {
                command: COMMAND.to_owned(),
                map: cell.population.map.name.clone(),
                scheme: cell.scheme.clone(),
                reason: problem.to_string(),
                commit: self.evaluation.program.commit.clone(),
            });
            return Ok(());
        }
        let workload = self.workload(cell, atlas, workloads)?;
        let costs = self.costs(cell)?;
        let (result, costs) = match (cell.view, &costs) {
            // Replayed costs do not depend on the load.
            (TimeModel::RealTime, Costs::Measured(_)) | (TimeModel::Timed, _) => {
                self.run_timed(cell, atlas, &workload, &costs)?
            }
            _ => self.run_once(cell, atlas, &workload, costs)?,
        };
        self.keep_costs(cell, &costs)?;
        self.store.keep(cell, &result)?;
        workloads.release(&cell.population);
        self.estimate.lock().record(cell, begun.elapsed());
        self.report_progress();
        Ok(())
    }

    /// Returns the workload of a cell. The result does not depend on the threads of the current pool.
    pub(super) fn workload(
        &self,
        cell: &GridCell,
        atlas: &Atlas,
        workloads: &WorkloadCache,
    ) -> Result<Arc<Workload>, EvaluationError> {
        workloads.get_or_generate(&cell.population, || {
            let workload = workload::generate(&cell.population, atlas.map(), self.evaluation.maps)?;
            self.report_left_out(cell, &workload);
            Ok(workload)
        })
    }

    /// Says how many queries of recorded trips are outside the connected part of the map.
    fn report_left_out(&self, cell: &GridCell, workload: &Workload) {
        let (left_out, kept) = (workload.left_out, workload.queries.len());
        if left_out > 0 {
            self.observer.note(&format!(
                "{}: {left_out} of {} queries of recorded trips left out; their streets are outside \
                 the largest strongly connected component",
                cell.population.map.name,
                left_out + kept
            ));
        }
    }

    pub(super) fn run_once(
        &self,
        cell: &GridCell,
        atlas: &Arc<Atlas>,
        workload: &Workload,
        mut costs: Costs,
    ) -> Result<(CellResult, Costs), EvaluationError> {
        let (name, presence) = schemes::presence(&cell.scheme);
        let mut scheme = schemes::by_name(atlas, name)?;
        let conditions = Conditions {
            tolerance: Duration::from_millis(cell.dt.into()),
            dc_max: Length::metres(DC_MAX),
            presence,
            tick: TICK,
            lag: if cell.view == TimeModel::After { TICK } else { Duration::ZERO },
            is_held: false,
        };
        let result = run(scheme.as_mut(), atlas.map(), workload, conditions, &mut costs);
        let jobs = if cell.view.needs_quiet_machine() { 1 } else { self.jobs };
        let result = CellResult {
            commit: self.evaluation.program.commit.clone(),
            run: cell.row(jobs).with(&result.tally),
            scheme: scheme_row(name, scheme.as_ref()),
            seconds: CellResult::pack(&result.seconds),
        };
        Ok((result, costs))
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
