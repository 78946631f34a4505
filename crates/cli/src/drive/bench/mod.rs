//! Load benchmark: gateway and load generator in one process, each with its own runtime, streamed and
//! by requests, compared with an echo server and with the engine alone.

mod echo;
mod processor_time;

use super::clients::{ClientQuery, ClientSettings, Clients};
use super::statistics::LoadStatistics;
use super::{GatewayClient, Transport};
use crate::table::grouped;
use anyhow::Result;
use gateway::city::CityParts;
use gateway::clock::Clock;
use gateway::config::{Config, Mode};
use gateway::gateway::{Gateway, Parts};
use gateway::serve::Running;
use gateway::server::app;
use gateway::service::BuiltIn;
use gateway::walk::Walker;
use meshcloak::distance::Atlas;
use meshcloak::engine::{Batch, turn};
use meshcloak::guarantee::Guarantee;
use meshcloak::map::StreetMap;
use meshcloak::mesh_cloak::{MeshCloak, Settings as SchemeSettings};
use meshcloak::query::QueryId;
use meshcloak::scheme::State;
use meshcloak::units::{Length, Time};
use processor_time::ThreadTimes;
use rustix::process::{Resource, getrlimit, setrlimit};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use traffic::{Profile, Simulation, SimulationSettings};

/// Simulated seconds before the measurement, in which the agents appear.
const SKIP: u32 = 50;

/// Measured seconds.
const SECONDS: u32 = 10;

/// Connections of the streamed load, and of requests with HTTP/2.
const STREAMS: usize = 4;
const HTTP2_CONNECTIONS: usize = 32;

/// Largest 99th percentile of the time from batch to answer at a sustained rate, in milliseconds.
const MAX_P99: f64 = 500.0;

/// What to measure.
#[derive(Clone, Copy, Debug)]
pub struct BenchSettings<'a> {
    /// Streamed queries per second.
    pub rates: &'a [u32],
    /// Queries per second by single requests.
    pub request_rates: &'a [u32],
    /// Batch intervals, in seconds.
    pub ticks: &'a [f64],
}

/// Runs all measurements and prints the results.
pub fn run(map: &Arc<StreetMap>, profile: &Profile, settings: BenchSettings<'_>) -> Result<()> {
    let BenchSettings { rates, request_rates, ticks } = settings;
    let atlas = Arc::new(Atlas::new(StreetMap::clone(map), Length::metres(2000.0)));
    atlas.fill();
    let walker = Arc::new(Walker::new(Arc::clone(&atlas)));
    let (server, load) = (runtime(processor_time::GATEWAY)?, runtime(processor_time::LOAD)?);
    let bench = Bench { server, load, map, profile, walker };
    let max_rate = rates.iter().copied().max().unwrap_or(1);
    let engine = bench.engine_alone(&atlas, max_rate);
    println!("engine alone         {:>9} queries/s", grouped(engine as u64));
    let lines = bench.echo_streamed(max_rate)?;
    println!("echo, streamed       {:>9} lines/s", grouped(lines as u64));
    let echo = bench.echo_requests(Transport::Requests)?;
    println!("echo, by requests    {:>9} requests/s", grouped(echo as u64));
    let echo_http2 = bench.echo_requests(Transport::Http2)?;
    println!("echo, HTTP/2         {:>9} requests/s", grouped(echo_http2 as u64));
    let (mut streamed, mut requested, mut http2) = (0.0_f64, 0.0_f64, 0.0_f64);
    for &seconds in ticks {
        println!("batch interval {seconds} s");
        let tick = Duration::from_secs_f64(seconds);
        for &rate in rates {
            streamed = streamed.max(bench.sustained(Transport::Stream, rate, tick)?);
        }
        for &rate in request_rates {
            if u64::from(rate) * FILES_PER_REQUEST_RATE <= max_files() {
                requested = requested.max(bench.sustained(Transport::Requests, rate, tick)?);
            } else {
                println!("by requests, {} queries/s: too few open files", grouped(rate.into()));
            }
            http2 = http2.max(bench.sustained(Transport::Http2, rate, tick)?);
        }
    }
    println!(
        "streamed, relative to the engine alone {:.3}, to the echo {:.3}",
        streamed / engine,
        streamed / lines
    );
    println!("by requests, relative to the echo {:.3}", requested / echo);
    println!(
        "HTTP/2, relative to the echo by requests {:.3}, with HTTP/2 {:.3}",
        http2 / echo,
        http2 / echo_http2
    );
    Ok(())
}

/// Open files of both sides for each request per second with HTTP/1.1: a request holds its connection
/// until its query ends, and queries that are not served wait for 3 s.
const FILES_PER_REQUEST_RATE: u64 = 6;

/// Raises the limit of open files to its maximum, and returns it.
fn max_files() -> u64 {
    let mut limits = getrlimit(Resource::Nofile);
    limits.current = limits.maximum;
    // On failure the current limit stays in force.
    setrlimit(Resource::Nofile, limits).ok();
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// Builds a runtime with named threads.
fn runtime(name: &str) -> Result<Runtime> {
    Ok(Builder::new_multi_thread().enable_all().thread_name(name).build()?)
}

struct Bench<'a> {
    /// Runtime of the servers.
    server: Runtime,
    /// Runtime of the load generator.
    load: Runtime,
    map: &'a Arc<StreetMap>,
    profile: &'a Profile,
    walker: Arc<Walker>,
}

