//! Queries of the agents in the last minute, which the arena replays with other schemes.

use meshcloak::query::Query;
use meshcloak::units::Time;
use std::collections::VecDeque;
use std::sync::Arc;

/// Queries of one second, in order of time.
#[derive(Clone, Debug)]
pub struct RecordedSecond {
    /// End of the second.
    pub at: Time,
    /// Queries.
    pub queries: Arc<Vec<Query>>,
}

/// Queries of the last `CAPACITY` seconds.
#[derive(Debug, Default)]
pub struct Recording {
    seconds: VecDeque<RecordedSecond>,
}

/// Seconds kept: about two queries per agent.
pub const CAPACITY: usize = 60;

impl Recording {
    /// Appends one second; drops the oldest beyond the capacity.
    pub fn push(&mut self, at: Time, queries: Vec<Query>) {
        self.seconds.push_back(RecordedSecond { at, queries: Arc::new(queries) });
        if self.seconds.len() > CAPACITY {
            self.seconds.pop_front();
        }
    }

    /// Returns all seconds, oldest first.
    pub fn snapshot(&self) -> Vec<RecordedSecond> {
        self.seconds.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recording_holds_the_last_minute() {
        let mut recording = Recording::default();
        for second in 0..70 {
            recording.push(Time::from_millis(second * 1000), Vec::new());
        }
        assert_eq!(recording.snapshot().len(), CAPACITY);
        assert_eq!(recording.snapshot()[0].at, Time::from_millis(10_000));
    }
}
