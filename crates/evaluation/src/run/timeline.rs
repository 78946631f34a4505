//! Query volume per second (§V-B). Second `n` covers the times in `(n − 1, n]`, like a batch.

/// Counts of one second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Second {
    /// End of the second, in seconds.
    pub time: u64,
    /// Accepted queries.
    pub new: u64,
    /// Published queries.
    pub succeeded: u64,
    /// Expired or replaced queries.
    pub expired: u64,
    /// Queries that wait at the end of the second.
    pub waiting: u64,
    /// Nodes of the constraint graph in the last turn.
    pub nodes: usize,
    /// Edges of the constraint graph in the last turn.
    pub edges: usize,
}

/// Seconds from the first event on.
#[derive(Clone, Debug, Default)]
pub(super) struct Timeline {
    first: Option<u64>,
    seconds: Vec<Second>,
}

impl Timeline {
    /// Returns the second of the time `millis`. Times before the first event count to its second.
    pub(super) fn at(&mut self, millis: u64) -> &mut Second {
        let second = millis.div_ceil(1000);
        let first = *self.first.get_or_insert(second);
        let index = second.saturating_sub(first) as usize;
        if self.seconds.len() <= index {
            self.seconds.resize(index + 1, Second::default());
        }
        &mut self.seconds[index]
    }

    /// Returns all seconds with their times and waiting counts.
    pub(super) fn into_seconds(mut self) -> Vec<Second> {
        let mut waiting = 0;
        for (index, second) in self.seconds.iter_mut().enumerate() {
            waiting = waiting + second.new - second.succeeded - second.expired;
            second.time = self.first.unwrap_or(0) + index as u64;
            second.waiting = waiting;
        }
        self.seconds
    }
}
