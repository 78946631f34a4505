//! Reference-counted cache of workloads: each is generated for the first cell that needs it and
//! dropped after the last.

use crate::grid::{GridCell, Population};
use crate::workload::Workload;
use parking_lot::Mutex;
use std::sync::Arc;

pub(super) struct WorkloadCache {
    entries: Vec<(Population, Mutex<CachedWorkload>)>,
}

struct CachedWorkload {
    workload: Option<Arc<Workload>>,
    /// Number of unfinished cells that need the workload.
    pending: usize,
}

impl WorkloadCache {
    pub(super) fn new(cells: &[&GridCell]) -> WorkloadCache {
        let mut entries: Vec<(Population, Mutex<CachedWorkload>)> = Vec::new();
        for cell in cells {
            match entries.iter_mut().find(|(known, _)| *known == cell.population) {
                Some((_, entry)) => entry.get_mut().pending += 1,
                None => {
                    let entry = CachedWorkload { workload: None, pending: 1 };
                    entries.push((cell.population.clone(), Mutex::new(entry)));
                }
            }
        }
        WorkloadCache { entries }
    }

    /// Number of different workloads.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    fn entry(&self, population: &Population) -> &Mutex<CachedWorkload> {
        let found = self.entries.iter().find(|(known, _)| known == population);
        &found.expect("the population of every cell has an entry").1
    }

    /// Returns the workload of a population, generating it on first use. Concurrent callers wait
    /// for the generation.
    pub(super) fn get_or_generate<E>(
        &self,
        population: &Population,
        generate: impl FnOnce() -> Result<Workload, E>,
    ) -> Result<Arc<Workload>, E> {
        let mut entry = self.entry(population).lock();
        if let Some(workload) = &entry.workload {
            return Ok(Arc::clone(workload));
        }
        let workload = Arc::new(generate()?);
        entry.workload = Some(Arc::clone(&workload));
        Ok(workload)
    }

    /// Releases the workload for one finished cell.
    pub(super) fn release(&self, population: &Population) {
        let mut entry = self.entry(population).lock();
        entry.pending = entry.pending.saturating_sub(1);
        if entry.pending == 0 {
            entry.workload = None;
        }
    }
}
