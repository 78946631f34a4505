//! The process of an engine: contends for the shards of its cities, and reigns over those that it
//! gets.

use super::EngineCity;
use super::handover::Prepared;
use super::metrics::EngineMetrics;
use super::present_users::PresentShards;
use super::reign::{Reign, ReignEnd};
use crate::message::{CLAIMS, EngineBeat, encode, engine_beat_subject, handover_subject};
use crate::peers::Peers;
use async_nats::Subject;
use bytes::Bytes;
use cluster::{
    Acquired, Bucket, City, Cluster, ClusterError, Holder, KeptLease, Lease, LogSettings, NodeId,
    Owner, Shard, Want,
};
use gateway::config::Config;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// Parts from which an engine is built.
pub struct HostParts {
    /// Connection.
    pub cluster: Cluster,
    /// Settings.
    pub config: Config,
    /// Cities whose shards the engine may own.
    pub cities: Vec<EngineCity>,
    /// Name for people, such as the host name.
    pub name: String,
    /// Difference of the wall clock from that of the system, in milliseconds. For tests.
    pub clock_skew_ms: i64,
}

/// Shared state of an engine process.
pub struct Host {
    pub(super) cluster: Cluster,
    pub(super) bucket: Bucket,
    pub(super) config: Config,
    pub(super) id: NodeId,
    pub(super) name: String,
    pub(super) peers: Peers,
    pub(super) metrics: EngineMetrics,
    pub(super) cities: Vec<Arc<EngineCity>>,
    /// Shards that other engines hand over to this one.
    pub(super) prepared: Mutex<BTreeMap<Shard, Prepared>>,
    /// Users of the shards that this engine owns.
    pub(super) present: Mutex<PresentShards>,
    owned: AtomicUsize,
    /// Held while a lease is acquired: the next shard sees the number of owned ones.
    acquiring: tokio::sync::Mutex<()>,
    clock_skew_ms: i64,
    stop: watch::Sender<bool>,
}

/// A running engine.
pub struct RunningEngine {
    host: Arc<Host>,
    tasks: JoinSet<()>,
}

/// Records live longer than the horizon by this much: no record within the horizon ages out.
const LOG_MARGIN: Duration = Duration::from_secs(60);

/// Polls of a vacant shard in the time of a lease.
const POLLS: u32 = 8;

/// Pause between two signs of life.
const BEAT_INTERVAL: Duration = Duration::from_secs(1);

/// Time for which an engine listens before it owns a shard: every live frontend tells in it what it
/// has seen of the logs.
const LISTEN: Duration = Duration::from_millis(1_200);

/// Time for which a starting engine tries to open the bucket while the servers do not answer.
const BUCKET_WAIT: Duration = Duration::from_secs(20);

/// Runs a task until the engine stops.
fn until_stop<F: Future<Output = ()> + Send>(
    host: &Arc<Host>,
    task: F,
) -> impl Future<Output = ()> + Send + use<F> {
    let host = Arc::clone(host);
    async move {
        tokio::select! {
            () = host.stopped() => {}
            () = task => {}
        }
    }
}

impl Host {
    /// Connects the signs of life and starts to contend for all shards.
    ///
    /// # Errors
    /// If NATS is unavailable or refuses the bucket.
    pub async fn start(parts: HostParts) -> Result<RunningEngine, ClusterError> {
        let HostParts { cluster, config, cities, name, clock_skew_ms } = parts;
        let bucket = Bucket::open_within(&cluster, config.cluster.replicas, BUCKET_WAIT).await?;
        let peers = Peers::follow(&cluster).await?;
        let cities: Vec<Arc<EngineCity>> = cities.into_iter().map(Arc::new).collect();
        let host = Arc::new(Host {
            id: NodeId::random()?,
            metrics: EngineMetrics::default(),
            owned: AtomicUsize::new(0),
            acquiring: tokio::sync::Mutex::default(),
            prepared: Mutex::new(BTreeMap::new()),
            present: Mutex::new(PresentShards::new()),
            stop: watch::Sender::new(false),
            cluster,
            bucket,
            config,
            name,
            peers,
            cities,
            clock_skew_ms,
        });
        let mut tasks = JoinSet::new();
        for city in &host.cities {
            let name = City::new(&city.name)?;
            for number in 0..city.shards {
                let (host, city, shard) = (Arc::clone(&host), Arc::clone(city), name.shard(number));
                tasks.spawn(async move { host.contend(city, shard).await });
            }
        }
        let handovers = host.cluster.subscribe(handover_subject(host.id.0)).await?;
        tasks.spawn(until_stop(&host, Arc::clone(&host).take_handovers(handovers)));
        let claims = host.cluster.subscribe(CLAIMS.to_owned()).await?;
        tasks.spawn(until_stop(&host, Arc::clone(&host).answer_claims(claims)));
        tasks.spawn(until_stop(&host, Arc::clone(&host).beat()));
        tracing::info!(engine = %host.id, "engine started");
        Ok(RunningEngine { host, tasks })
    }

    /// Tells all processes every second that this engine lives.
    async fn beat(self: Arc<Self>) {
        let mut ticks = tokio::time::interval(BEAT_INTERVAL);
        loop {
            ticks.tick().await;
            let owned = self.owned.load(Ordering::Relaxed) as u32;
            let beat = EngineBeat { engine: self.id.0, name: self.name.clone(), owned };
            self.publish(engine_beat_subject(self.id.0), encode(&beat)).await;
        }
    }

