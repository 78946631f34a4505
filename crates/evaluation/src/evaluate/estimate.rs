//! How long the rest will take: for each cell as many people as it has, times what a person took
//! with that scheme so far, or with any if it has not run yet.

use crate::grid::Cell;
use std::collections::BTreeMap;
use std::time::Duration;

pub(super) struct Estimate {
    /// People of cells still to run, by scheme.
    pending: BTreeMap<String, f64>,
    /// Seconds and people of cells that ran, by scheme.
    ran: BTreeMap<String, (f64, f64)>,
    done: usize,
}

impl Estimate {
    pub(super) fn new(cells: &[&Cell]) -> Estimate {
        let mut pending = BTreeMap::new();
        for cell in cells {
            *pending.entry(cell.scheme.clone()).or_default() += f64::from(cell.crowd.users);
        }
        Estimate { pending, ran: BTreeMap::new(), done: 0 }
    }

    /// A cell is done.
    pub(super) fn took(&mut self, cell: &Cell, span: Duration) {
        let people = f64::from(cell.crowd.users);
        self.done += 1;
        if let Some(pending) = self.pending.get_mut(&cell.scheme) {
            *pending -= people;
        }
        let (seconds, ran) = self.ran.entry(cell.scheme.clone()).or_default();
        *seconds += span.as_secs_f64();
        *ran += people;
    }

    /// How many cells have run.
    pub(super) fn done(&self) -> usize {
        self.done
    }

    /// What the rest will take if so many run at once; `None` before the first is done.
    pub(super) fn left(&self, jobs: usize) -> Option<Duration> {
        let pace = |(seconds, people): (f64, f64)| seconds / people.max(1.0);
        let sum = |(a, b): (f64, f64), &(c, d): &(f64, f64)| (a + c, b + d);
        let all = self.ran.values().fold((0.0, 0.0), sum);
        if all.1 == 0.0 {
            return None;
        }
        let left = self.pending.iter().map(|(scheme, people)| {
            people.max(0.0) * pace(self.ran.get(scheme).copied().unwrap_or(all))
        });
        Duration::try_from_secs_f64(left.sum::<f64>() / jobs.max(1) as f64).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;
    use std::path::Path;

    #[test]
    fn the_rest_takes_as_long_as_what_was_like_it() {
        let text = "maps = \"city:500:1\"\nprofiles = \"p1\"\nk = \"2-5\"\ndt = [3, 4, 5]\n\
                    users = 100\nschemes = [\"meshcloak\", \"meshcloak-printed\"]";
        let experiment = Experiment::from_toml(Path::new("e"), text).unwrap();
        let cells = crate::grid::cells(&experiment, None).unwrap();
        let mut estimate = Estimate::new(&cells.iter().collect::<Vec<_>>());
        assert_eq!((estimate.done(), estimate.left(1)), (0, None));
        // One of six took 2 s: five such are left. Then one of the other scheme took 8 s: two of
        // 2 s and two of 8 s are left.
        estimate.took(&cells[0], Duration::from_secs(2));
        assert_eq!(estimate.left(1), Some(Duration::from_secs(10)));
        estimate.took(&cells[1], Duration::from_secs(8));
        assert_eq!(estimate.left(2), Some(Duration::from_secs(10)));
        assert_eq!(estimate.done(), 2);
    }
}
