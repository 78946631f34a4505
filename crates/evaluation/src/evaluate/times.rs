//! The pass of the runs that depend on the clock: one run at a time, nothing beside it.
//!
//! Only the runs themselves must be alone on one thread. A map is prepared once for all its runs and
//! each workload is generated once, both on all cores.

use super::workload_cache::WorkloadCache;
use super::{EvaluationError, Work};
use crate::costs::Costs;
use crate::experiment::TimeModel;
use crate::grid::GridCell;
use crate::load::{RunLoad, repeat_until_quiet};
use crate::maps::MapPlan;
use crate::matrix_growth::matrix_growth;
use crate::results::{RunRow, rounded};
use crate::store::CellResult;
use crate::workload::Workload;
use meshcloak::distance::Atlas;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use std::sync::Arc;

impl Work<'_> {
    /// Runs the cells that depend on the clock, by map, and times the distance matrix.
    pub(super) fn run_times(
        &self,
        plans: &[MapPlan],
        pending: &[&GridCell],
    ) -> Result<(), EvaluationError> {
        if !self.evaluation.pass.includes(TimeModel::Timed) {
            return Ok(());
        }
        for plan in plans {
            let is_here =
                |cell: &&GridCell| cell.population.map == *plan && cell.view.needs_quiet_machine();
            let cells = by_population(pending.iter().copied().filter(is_here));
            if !cells.is_empty() && !self.observer.is_stopped() {
                self.run_times_of(plan, &cells)?;
            }
        }
        self.time_matrix()
    }

    /// Runs cells of one map one after the other, on one thread. Runs in real time have the threads
    /// of the evaluation if it states them.
    fn run_times_of(&self, plan: &MapPlan, cells: &[&GridCell]) -> Result<(), EvaluationError> {
        let (atlas, row) = plan.prepare()?;
        self.store.keep_map(plan, &row)?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let (all, several, one) =
            (pool(cores)?, pool(self.evaluation.threads.unwrap_or(1))?, pool(1)?);
        let workloads = WorkloadCache::new(cells);
        for cell in cells {
            if self.observer.is_stopped() {
                break;
            }
            all.install(|| self.workload(cell, &atlas, &workloads))?;
            let pool = if cell.view == TimeModel::RealTime { &several } else { &one };
            pool.install(|| self.run_cell(cell, &atlas, &workloads))?;
        }
        Ok(())
    }

    /// Runs a cell again while other processes load the machine, and records their load. Each attempt
    /// begins with the same costs.
    pub(super) fn run_timed(
        &self,
        cell: &GridCell,
        atlas: &Arc<Atlas>,
        workload: &Workload,
        costs: &Costs,
    ) -> Result<(CellResult, Costs), EvaluationError> {
        let attempt = || {
            let run = || self.run_once(cell, atlas, workload, costs.clone());
            let (result, load) = RunLoad::around(run);
            Ok::<_, EvaluationError>((result?, load))
        };
        let ((mut result, costs), load, repeats) = repeat_until_quiet(attempt)?;
        result.run = RunRow {
            load_before: load.before.map(rounded),
            load_during: load.during.map(rounded),
            load_after: load.after.map(rounded),
            repeats,
            ..result.run
        };
        Ok((result, costs))
    }

    /// Times the distance matrix of the experiment's map unless it is stored.
    fn time_matrix(&self) -> Result<(), EvaluationError> {
        let name = &self.evaluation.experiment.matrix_map;
        if name.is_empty() || self.store.matrix()?.is_some() || self.observer.is_stopped() {
            return Ok(());
        }
        let plan = MapPlan::of(name, self.evaluation.maps)?;
        let map = plan.read()?.map;
        let rows = pool(1)?
            .install(|| matrix_growth(&plan.name, &map))
            .map_err(|error| EvaluationError::Part(plan.name, error))?;
        Ok(self.store.keep_matrix(&rows)?)
    }
}

fn pool(threads: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(threads).build()
}

/// Orders cells so that those of one population follow one another: each workload is in memory once.
fn by_population<'a>(cells: impl Iterator<Item = &'a GridCell>) -> Vec<&'a GridCell> {
    let mut groups: Vec<Vec<&GridCell>> = Vec::new();
    for cell in cells {
        let same = |group: &&mut Vec<&GridCell>| {
            group.first().is_some_and(|first| first.population == cell.population)
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(cell),
            None => groups.push(vec![cell]),
        }
    }
    groups.concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;
    use std::path::Path;

    #[test]
    fn cells_of_a_population_follow_one_another() {
        let cells = crate::grid::cells(&Experiment::paper(), Some(Path::new("maps"))).unwrap();
        let clocked = || cells.iter().filter(|cell| cell.view.needs_quiet_machine());
        let ordered = by_population(clocked());
        let runs = ordered.chunk_by(|a, b| a.population == b.population).count();
        let populations = WorkloadCache::new(&ordered).len();
        assert_eq!((ordered.len(), runs), (clocked().count(), populations));
        let before = clocked().collect::<Vec<_>>();
        assert!(before.chunk_by(|a, b| a.population == b.population).count() > populations);
    }
}
