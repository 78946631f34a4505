//! The first record of a reign, and the first log of a city.

use super::reign::ReignEnd;
use cluster::{Append, Bucket, City, KeptLease, Log, Record, Shard, claim_first_log};
use std::time::Duration;
use tokio::time::Instant;

/// Longest wait for the first log of a city, which another engine begins.
const FIRST_LOG_WAIT: Duration = Duration::from_secs(2);

/// Whether this engine begins the first log of a city. If another engine has claimed that, waits a
/// while for its log: the shards of a new city start at the same time. A city with one shard has one
/// owner, so no other engine begins its log.
pub async fn is_first_log(
    bucket: &Bucket,
    city: &City,
    shards: u16,
    log: &Log,
) -> Result<bool, ReignEnd> {
    if log.identity().await?.is_some() {
        return Ok(false);
    }
    if claim_first_log(bucket, city).await? {
        return Ok(true);
    }
    if shards == 1 {
        return Ok(false);
    }
    let end = Instant::now() + FIRST_LOG_WAIT;
    while log.identity().await?.is_none() && Instant::now() < end {
        tokio::time::sleep(FIRST_LOG_WAIT / 40).await;
    }
    Ok(false)
}

/// Appends the first record of a reign after the last record of the shard. Returns the
/// sequences of both.
pub async fn append_first(
    log: &Log,
    shard: &Shard,
    lease: &KeptLease,
    record: &Record,
) -> Result<(u64, u64), ReignEnd> {
    let mut expected = log.last_sequence(shard.number).await?;
    loop {
        if !lease.is_held() {
            return Err(ReignEnd::LeaseLost);
        }
        match log.append(shard.number, expected, record).await? {
            Append::Acknowledged(sequence) => return Ok((expected, sequence)),
            // A stale read, or a last append of the earlier owner.
            Append::Fenced => expected = log.last_sequence(shard.number).await?,
            Append::Unknown => tokio::task::yield_now().await,
        }
    }
}
