//! Whether a city has had a log before, on the disks of the servers.
//!
//! A log is in memory only: when all servers restart, it is empty, as at the first start. The key
//! `log.CITY` tells the two apart. It is created once and never deleted.

use crate::bucket::{Bucket, Put};
use crate::error::ClusterError;
use crate::names::{City, random_u64};
use bytes::Bytes;

/// How often a write without an answer is repeated.
const ATTEMPTS: usize = 5;

/// Claims the first log of a city. Returns `false` if there was one before, or if that is unknown.
///
/// The write decides, not a read: the key must never have been written.
///
/// # Errors
/// If NATS is unavailable or refuses the write.
pub async fn claim_first_log(bucket: &Bucket, city: &City) -> Result<bool, ClusterError> {
    let key = format!("log.{city}");
    let value = Bytes::from(format!("{:016x}", random_u64()?));
    for _ in 0..ATTEMPTS {
        match bucket.put(&key, value.clone(), 0).await? {
            Put::Done(_) => return Ok(true),
            // An earlier attempt without an answer may have been written.
            Put::Changed => return Ok(bucket.get(&key).await?.bytes == Some(value)),
            Put::Unknown => {}
        }
    }
    Ok(false)
}
