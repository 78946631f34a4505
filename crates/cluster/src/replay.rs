//! Reading a log up to the own first record, when an engine takes a shard over.

use crate::error::ClusterError;
use crate::follower::{Followed, Follower};
use crate::log::Log;
use crate::past::Past;
use meshcloak::guarantee::HistoryClock;
use meshcloak::history::Horizon;

/// A log that was read up to a record.
#[derive(Debug)]
pub struct Replay {
    /// The fold of everything up to that record.
    pub past: Past,
    /// A reader that continues after it.
    pub follower: Follower,
}

impl Log {
    /// Reads the log from its beginning up to the record of `shard` with this sequence, which the
    /// caller has appended. Reads may be stale, so it waits until that record appears. `clock` tells
    /// which positions of the log are the past of users.
    ///
    /// Tries again while the servers do not answer or elect a leader, which they do just after the
    /// stream was created; the caller bounds the wait.
    ///
    /// # Errors
    /// If the log cannot be followed, or no longer holds the record; the caller has then lost the
    /// shard and takes it over again.
    pub async fn replay(
        &self,
        shard: u16,
        sequence: u64,
        clock: HistoryClock,
        horizon: impl Into<Horizon>,
    ) -> Result<Replay, ClusterError> {
        let mut follower = self.follow().await?;
        let mut past = Past::new(clock, horizon);
        loop {
            let found = follower.next_again().await?;
            past.apply(&found);
            match found {
                Followed::Record(record)
                    if (record.shard, record.sequence) == (shard, sequence) =>
                {
                    return Ok(Replay { past, follower });
                }
                Followed::Replaced | Followed::Rewound { .. } => return Err(self.lost(sequence)),
                _ if follower.position() >= sequence => return Err(self.lost(sequence)),
                _ => {}
            }
        }
    }

    fn lost(&self, sequence: u64) -> ClusterError {
        ClusterError::Damaged {
            place: format!("log of {}", self.city()),
            problem: format!("the own record {sequence} is missing"),
        }
    }
}
