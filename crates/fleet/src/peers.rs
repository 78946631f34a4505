//! Processes of the cluster that have given a sign of life lately.

use crate::message::{BEATS, Beat, EngineBeat, FrontendBeat, Seen, SeenLog, decode};
use cluster::{Cluster, ClusterError};
use futures_util::StreamExt as _;
use parking_lot::Mutex;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// Age at which a process without a sign of life counts as dead.
pub const SILENCE: Duration = Duration::from_secs(4);

/// Largest number of remembered changes of owners.
const MAX_TAKEOVERS: usize = 50;

/// A change of the owner of a shard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Takeover {
    /// Unix time in milliseconds at which it was heard of.
    pub at: u64,
    /// Name of the city.
    pub city: String,
    /// Number of the shard, from 1.
    pub shard: u16,
    /// Name of the earlier owner.
    pub from: String,
    /// Name of the new owner.
    pub to: String,
    /// Epoch of the new owner.
    pub epoch: u64,
    /// Whether the earlier owner has handed its waiting queries over.
    pub is_move: bool,
}

impl Takeover {
    /// Returns the change from one owner to another, if it is one.
    fn between(earlier: &Beat, later: &Beat) -> Option<Takeover> {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        (earlier.epoch != later.epoch).then(|| Takeover {
            at: u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
            city: later.city.clone(),
            shard: later.shard + 1,
            from: earlier.name.clone(),
            to: later.name.clone(),
            epoch: later.epoch,
            is_move: later.moved_from == earlier.epoch,
        })
    }
}

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
    /// What owners have told of the log of each city.
    logs: BTreeMap<String, SeenLog>,
    /// Changes of owners, oldest first.
    takeovers: VecDeque<Takeover>,
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

    /// Returns the engine that was last heard as the owner of a shard, also if it is silent.
    pub fn last_owner(&self, city: &str, shard: u16) -> Option<u64> {
        let state = self.state.lock();
        state.owners.get(&(city.to_owned(), shard)).map(|(_, beat)| beat.engine)
    }

    /// Returns all owners.
    pub fn owners(&self) -> Vec<Beat> {
        let state = self.state.lock();
        let live = state.owners.values().filter(|(at, _)| at.elapsed() < SILENCE);
        live.map(|(_, beat)| beat.clone()).collect()
    }

    /// Returns city, shard and epoch of the owners of other cities that were heard within a time,
    /// also of those that are silent now.
    pub fn owners_elsewhere(&self, city: &str, within: Duration) -> BTreeSet<(String, u16, u64)> {
        let state = self.state.lock();
        let heard = state.owners.values().filter(|(at, _)| at.elapsed() < within);
        let beats = heard.map(|(_, beat)| beat).filter(|beat| beat.city != city);
        let is_current = |beat: &&Beat| {
            // Another division of the city has fewer shards.
            let first = state.owners.get(&(beat.city.clone(), 0)).map(|(_, first)| first);
            first.is_none_or(|first| beat.shard < first.shards)
        };
        let key = |beat: &Beat| (beat.city.clone(), beat.shard, beat.epoch);
        beats.filter(is_current).map(key).collect()
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

    /// Returns the records that the live frontends and this process have seen of the log of a city.
    pub fn seen(&self, city: &str) -> Vec<Seen> {
        let state = self.state.lock();
        let live = state.frontends.values().filter(|(at, _)| at.elapsed() < SILENCE);
        let of_city = live.flat_map(|(_, beat)| &beat.seen).filter(|(name, _)| name == city);
        let own = state.logs.get(city).into_iter().flat_map(SeenLog::records);
        of_city.map(|(_, seen)| *seen).chain(own).collect()
    }

    /// Returns the live engine processes.
    pub fn engines(&self) -> Vec<EngineBeat> {
        let state = self.state.lock();
        let live = state.engines.values().filter(|(at, _)| at.elapsed() < SILENCE);
        live.map(|(_, beat)| beat.clone()).collect()
    }

    /// Returns the changes of owners since this process listens, newest first.
    pub fn takeovers(&self) -> Vec<Takeover> {
        self.state.lock().takeovers.iter().rev().cloned().collect()
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
                let log = self.logs.entry(beat.city.clone()).or_default();
                log.note_owner(beat.seen, beat.complete_since);
                let earlier = self.owners.get(&key).map(|(_, earlier)| earlier);
                let takeover = earlier.and_then(|earlier| Takeover::between(earlier, &beat));
                self.takeovers.extend(takeover);
                let surplus = self.takeovers.len().saturating_sub(MAX_TAKEOVERS);
                self.takeovers.drain(..surplus);
                self.owners.insert(key, (now, beat));
            }
        }
    }
}