impl Bench<'_> {
    /// Returns a simulation with about `rate` queries per second.
    fn simulation(&self, rate: u32) -> SimulationSettings {
        let mut settings = SimulationSettings { users: 10_000, ..SimulationSettings::default() };
        let mut simulation = Simulation::new(self.map, self.profile, settings);
        let seconds = (0..SKIP + SECONDS).filter_map(|_| simulation.step());
        let asked: Vec<usize> = seconds.map(|batch| batch.queries.len()).collect();
        let mean = asked.iter().rev().take(SECONDS as usize).sum::<usize>() / SECONDS as usize;
        settings.users = (f64::from(rate) * 10_000.0 / (mean.max(1) as f64)) as u32;
        settings
    }

    /// Prepares all queries in advance, so that the generator only has to send them.
    fn workload(&self, rate: u32) -> Vec<Vec<ClientQuery>> {
        let simulation = self.simulation(rate);
        let settings = ClientSettings { simulation, seconds: SECONDS, skip: SKIP };
        Clients::start(Arc::clone(self.map), self.profile.clone(), settings).collect()
    }

    /// Returns the throughput of the engine alone, in queries per second.
    fn engine_alone(&self, atlas: &Arc<Atlas>, rate: u32) -> f64 {
        let mut simulation = Simulation::new(self.map, self.profile, self.simulation(rate));
        let settings =
            SchemeSettings { guarantee: Guarantee::Reciprocal, ..SchemeSettings::default() };
        let mut scheme = MeshCloak::new(Arc::clone(atlas), settings);
        let mut state = State::default();
        let (mut queries, mut spent, mut ids) = (0, Duration::ZERO, (1..).map(QueryId));
        for second in 0..SKIP + SECONDS {
            let Some(batch) = simulation.step() else { break };
            if second < SKIP {
                continue;
            }
            let arrivals = batch.queries.iter().zip(&mut ids);
            let arrivals: Vec<_> = arrivals.map(|(query, id)| query.as_query(id)).collect();
            queries += arrivals.len();
            let now = Time::from_millis(u64::from(second) * 1000);
            let start = Instant::now();
            turn(&mut scheme, &mut state, Batch { now, arrivals, cancelled: Vec::new() }, &mut ());
            spent += start.elapsed();
        }
        queries as f64 / spent.as_secs_f64()
    }

    fn gateway(&self, tick: Duration) -> Result<Running> {
        let mut config = Config { keys: None, ..Config::default() };
        config.server.listen = SocketAddr::from(([127, 0, 0, 1], 0));
        config.server.metrics = None;
        config.server.connections = 100_000;
        config.engine.queue = 1_000_000;
        config.engine.tick = tick;
        config.limits.rate = 10_000_000;
        config.limits.person_rate = 60_000;
        let walker = Arc::clone(&self.walker);
        let service = Box::new(BuiltIn::new(Arc::clone(&walker)));
        let parts = Parts {
            config,
            mode: Mode::Demo,
            cities: vec![CityParts::only(walker, service)],
            clock: Clock::start(),
        };
        let gateway = Arc::new(Gateway::new(parts)?);
        Ok(self.server.block_on(async {
            gateway.refresh_categories().await.ok();
            Running::start(Arc::clone(&gateway), app(gateway)).await
        })?)
    }

    /// Returns the sustained throughput of a load; see [`print_row`].
    fn sustained(&self, transport: Transport, rate: u32, tick: Duration) -> Result<f64> {
        let running = self.gateway(tick)?;
        let client = GatewayClient::new(&format!("http://{}", running.address()), None)?;
        let workload = self.workload(rate).into_iter();
        let (start, before) = (Instant::now(), ThreadTimes::now());
        let connections = if transport == Transport::Http2 { HTTP2_CONNECTIONS } else { STREAMS };
        let load = async move { transport.drive(&client, workload, connections, None).await };
        let statistics = self.load.block_on(self.load.spawn(load))??;
        let spent = ThreadTimes::now().since(&before);
        let elapsed = start.elapsed();
        self.server.block_on(running.stop());
        println!("{}", row(transport, rate, &statistics, elapsed));
        println!("{:20} {}", "", spent.per_query(statistics.all()));
        Ok(sustained_rate(&statistics))
    }
}

/// Formats a row.
fn row(transport: Transport, rate: u32, statistics: &LoadStatistics, elapsed: Duration) -> String {
    let transport = match transport {
        Transport::Stream => "streamed",
        Transport::Requests => "by requests",
        Transport::Http2 => "by requests, HTTP/2",
    };
    let (median, p99) = (statistics.after_batch(0.5), statistics.after_batch(0.99));
    format!(
        "{transport:<20} {:>9} queries/s offered, {:>9} completed; after the batch {median:.0} ms, p99 {p99:.0} ms; \
         answered {:.1} %, refused {}, lost {}; {:.1} s",
        grouped(u64::from(rate)),
        grouped(completed_rate(statistics) as u64),
        100.0 * statistics.count("answered") as f64 / (statistics.all() as f64).max(1.0),
        statistics.count("refused"),
        statistics.count("no response"),
        elapsed.as_secs_f64(),
    )
}

/// Queries per second that were neither refused nor lost.
fn completed_rate(statistics: &LoadStatistics) -> f64 {
    let incomplete = statistics.count("refused") + statistics.count("no response");
    (statistics.all() - incomplete) as f64 / f64::from(SECONDS)
}

/// Returns the throughput in queries per second, or 0 if the rate was not sustained: a query was
/// refused or lost, or the answers came too late.
fn sustained_rate(statistics: &LoadStatistics) -> f64 {
    let is_complete = statistics.count("refused") + statistics.count("no response") == 0;
    let is_fast = statistics.after_batch(0.99) < MAX_P99;
    if is_complete && is_fast { completed_rate(statistics) } else { 0.0 }
}
