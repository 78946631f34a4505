//! Time per stage of a batch. The core has no clock, so stages are timed by an observer.

use meshcloak::scheme::{Observer, Stage};
use std::time::{Duration, Instant};

/// Stages of a batch in processing order, with their names.
pub const STAGES: [(Stage, &str); 5] = [
    (Stage::Collect, "collect"),
    (Stage::Graph, "graph"),
    (Stage::Cliques, "cliques"),
    (Stage::Mesh, "mesh"),
    (Stage::Settle, "settle"),
];

/// Time per stage, in the order of [`STAGES`].
pub type Spent = [Duration; STAGES.len()];

/// Observer that measures the time per stage.
#[derive(Debug, Default)]
pub struct Stopwatch {
    spent: Spent,
    running: Option<(usize, Instant)>,
}

impl Stopwatch {
    /// Stops the watch and returns the times since the last call.
    pub fn read(&mut self) -> Spent {
        self.lap(Instant::now());
        self.running = None;
        std::mem::take(&mut self.spent)
    }

    fn lap(&mut self, now: Instant) {
        if let Some((stage, since)) = self.running {
            self.spent[stage] += now - since;
        }
    }
}

impl Observer for Stopwatch {
    fn stage(&mut self, stage: Stage) {
        let now = Instant::now();
        self.lap(now);
        let index = STAGES.iter().position(|&(known, _)| known == stage);
        self.running = index.map(|index| (index, now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_counted_per_stage_and_reset_by_reading() {
        let mut watch = Stopwatch::default();
        assert_eq!(watch.read(), Spent::default());
        let begun = Instant::now();
        watch.stage(Stage::Graph);
        watch.stage(Stage::Settle);
        let spent = watch.read();
        assert!(spent.iter().sum::<Duration>() <= begun.elapsed());
        assert_eq!(spent[0] + spent[2] + spent[3], Duration::ZERO);
        assert_eq!(watch.read(), Spent::default());
    }
}
