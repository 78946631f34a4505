//! Load benchmark: a gateway in this process and a load generator in another, streamed and by requests,
//! compared with an echo server and with the engine alone.

mod echo;
pub mod generator;
mod processor_time;
mod row;

use super::Transport;
use super::clients::{ClientQuery, ClientSettings, Clients};
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
use generator::Load;
use meshcloak::distance::Atlas;
use meshcloak::engine::{Batch, turn};
use meshcloak::guarantee::Guarantee;
use meshcloak::map::StreetMap;
use meshcloak::mesh_cloak::{MeshCloak, Settings as SchemeSettings};
use meshcloak::query::QueryId;
use meshcloak::scheme::State;
use meshcloak::units::{Length, Time};
use processor_time::ThreadTimes;
use row::Row;
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
    let mut rows = Vec::new();
    for &seconds in ticks {
        println!("batch interval {seconds} s");
        let tick = Duration::from_secs_f64(seconds);
        for &rate in rates {
            rows.push(bench.measure(Transport::Stream, rate, tick)?);
        }
        for &rate in request_rates {
            if u64::from(rate) * FILES_PER_REQUEST_RATE <= max_files() {
                rows.push(bench.measure(Transport::Requests, rate, tick)?);
            } else {
                println!("by requests, {} queries/s: too few open files", grouped(rate.into()));
            }
            rows.push(bench.measure(Transport::Http2, rate, tick)?);
        }
    }
    let peers = [("engine alone", engine), ("echo, streamed", lines)];
    Row::print_ratios(&rows, Transport::Stream, &peers);
    let peers = [("echo, HTTP/1.1", echo), ("echo, HTTP/2", echo_http2)];
    for transport in [Transport::Requests, Transport::Http2] {
        Row::print_ratios(&rows, transport, &peers);
    }
    Ok(())
}

/// Open files of the gateway for each request per second with HTTP/1.1: a request holds its connection
/// until its query ends. Most queries are served within 1.5 s, the others wait for 3 s.
const FILES_PER_REQUEST_RATE: u64 = 2;

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

    /// Measures a load and prints it.
    fn measure(&self, transport: Transport, rate: u32, tick: Duration) -> Result<Row> {
        let running = self.gateway(tick)?;
        let workload = self.workload(rate);
        let connections = if transport == Transport::Http2 { HTTP2_CONNECTIONS } else { STREAMS };
        let url = format!("http://{}", running.address());
        let before = ThreadTimes::now();
        let load = Load { url: &url, transport, connections }.generate(&workload)?;
        let mut spent = ThreadTimes::now().since(&before);
        spent.load = Duration::from_secs_f64(load.cpu_seconds);
        self.server.block_on(running.stop());
        let row = Row { transport, rate, load };
        println!("{row}");
        println!("{:20} {}", "", spent.per_query(row.load.all()));
        Ok(row)
    }
}
