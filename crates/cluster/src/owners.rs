//! Owners of shards as the bucket shows them, and the owners that operators want.

use crate::bucket::{Bucket, Put};
use crate::error::ClusterError;
use crate::lease::Holder;
use crate::names::{NodeId, Shard};
use bytes::Bytes;
use serde::{Deserialize, Serialize};

/// First part of the keys of leases.
pub(crate) const OWNER: &str = "owner";
/// First part of the keys of wanted owners.
const WANT: &str = "want";
/// Longest name of an owner, in characters.
const MAX_NAME: usize = 64;

/// The engine that holds the lease of a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The shard.
    pub shard: Shard,
    /// Number of the engine's process.
    pub engine: NodeId,
    /// Name of the engine for operators.
    pub name: String,
    /// Epoch of the lease.
    pub epoch: u64,
    /// Revision of the last renewal.
    pub revision: u64,
}

impl Owner {
    /// Reads the owners of all shards, sorted. For display: an owner may have lost its lease since.
    ///
    /// # Errors
    /// If NATS is unavailable or a value is unreadable.
    pub async fn all(bucket: &Bucket) -> Result<Vec<Owner>, ClusterError> {
        let mut owners = Vec::new();
        for (key, revision, bytes) in bucket.list(OWNER).await? {
            if let Some(shard) = Shard::from_key(OWNER, &key) {
                owners.push(Owner::decode(&shard, revision, &bytes)?);
            }
        }
        owners.sort_by(|a, b| a.shard.cmp(&b.shard));
        Ok(owners)
    }

    /// Returns the owner of a shard. For display and for contenders: it may have lost its lease.
    ///
    /// # Errors
    /// If NATS is unavailable or the value is unreadable.
    pub async fn get(bucket: &Bucket, shard: &Shard) -> Result<Option<Owner>, ClusterError> {
        let value = bucket.get(&shard.key(OWNER)).await?;
        value.bytes.map(|bytes| Owner::decode(shard, value.revision, &bytes)).transpose()
    }

    pub(crate) fn decode(
        shard: &Shard,
        revision: u64,
        bytes: &[u8],
    ) -> Result<Owner, ClusterError> {
        let damaged = |problem: String| ClusterError::Damaged { place: shard.key(OWNER), problem };
        let value: OwnerValue =
            serde_json::from_slice(bytes).map_err(|error| damaged(error.to_string()))?;
        if value.version != 1 {
            return Err(damaged(format!("version {}; expected 1", value.version)));
        }
        // The first write of a lease cannot know its own revision.
        let epoch = if value.epoch == 0 { revision } else { value.epoch };
        let name = value.name.chars().take(MAX_NAME).collect();
        Ok(Owner { shard: shard.clone(), engine: value.engine.parse()?, name, epoch, revision })
    }
}

/// Stored form of an owner.
#[derive(Serialize, Deserialize)]
pub(crate) struct OwnerValue {
    version: u8,
    engine: String,
    name: String,
    epoch: u64,
}

impl OwnerValue {
    pub fn new(holder: &Holder, epoch: u64) -> OwnerValue {
        let name = holder.name.chars().take(MAX_NAME).collect();
        OwnerValue { version: 1, engine: holder.id.to_string(), name, epoch }
    }

    pub fn encode(&self) -> Bytes {
        serde_json::to_vec(self).expect("numbers and strings have a JSON form").into()
    }
}

/// The engine that an operator wants as owner of a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Want {
    /// The engine; `None` if none is wanted.
    pub engine: Option<NodeId>,
    /// Revision of the key, for [`Want::set`] and [`Want::clear`].
    pub revision: u64,
}

impl Want {
    /// Reads which engine is wanted for a shard.
    ///
    /// # Errors
    /// If NATS is unavailable or the value is unreadable.
    pub async fn get(bucket: &Bucket, shard: &Shard) -> Result<Want, ClusterError> {
        let value = bucket.get(&shard.key(WANT)).await?;
        let engine = value.bytes.map(|bytes| String::from_utf8_lossy(&bytes).parse());
        Ok(Want { engine: engine.transpose()?, revision: value.revision })
    }

    /// Replaces what was read by `engine`.
    ///
    /// # Errors
    /// If the server refuses the write.
    pub async fn set(
        &self,
        bucket: &Bucket,
        shard: &Shard,
        engine: NodeId,
    ) -> Result<Put, ClusterError> {
        bucket.put(&shard.key(WANT), engine.to_string().into(), self.revision).await
    }

    /// Deletes what was read, when it is fulfilled.
    ///
    /// # Errors
    /// If the server refuses the write.
    pub async fn clear(&self, bucket: &Bucket, shard: &Shard) -> Result<Put, ClusterError> {
        bucket.delete(&shard.key(WANT), self.revision).await
    }
}
