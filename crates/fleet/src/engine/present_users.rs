//! Users of the shards that an engine owns, for claims of other engines.

use super::host::Host;
use super::presence::Presence;
use cluster::Shard;
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Users of a shard, found by the engine's other tasks while the reign lasts.
pub struct PresentUsers {
    host: Arc<Host>,
    shard: Shard,
    epoch: u64,
    users: Arc<Mutex<Presence>>,
}

/// Users of the shards that an engine owns, with the epoch.
pub type PresentShards = BTreeMap<Shard, (u64, Arc<Mutex<Presence>>)>;

impl PresentUsers {
    /// Makes the users of a shard known to claims.
    pub fn register(host: &Arc<Host>, shard: &Shard, epoch: u64, users: Presence) -> PresentUsers {
        let users = Arc::new(Mutex::new(users));
        host.present.lock().insert(shard.clone(), (epoch, Arc::clone(&users)));
        PresentUsers { host: Arc::clone(host), shard: shard.clone(), epoch, users }
    }

    /// Locks the table.
    pub fn lock(&self) -> MutexGuard<'_, Presence> {
        self.users.lock()
    }
}

impl Drop for PresentUsers {
    fn drop(&mut self) {
        let mut present = self.host.present.lock();
        if present.get(&self.shard).is_some_and(|(epoch, _)| *epoch == self.epoch) {
            present.remove(&self.shard);
        }
    }
}
