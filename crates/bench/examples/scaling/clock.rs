//! Time of the measured thread, by stage of a turn.

use meshcloak::scheme::{Observer, Stage};
use rustix::time::{ClockId, clock_gettime};

/// Names of the stages, in the order of [`Stage`].
pub const STAGES: [&str; 5] = ["collect", "graph", "cliques", "mesh", "settle"];

/// Seconds in each stage of a turn: of the processor with one thread, else on the clock.
pub struct Clock {
    kind: ClockId,
    since: f64,
    stage: usize,
    pub spent: [f64; STAGES.len()],
}

impl Clock {
    /// Starts the clock.
    pub fn start() -> Clock {
        let is_alone = rayon::current_num_threads() == 1;
        let kind = if is_alone { ClockId::ThreadCPUTime } else { ClockId::Monotonic };
        Clock { kind, since: seconds(kind), stage: 0, spent: [0.0; STAGES.len()] }
    }

    /// Ends the last stage and returns the seconds of all.
    pub fn stop(&mut self) -> f64 {
        self.stage(Stage::Collect);
        self.spent.iter().sum()
    }
}

impl Observer for Clock {
    fn stage(&mut self, stage: Stage) {
        let now = seconds(self.kind);
        self.spent[self.stage] += now - self.since;
        (self.since, self.stage) = (now, stage as usize);
    }
}

fn seconds(clock: ClockId) -> f64 {
    let time = clock_gettime(clock);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
