//! Estimate of the remaining time: users of the pending cells × mean time per user of the same
//! scheme, or of all schemes if the scheme has not run yet.

use crate::grid::GridCell;
use std::collections::BTreeMap;
use std::time::Duration;

pub(super) struct Estimate {
    /// Users of pending cells, by scheme.
    pending: BTreeMap<String, f64>,
    /// Totals of finished cells, by scheme.
    finished: BTreeMap<String, Total>,
    finished_cells: usize,
}

#[derive(Clone, Copy, Default)]
struct Total {
    seconds: f64,
    users: f64,
}

impl Total {
    fn add(&mut self, other: Total) {
        self.seconds += other.seconds;
        self.users += other.users;
    }

    fn seconds_per_user(self) -> f64 {
        self.seconds / self.users.max(1.0)
    }
}

impl Estimate {
    pub(super) fn new(cells: &[&GridCell]) -> Estimate {
        let mut pending = BTreeMap::new();
        for cell in cells {
            *pending.entry(cell.scheme.clone()).or_default() += f64::from(cell.population.users);
        }
        Estimate { pending, finished: BTreeMap::new(), finished_cells: 0 }
    }

    /// Records a finished cell.
    pub(super) fn record(&mut self, cell: &GridCell, elapsed: Duration) {
        let users = f64::from(cell.population.users);
        self.finished_cells += 1;
        if let Some(pending) = self.pending.get_mut(&cell.scheme) {
            *pending -= users;
        }
        let total = self.finished.entry(cell.scheme.clone()).or_default();
        total.add(Total { seconds: elapsed.as_secs_f64(), users });
    }

    /// Returns the number of finished cells.
    pub(super) fn finished_cells(&self) -> usize {
        self.finished_cells
    }

    /// Returns the remaining time with `jobs` concurrent cells; `None` before the first cell ends.
    pub(super) fn remaining(&self, jobs: usize) -> Option<Duration> {
        let mut all = Total::default();
        self.finished.values().for_each(|&total| all.add(total));
        if all.users == 0.0 {
            return None;
        }
        let remaining = self.pending.iter().map(|(scheme, users)| {
            let total = self.finished.get(scheme).copied().unwrap_or(all);
            users.max(0.0) * total.seconds_per_user()
        });
        Duration::try_from_secs_f64(remaining.sum::<f64>() / jobs.max(1) as f64).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;
    use std::path::Path;

    #[test]
    fn remaining_cells_take_the_mean_time_of_their_scheme() {
        let text = "maps = \"city:500:1\"\nprofiles = \"p1\"\nk = \"2-5\"\ndt = [3, 4, 5]\n\
                    users = 100\nschemes = [\"meshcloak\", \"meshcloak-printed\"]";
        let experiment = Experiment::from_toml(Path::new("e"), text).unwrap();
        let cells = crate::grid::cells(&experiment, None).unwrap();
        let mut estimate = Estimate::new(&cells.iter().collect::<Vec<_>>());
        assert_eq!((estimate.finished_cells(), estimate.remaining(1)), (0, None));
        // One of six cells took 2 s: five cells of 2 s remain. Then one of the other scheme took
        // 8 s: two of 2 s and two of 8 s remain.
        estimate.record(&cells[0], Duration::from_secs(2));
        assert_eq!(estimate.remaining(1), Some(Duration::from_secs(10)));
        estimate.record(&cells[1], Duration::from_secs(8));
        assert_eq!(estimate.remaining(2), Some(Duration::from_secs(10)));
        assert_eq!(estimate.finished_cells(), 2);
    }
}
