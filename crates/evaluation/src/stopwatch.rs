//! How long each stage of a batch takes; the core has no clock of its own.

use meshcloak::scheme::{Observer, Stage};
use std::time::{Duration, Instant};

/// The stages in the order in which a batch goes through them, and their names.
pub const STAGES: [(Stage, &str); 5] = [
    (Stage::Collect, "collect"),
    (Stage::Graph, "graph"),
    (Stage::Cliques, "cliques"),
    (Stage::Mesh, "mesh"),
    (Stage::Settle, "settle"),
];

/// Time spent in each of [`STAGES`].
pub type Spent = [Duration; STAGES.len()];

/// Runs from the first stage until it is read.
#[derive(Debug, Default)]
pub struct Stopwatch {
    spent: Spent,
    running: Option<(usize, Instant)>,
}

impl Stopwatch {
    /// What was spent since the last reading; stops the watch.
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
        let place = STAGES.iter().position(|&(known, _)| known == stage);
        self.running = place.map(|place| (place, now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_take_their_own_time_and_a_reading_starts_anew() {
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
