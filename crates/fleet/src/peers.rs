//! Processes of the cluster that have given a sign of life lately.

use crate::message::{BEATS, Beat, EngineBeat, FrontendBeat, Seen, decode};
use cluster::{Cluster, ClusterError};
use futures_util::StreamExt as _;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// Age at which a process without a sign of life counts as dead.
pub const SILENCE: Duration = Duration::from_secs(4);

/// Signs of life, kept up to date by a task that ends with this value.
pub struct Peers {
    state: Arc<Mutex<PeerState>>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct PeerState {
    owners: BTreeMap<(String, u16), (Instant, Beat)>,
    frontends: BTreeMap<u64, (Instant, FrontendBeat)>,
    engines: BTreeMap<u64, (Instant, EngineBeat)>,
}

impl Peers {
    /// Subscribes to the signs of life of all processes.
    ///
    /// # Errors
    /// If NATS is unavailable.
    pub async fn follow(cluster: &Cluster) -> Result<Peers, ClusterError> {
        let mut beats = cluster.subscribe(BEATS.to_owned()).await?;
        let state = Arc::new(Mutex::new(PeerState::default()));
        let shared = Arc::clone(&state);
        let task = tokio::spawn(async move {
            while let Some(message) = beats.next().await {
                shared.lock().take(&message.subject, &message.payload);
            }
        });
        Ok(Peers { state, task })
    }

    /// Returns the last sign of life of the owner of a shard: that of the newest epoch.
    pub fn owner(&self, city: &str, shard: u16) -> Option<Beat> {
        let state = self.state.lock();
        let (at, beat) = state.owners.get(&(city.to_owned(), shard))?;
        (at.elapsed() < SILENCE).then(|| beat.clone())
    }

    /// Returns all owners.
    pub fn owners(&self) -> Vec<Beat> {
        let state = self.state.lock();
        let live = state.owners.values().filter(|(at, _)| at.elapsed() < SILENCE);
        live.map(|(_, beat)| beat.clone()).collect()
    }

    /// Returns the live frontends that take requests, ascending.
    pub fn askers(&self) -> Vec<u64> {
        let state = self.state.lock();
        let live = state.frontends.values().filter(|(at, _)| at.elapsed() < SILENCE);
        live.filter(|(_, beat)| !beat.is_stopping).map(|(_, beat)| beat.frontend).collect()
    }

    /// Returns the live frontends.
    pub fn frontends(&self) -> Vec<FrontendBeat> {
        let state = self.state.lock();
        let live = state.frontends.values().filter(|(at, _)| at.elapsed() < SILENCE);
        live.map(|(_, beat)| beat.clone()).collect()
    }

    /// Returns what the live frontends have seen of the log of a city.
    pub fn seen(&self, city: &str) -> Vec<Seen> {
        let state = self.state.lock();
        let live = state.frontends.values().filter(|(at, _)| at.elapsed() < SILENCE);
        let of_city = live.flat_map(|(_, beat)| &beat.seen).filter(|(name, _)| name == city);
        of_city.map(|(_, seen)| *seen).collect()
    }

    /// Returns the live engine processes.
    pub fn engines(&self) -> Vec<EngineBeat> {
        let state = self.state.lock();
        let live = state.engines.values().filter(|(at, _)| at.elapsed() < SILENCE);
        live.map(|(_, beat)| beat.clone()).collect()
    }

    /// Whether a frontend lives.
    pub fn is_alive(&self, frontend: u64) -> bool {
        let state = self.state.lock();
        state.frontends.get(&frontend).is_some_and(|(at, _)| at.elapsed() < SILENCE)
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl PeerState {
    /// Records a sign of life. One of an older epoch is that of an engine that was replaced, unless
    /// the newer one is silent: epochs begin anew if the servers have lost everything.
    fn take(&mut self, subject: &str, payload: &[u8]) {
        let now = Instant::now();
        if subject.starts_with("mc.beat.frontend.") {
            if let Ok(beat) = decode::<FrontendBeat>(payload) {
                self.frontends.insert(beat.frontend, (now, beat));
            }
            self.frontends.retain(|_, (at, _)| at.elapsed() < 10 * SILENCE);
        } else if subject.starts_with("mc.beat.process.") {
            if let Ok(beat) = decode::<EngineBeat>(payload) {
                self.engines.insert(beat.engine, (now, beat));
            }
            self.engines.retain(|_, (at, _)| at.elapsed() < 10 * SILENCE);
        } else if let Ok(beat) = decode::<Beat>(payload) {
            let key = (beat.city.clone(), beat.shard);
            let is_newer =
                |(at, known): &(Instant, Beat)| known.epoch > beat.epoch && at.elapsed() < SILENCE;
            if !self.owners.get(&key).is_some_and(is_newer) {
                self.owners.insert(key, (now, beat));
            }
        }
    }
}
