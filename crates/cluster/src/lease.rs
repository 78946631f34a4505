//! Lease of a shard: a key that expires, and whose revision at acquisition is the epoch.
//!
//! A lease gives liveness only: at most one engine works on a shard most of the time. That a
//! former owner publishes nothing is the task of the log, which refuses its appends
//! ([`crate::log`]).

use crate::bucket::{Bucket, Put};
use crate::error::ClusterError;
use crate::names::{NodeId, Shard};
use crate::owners::{OWNER, Owner, OwnerValue};
use std::time::Duration;
use tokio::time::Instant;

/// Shortest lease; the server counts whole seconds.
pub const MIN_TTL: Duration = Duration::from_secs(1);

/// The engine that acquires a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Number of the process.
    pub id: NodeId,
    /// Name for operators, such as the host.
    pub name: String,
}

/// Result of an attempt to acquire a lease.
#[derive(Debug)]
pub enum Acquired {
    /// The lease is held.
    Held(Box<Lease>),
    /// Another engine holds it.
    Taken(Owner),
    /// Another engine was faster, or there was no answer in time: try again.
    Retry,
}

/// Result of a renewal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewal {
    /// The lease is held for another TTL.
    Renewed,
    /// No answer in time; the lease is held until [`Lease::held_until`].
    Unknown,
    /// The lease is lost for good.
    Lost,
}

/// A held lease.
#[derive(Debug)]
pub struct Lease {
    bucket: Bucket,
    shard: Shard,
    holder: Holder,
    ttl: Duration,
    epoch: u64,
    revision: u64,
    held_until: Instant,
}

impl Lease {
    /// Tries once to acquire the lease of a shard.
    ///
    /// A key with the holder's own id is taken over: it is left from an attempt that had no answer.
    /// So a process must hold at most one lease of a shard.
    ///
    /// # Errors
    /// If NATS is unavailable or `ttl` is shorter than [`MIN_TTL`].
    pub async fn acquire(
        bucket: &Bucket,
        shard: &Shard,
        holder: &Holder,
        ttl: Duration,
    ) -> Result<Acquired, ClusterError> {
        if ttl < MIN_TTL {
            let problem = format!("lease of {} ms; expected at least 1 s", ttl.as_millis());
            return Err(ClusterError::Setting(problem));
        }
        let key = shard.key(OWNER);
        let current = bucket.get(&key).await?;
        let owner = current.bytes.map(|bytes| Owner::decode(shard, current.revision, &bytes));
        if let Some(owner) = owner.transpose()?.filter(|owner| owner.engine != holder.id) {
            return Ok(Acquired::Taken(owner));
        }
        let value = OwnerValue::new(holder, 0).encode();
        let sent = Instant::now();
        let Put::Done(epoch) = bucket.put_for(&key, value, current.revision, ttl).await? else {
            return Ok(Acquired::Retry);
        };
        Ok(Acquired::Held(Box::new(Lease {
            bucket: bucket.clone(),
            shard: shard.clone(),
            holder: holder.clone(),
            ttl,
            epoch,
            revision: epoch,
            held_until: sent + ttl,
        })))
    }

    /// Returns the epoch: the revision at which the lease was acquired.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Returns the shard.
    pub fn shard(&self) -> &Shard {
        &self.shard
    }

    /// Returns the instant until which the lease is held without a further renewal: one TTL after
    /// the last acknowledged write was sent.
    pub fn held_until(&self) -> Instant {
        self.held_until
    }

    /// Whether the lease is held, by the local monotonic clock.
    pub fn is_held(&self) -> bool {
        Instant::now() < self.held_until
    }

    /// Returns the pause between two renewals: a third of the TTL.
    pub fn pause(&self) -> Duration {
        self.ttl / 3
    }

    /// Extends the lease by one TTL from now. A lease that has run out locally is not renewed, even
    /// if its key still exists.
    pub async fn renew(&mut self) -> Renewal {
        if !self.is_held() {
            return Renewal::Lost;
        }
        match self.write().await {
            Put::Done(_) => Renewal::Renewed,
            Put::Unknown => Renewal::Unknown,
            Put::Changed => self.adopt().await,
        }
    }

    async fn write(&mut self) -> Put {
        let value = OwnerValue::new(&self.holder, self.epoch).encode();
        let sent = Instant::now();
        let key = self.shard.key(OWNER);
        let put = self.bucket.put_for(&key, value, self.revision, self.ttl).await;
        let put = put.unwrap_or(Put::Unknown);
        if let Put::Done(revision) = put {
            (self.revision, self.held_until) = (revision, sent + self.ttl);
        }
        put
    }

    /// Handles a refused renewal: an earlier renewal without answer may have been written.
    async fn adopt(&mut self) -> Renewal {
        let Ok(current) = self.bucket.get(&self.shard.key(OWNER)).await else {
            return Renewal::Unknown;
        };
        let owner = current
            .bytes
            .and_then(|bytes| Owner::decode(&self.shard, current.revision, &bytes).ok());
        let is_own = |owner: &Owner| owner.engine == self.holder.id && owner.epoch == self.epoch;
        if !owner.is_some_and(|owner| is_own(&owner)) {
            return Renewal::Lost;
        }
        if current.revision <= self.revision {
            return Renewal::Unknown; // the read contradicts the refusal
        }
        self.revision = current.revision;
        match self.write().await {
            Put::Done(_) => Renewal::Renewed,
            Put::Unknown => Renewal::Unknown,
            Put::Changed => Renewal::Lost,
        }
    }

    /// Gives the lease up, so that another engine can acquire it at once.
    ///
    /// # Errors
    /// If NATS is unavailable; the lease then ends by expiry.
    pub async fn release(self) -> Result<(), ClusterError> {
        self.bucket.delete(&self.shard.key(OWNER), self.revision).await.map(drop)
    }
}