    /// Settings of the log of a city.
    pub(super) fn log_settings(&self) -> LogSettings {
        LogSettings {
            replicas: self.config.cluster.replicas,
            max_age: self.config.engine.horizon_rule().longest() + LOG_MARGIN,
        }
    }

    /// Unix time in milliseconds.
    pub(super) fn wall_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let millis = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
        millis.saturating_add_signed(self.clock_skew_ms)
    }

    /// Waits until the engine stops.
    pub(super) async fn stopped(&self) {
        let mut stop = self.stop.subscribe();
        stop.wait_for(|stop| *stop).await.ok();
    }

    /// Sends a message. A failure is the network's: the receivers have time-outs.
    pub(super) async fn publish(&self, subject: String, bytes: Bytes) {
        if let Err(error) = self.cluster.client().publish(Subject::from(subject), bytes).await {
            tracing::warn!(%error, "cannot send a message");
        }
    }

    /// Acquires a shard whenever it is free, and reigns until it is lost.
    async fn contend(self: Arc<Self>, city: Arc<EngineCity>, shard: Shard) {
        tokio::select! {
            () = self.stopped() => return,
            () = sleep(LISTEN) => {}
        }
        loop {
            tokio::select! {
                () = self.stopped() => return,
                lease = self.acquire(&shard) => {
                    let end = Arc::clone(&self).reign(Arc::clone(&city), shard.clone(), lease).await;
                    self.owned.fetch_sub(1, Ordering::Relaxed);
                    self.metrics.lost(&shard.to_string());
                    tracing::warn!(%shard, reason = %end, "the reign over a shard has ended");
                    if matches!(end, ReignEnd::Stopped) {
                        return;
                    }
                }
            }
        }
    }

    /// Waits until the lease of a shard is acquired. An engine that owns more shards than another
    /// live engine waits longer, so that shards spread over engines.
    async fn acquire(&self, shard: &Shard) -> KeptLease {
        let pause = self.config.cluster.lease / POLLS;
        let mut vacant = 0;
        loop {
            if self.is_due(shard, vacant) {
                match self.try_acquire(shard, vacant).await {
                    Ok(Some(lease)) => return lease.keep(),
                    Ok(None) => vacant = 0,
                    Err(error) => tracing::warn!(%error, %shard, "cannot acquire a lease"),
                }
            } else if Owner::get(&self.bucket, shard).await.is_ok_and(|owner| owner.is_none()) {
                vacant += 1;
            } else {
                vacant = 0;
            }
            let pause = if self.prepared.lock().contains_key(shard) { pause / 8 } else { pause };
            sleep(pause).await;
        }
    }

    /// Whether a shard that was vacant in this many polls may be acquired.
    fn is_due(&self, shard: &Shard, vacant: usize) -> bool {
        self.prepared.lock().contains_key(shard) || vacant >= self.surplus(shard)
    }

    /// Number of polls for which a vacant shard is left to engines with fewer shards. The last owner
    /// of the shard does not count: it may be dead.
    fn surplus(&self, shard: &Shard) -> usize {
        let last = self.peers.last_owner(shard.city.as_str(), shard.number);
        let others = self.peers.engines().into_iter().filter(|other| Some(other.engine) != last);
        let least = others.map(|other| other.owned as usize).min().unwrap_or(usize::MAX);
        let surplus = self.owned.load(Ordering::Relaxed).saturating_sub(least);
        surplus * POLLS as usize / 2
    }

    /// Tries once to acquire a lease, one shard at a time.
    async fn try_acquire(
        &self,
        shard: &Shard,
        vacant: usize,
    ) -> Result<Option<Box<Lease>>, ClusterError> {
        let _turn = self.acquiring.lock().await;
        if !self.is_due(shard, vacant) || !self.may_own(shard).await {
            return Ok(None);
        }
        let holder = Holder { id: self.id, name: self.name.clone() };
        let lease = self.config.cluster.lease;
        Ok(match Lease::acquire(&self.bucket, shard, &holder, lease).await? {
            Acquired::Held(lease) => {
                self.owned.fetch_add(1, Ordering::Relaxed);
                Some(lease)
            }
            Acquired::Taken(_) | Acquired::Retry => None,
        })
    }

    /// Whether the operator wants no other live engine for a shard.
    async fn may_own(&self, shard: &Shard) -> bool {
        let Ok(want) = Want::get(&self.bucket, shard).await else { return false };
        let lives = |id: NodeId| self.peers.engines().iter().any(|engine| engine.engine == id.0);
        want.engine.is_none_or(|engine| engine == self.id || !lives(engine))
    }

    async fn reign(
        self: Arc<Self>,
        city: Arc<EngineCity>,
        shard: Shard,
        lease: KeptLease,
    ) -> ReignEnd {
        let epoch = lease.epoch();
        match Reign::begin(Arc::clone(&self), city, shard.clone(), lease).await {
            Ok(mut reign) => {
                tracing::info!(%shard, epoch, "owns a shard");
                self.metrics.gained(&shard.to_string(), epoch);
                let end = reign.run().await;
                reign.close(&end).await;
                end
            }
            Err(end) => end,
        }
    }
}

impl RunningEngine {
    /// Shared state.
    pub fn host(&self) -> &Arc<Host> {
        &self.host
    }

    /// Stops ticking and gives the leases up, so that other engines take over at once.
    pub async fn stop(mut self) {
        self.host.stop.send_replace(true);
        while self.tasks.join_next().await.is_some() {}
    }
}
