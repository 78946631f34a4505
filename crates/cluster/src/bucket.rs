//! The key-value bucket `meshcloak`: owners (leases), plans, and owners that operators want.
//!
//! The bucket is a stream in the form of NATS's key-value store, so that `nats kv` shows it. It
//! holds no user and no position, and is kept on disk: revisions, which number the epochs, survive
//! a restart of all servers.

use crate::connection::Cluster;
use crate::error::ClusterError;
use crate::stream::{Stored, Stream, Terms, Written};
use async_nats::jetstream::stream::{Config, DiscardPolicy, StorageType};
use bytes::Bytes;
use std::time::Duration;
use tokio::time::Instant;

/// Name of the bucket.
const BUCKET: &str = "meshcloak";
/// How long a deleted or expired key leaves a marker.
const MARKER_TTL: Duration = Duration::from_secs(60);
/// Pause before another attempt to open the bucket.
const OPEN_AGAIN: Duration = Duration::from_millis(200);
/// Header of a marker that a client wrote.
const OPERATION: &str = "KV-Operation";
/// Header of a marker that the server wrote when a key expired.
const MARKER_REASON: &str = "Nats-Marker-Reason";

/// The bucket.
#[derive(Clone, Debug)]
pub struct Bucket {
    stream: Stream,
}

/// A key's present state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Sequence of the key's last write, also if that was a deletion; 0 if there was none.
    pub revision: u64,
    /// The value; `None` if the key does not exist.
    pub bytes: Option<Bytes>,
}

/// Result of a write to the bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Put {
    /// Written with this revision.
    Done(u64),
    /// Not written: the key has changed since it was read.
    Changed,
    /// Written or not: there was no answer in time.
    Unknown,
}

impl Bucket {
    /// Creates the bucket with this many replicas, or checks the present one.
    ///
    /// # Errors
    /// If NATS is unavailable, or the bucket exists without expiry of keys.
    pub async fn open(cluster: &Cluster, replicas: usize) -> Result<Bucket, ClusterError> {
        let (stream, info) = Stream::open(cluster, &config(replicas)).await?;
        if !info.config.allow_message_ttl {
            return Err(ClusterError::StreamSettings {
                stream: info.config.name,
                field: "allow_msg_ttl",
                found: "false".into(),
                expected: "true (NATS 2.11 or newer)".into(),
            });
        }
        if info.config.num_replicas != replicas {
            let found = info.config.num_replicas;
            tracing::warn!(found, expected = replicas, "replicas of the bucket {BUCKET}");
        }
        Ok(Bucket { stream })
    }

    /// As [`Bucket::open`], again and again for `limit` while the servers do not answer or elect a
    /// leader.
    ///
    /// # Errors
    /// As [`Bucket::open`].
    pub async fn open_within(
        cluster: &Cluster,
        replicas: usize,
        limit: Duration,
    ) -> Result<Bucket, ClusterError> {
        let end = Instant::now() + limit;
        loop {
            match Bucket::open(cluster, replicas).await {
                Err(error) if error.is_temporary() && Instant::now() < end => {
                    tracing::warn!(%error, "the bucket {BUCKET} cannot be opened at present");
                    tokio::time::sleep(OPEN_AGAIN).await;
                }
                opened => return opened,
            }
        }
    }

    /// Opens the bucket that an engine has created.
    ///
    /// # Errors
    /// If NATS is unavailable or no engine has started yet.
    pub async fn find(cluster: &Cluster) -> Result<Bucket, ClusterError> {
        Ok(Bucket { stream: Stream::find(cluster, &config(1).name).await? })
    }

    /// Reads a key.
    ///
    /// # Errors
    /// If NATS is unavailable.
    pub async fn get(&self, key: &str) -> Result<Value, ClusterError> {
        let stored = self.stream.last(&subject(key)).await?;
        Ok(stored.map_or(Value { revision: 0, bytes: None }, into_value))
    }

    /// Writes a key if its revision is still `expected` (0: the key was never written or its marker
    /// has expired).
    ///
    /// # Errors
    /// If the server refuses the write for another reason.
    pub async fn put(&self, key: &str, value: Bytes, expected: u64) -> Result<Put, ClusterError> {
        self.write(key, value, Terms { expected, ..Terms::default() }).await
    }

    /// As [`Bucket::put`], and the server deletes the key after `ttl` (whole seconds, at least 1).
    pub(crate) async fn put_for(
        &self,
        key: &str,
        value: Bytes,
        expected: u64,
        ttl: Duration,
    ) -> Result<Put, ClusterError> {
        // The server counts whole seconds; rounded up, it never forgets a lease before its owner.
        let seconds = ttl.as_millis().div_ceil(1_000).max(1);
        let ttl = format!("{seconds}s");
        self.write(key, value, Terms { expected, ttl: Some(&ttl), header: None }).await
    }

    /// Deletes a key if its revision is still `expected`.
    ///
    /// # Errors
    /// If the server refuses the write for another reason.
    pub async fn delete(&self, key: &str, expected: u64) -> Result<Put, ClusterError> {
        let ttl = format!("{}s", MARKER_TTL.as_secs());
        let header = Some((OPERATION, "DEL"));
        self.write(key, Bytes::new(), Terms { expected, ttl: Some(&ttl), header }).await
    }

    /// Reads all keys that begin with `prefix` and a dot, sorted.
    ///
    /// # Errors
    /// If NATS is unavailable.
    pub async fn list(&self, prefix: &str) -> Result<Vec<(String, u64, Bytes)>, ClusterError> {
        let mut found = Vec::new();
        for subject in self.stream.subjects(&subject(&format!("{prefix}.>"))).await? {
            let Some(stored) = self.stream.last(&subject).await? else { continue };
            let Value { revision, bytes: Some(bytes) } = into_value(stored) else { continue };
            let key = subject.strip_prefix("$KV.meshcloak.").unwrap_or(&subject);
            found.push((key.to_owned(), revision, bytes));
        }
        Ok(found)
    }

    async fn write(&self, key: &str, value: Bytes, terms: Terms<'_>) -> Result<Put, ClusterError> {
        match self.stream.write(&subject(key), value, terms).await {
            Written::Stored(revision) => Ok(Put::Done(revision)),
            Written::WrongSequence(_) => Ok(Put::Changed),
            Written::Unknown(_) => Ok(Put::Unknown),
            Written::Refused(problem) => {
                Err(self.stream.refused(&format!("write {key} in"), problem))
            }
        }
    }
}

fn subject(key: &str) -> String {
    format!("$KV.{BUCKET}.{key}")
}

fn into_value(stored: Stored) -> Value {
    let is_marker =
        [OPERATION, MARKER_REASON].iter().any(|&name| stored.headers.get(name).is_some());
    Value { revision: stored.sequence, bytes: (!is_marker).then_some(stored.payload) }
}

fn config(replicas: usize) -> Config {
    Config {
        name: format!("KV_{BUCKET}"),
        subjects: vec![format!("$KV.{BUCKET}.>")],
        storage: StorageType::File,
        num_replicas: replicas,
        max_messages_per_subject: 1,
        max_bytes: -1,
        max_messages: -1,
        max_consumers: -1,
        discard: DiscardPolicy::New,
        allow_rollup: true,
        deny_delete: true,
        allow_direct: true,
        allow_message_ttl: true,
        subject_delete_marker_ttl: Some(MARKER_TTL),
        description: Some("MeshCloak: owners of cities".into()),
        ..Config::default()
    }
}
