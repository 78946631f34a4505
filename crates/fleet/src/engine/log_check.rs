//! Reading the log during a reign, and comparing it with what others have seen of it.
//!
//! Frontends and engines remember the newest record that they have seen. An owner whose log does
//! not hold such a record has lost positions: it writes the loss into the log, so that it and every
//! later owner refuse `history` for one horizon (fail closed).

use super::reign::{Reign, ReignEnd};
use cluster::{Body, Entry, Followed, Members, Tick, Trace};
use meshcloak::guarantee::Guarantee;
use meshcloak::units::Time;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// Time for which an owner tries to read a record that another process has seen. Then the record
/// counts as lost.
const CATCH_UP: Duration = Duration::from_secs(1);

impl Reign {
    /// Under `history`, reads every record that the messages and the signs of life refer to. A
    /// record that is not there makes the log incomplete from `now` on.
    pub(super) async fn check_log(&mut self, now: Time) -> Result<(), ReignEnd> {
        if self.host.config.engine.guarantee != Guarantee::History {
            return Ok(());
        }
        let mut seen = self.host.peers.seen(&self.city.name);
        seen.extend(self.inbox.seen());
        let limit = Instant::now() + CATCH_UP;
        for seen in seen.into_iter().filter(|seen| seen.log != 0) {
            if !self.has_read(seen.into(), now, limit).await? {
                self.record_loss(now).await?;
            }
        }
        Ok(())
    }

    /// Reads up to a record. Returns whether the log holds it.
    async fn has_read(
        &mut self,
        seen: cluster::Seen,
        now: Time,
        limit: Instant,
    ) -> Result<bool, ReignEnd> {
        loop {
            match self.past.trace(seen, self.follower.position(), now) {
                Trace::Held => return Ok(true),
                Trace::Lost => return Ok(false),
                Trace::Unread => {}
            }
            let found = tokio::select! {
                found = self.follower.next_again() => found?,
                () = sleep_until(limit) => return Ok(false),
                () = self.lease.lost() => return Err(ReignEnd::LeaseLost),
            };
            self.apply(&found)?;
        }
    }

    /// Writes into the log that records are missing.
    async fn record_loss(&mut self, now: Time) -> Result<(), ReignEnd> {
        self.host.metrics.count_lost_log();
        tracing::error!(
            city = self.city.name,
            "others have seen more than the log holds: `history` is refused for one horizon"
        );
        self.append(Body::Lost { at: now }).await?;
        self.read_log().await
    }

    /// Reads the log up to the own last record.
    pub(super) async fn read_log(&mut self) -> Result<(), ReignEnd> {
        while self.follower.position() < self.sequence {
            let found = tokio::select! {
                found = self.follower.next_again() => found?,
                () = self.lease.lost() => return Err(ReignEnd::LeaseLost),
            };
            self.apply(&found)?;
        }
        Ok(())
    }

    /// Adds a record to the past.
    pub(super) fn apply(&mut self, found: &Followed) -> Result<(), ReignEnd> {
        if matches!(found, Followed::Replaced | Followed::Rewound { .. }) {
            return Err(ReignEnd::LogLost);
        }
        self.past.apply(found);
        self.note_what_left(found);
        self.note_other_shard(found);
        Ok(())
    }

    /// Adds what has left another shard to the past of its users, with the clock `published`. A
    /// shard begins a tick after it has written what left in the tick before, so all of it is known
    /// here before the turn.
    fn note_what_left(&mut self, found: &Followed) {
        let Followed::Record(record) = found else { return };
        let Body::Tick(Tick { left: Some(Members::Positions(left)), .. }) = &record.record.body
        else {
            return;
        };
        if record.shard == self.shard.number {
            return;
        }
        for &Entry { user, at, position, speed } in left {
            self.engine.insert_left(user, at, position, speed);
            self.present.lock().bind(user, at, position, speed);
            if let Some(admission) = &mut self.intake.admission {
                admission.insert(user, at, position, speed);
            }
        }
    }
}
