//! MeshCloak on several machines: what engines and frontends share by NATS.
//!
//! | module | content |
//! |---|---|
//! | [`connection`] | connection with TLS, credentials and time-outs |
//! | [`bucket`], [`lease`], [`kept_lease`], [`owners`] | who owns which shard |
//! | [`division`] | which cells belong to which shard |
//! | [`log`], [`follower`], [`replay`] | the replicated log of a city: fenced appends, reading |
//! | [`record`], [`record_codec`] | records as values and as bytes |
//! | [`past`], [`city_clock`] | what a log tells: last positions, and the time of the city |
//!
//! A takeover: acquire the lease, identify the log, append an epoch record, replay the log up to
//! it, start the clock.
//!
//! ```no_run
//! # async fn take_over(cluster: &cluster::Cluster, map: u64) -> Result<(), cluster::ClusterError> {
//! use cluster::*;
//! use meshcloak::guarantee::HistoryClock;
//! use std::time::Duration;
//!
//! let city: City = "oldenburg".parse()?;
//! let engine = Holder { id: NodeId::random()?, name: "host-1".into() };
//! let horizon = Duration::from_secs(600);
//! let (wall_ms, ttl) = (1_700_000_000_000, Duration::from_secs(5));
//!
//! let bucket = Bucket::open(cluster, 3).await?;
//! let Acquired::Held(lease) = Lease::acquire(&bucket, &city.shard(0), &engine, ttl).await? else {
//!     return Ok(()); // another engine owns the shard
//! };
//! let lease = lease.keep();
//! let settings = LogSettings { replicas: 3, max_age: horizon + Duration::from_secs(60) };
//! let log = Log::open(cluster, &city, &settings).await?;
//! let is_first = log.identity().await?.is_none() && claim_first_log(&bucket, &city).await?;
//! let id = log.identify(wall_ms, is_first).await?.log;
//! let body = Body::Epoch { engine: engine.id, plan: 0 };
//! let record = Record { log: id, epoch: lease.epoch(), map, wall_ms, body };
//! let last = log.last_sequence(0).await?;
//! let Append::Acknowledged(own) = log.append(0, last, &record).await? else {
//!     return Ok(()); // fenced, or unknown: append again
//! };
//! let acknowledged = tokio::time::Instant::now();
//! let replay = log.replay(0, own, HistoryClock::Asked, horizon).await?;
//! let clock = replay.past.mark().map(|mark| CityClock::start(mark.city, acknowledged));
//! # Ok(())
//! # }
//! ```
//!
//! Subjects: engines need `mc.log.>`, `mc.new.>`, `$KV.meshcloak.>` and the API of the streams
//! `MC_LOG_*` and `KV_meshcloak` (`$JS.API.STREAM.{INFO,CREATE,MSG.GET}.…`). Frontends need only
//! the API of `KV_meshcloak`; without permission for `MC_LOG_*` they cannot read a log.
//!
//! Three rules hold everywhere: writes are trusted, reads are not; every write names the sequence
//! that it follows; no answer is not an answer.

mod access;
pub mod bucket;
pub mod city_clock;
pub mod connection;
pub mod division;
mod error;
mod first_log;
pub mod follower;
pub mod kept_lease;
pub mod lease;
pub mod log;
mod log_config;
mod names;
pub mod owners;
pub mod past;
mod piece;
pub mod record;
pub mod record_codec;
pub mod replay;
mod stream;
#[cfg(feature = "testing")]
pub mod testing;

pub use bucket::Bucket;
pub use city_clock::{CityClock, Mark};
pub use connection::{Cluster, ClusterSettings};
pub use division::{CellLoad, Division};
pub use error::ClusterError;
pub use first_log::claim_first_log;
pub use follower::{Followed, Follower};
pub use kept_lease::KeptLease;
pub use lease::{Acquired, Holder, Lease};
pub use log::{Append, Log, LogSettings};
pub use names::{City, NodeId, Shard};
pub use owners::{Owner, Want};
pub use past::{Past, Seen, Trace};
pub use piece::MAX_RECORD;
pub use record::{Body, Entry, Identity, LogId, LogRecord, Members, Record, Tick};
