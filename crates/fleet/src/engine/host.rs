//! The process of an engine: contends for the shards of its cities, and reigns over those that it
//! gets.

use super::EngineCity;
use super::handover::Prepared;
use super::metrics::EngineMetrics;
use super::reign::{Reign, ReignEnd};
use crate::message::{EngineBeat, encode, engine_beat_subject, handover_subject};
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
    owned: AtomicUsize,
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

/// Pause between two signs of life.
const BEAT_INTERVAL: Duration = Duration::from_secs(1);

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
        let bucket = Bucket::open(&cluster, config.cluster.replicas).await?;
        let peers = Peers::follow(&cluster).await?;
        let cities: Vec<Arc<EngineCity>> = cities.into_iter().map(Arc::new).collect();
        let host = Arc::new(Host {
            id: NodeId::random()?,
            metrics: EngineMetrics::default(),
            owned: AtomicUsize::new(0),
            prepared: Mutex::new(BTreeMap::new()),
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
            for number in 0..city.plan.shards() {
                let (host, city, shard) = (Arc::clone(&host), Arc::clone(city), name.shard(number));
                tasks.spawn(async move { host.contend(city, shard).await });
            }
        }
        let handovers = host.cluster.subscribe(handover_subject(host.id.0)).await?;
        tasks.spawn(until_stop(&host, Arc::clone(&host).take_handovers(handovers)));
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
            max_age: self.config.engine.horizon + LOG_MARGIN,
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
        loop {
            tokio::select! {
                () = self.stopped() => return,
                lease = self.acquire(&shard) => {
                    self.owned.fetch_add(1, Ordering::Relaxed);
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

    /// Waits until the lease of a shard is acquired. An engine that owns shards waits longer, so
    /// that shards spread over engines.
    async fn acquire(&self, shard: &Shard) -> KeptLease {
        let pause = self.config.cluster.lease / 8;
        let mut vacant = 0;
        loop {
            let holder = Holder { id: self.id, name: self.name.clone() };
            let is_wanted = self.prepared.lock().contains_key(shard);
            let has_waited = vacant >= self.owned.load(Ordering::Relaxed);
            if (is_wanted || has_waited) && self.may_own(shard).await {
                match Lease::acquire(&self.bucket, shard, &holder, self.config.cluster.lease).await
                {
                    Ok(Acquired::Held(lease)) => return lease.keep(),
                    Ok(Acquired::Taken(_)) => vacant = 0,
                    Ok(Acquired::Retry) => {}
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
