//! Load benchmark: gateway and load generator in one process, streamed and by requests, compared
//! with an echo server and with the engine alone.

use super::clients::{ClientQuery, ClientSettings, Clients};
use super::statistics::LoadStatistics;
use super::{GatewayClient, Transport};
use crate::table::grouped;
use anyhow::Result;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::routing::post;
use gateway::city::CityParts;
use gateway::clock::Clock;
use gateway::config::{Config, Mode};
use gateway::gateway::{Gateway, Parts};
use gateway::listen::{ConnectionLimits, listen};
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
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use traffic::{Profile, Simulation, SimulationSettings};

/// Simulated seconds before the measurement, in which the agents appear.
const SKIP: u32 = 50;

/// Measured seconds.
const SECONDS: u32 = 10;

/// Connections of the streamed load, and of requests with HTTP/2.
const STREAMS: usize = 4;
const HTTP2_CONNECTIONS: usize = 32;

/// Batch intervals to try.
const TICKS: [Duration; 2] = [Duration::from_secs(1), Duration::from_millis(200)];

/// Runs all measurements and prints the results.
pub fn run(
    runtime: &Runtime,
    map: &Arc<StreetMap>,
    profile: &Profile,
    (rates, request_rates): (&[u32], &[u32]),
) -> Result<()> {
    let atlas = Arc::new(Atlas::new(StreetMap::clone(map), Length::metres(2000.0)));
    atlas.fill();
    let walker = Arc::new(Walker::new(Arc::clone(&atlas)));
    let bench = Bench { runtime, map, profile, walker };
    let max_rate = rates.iter().copied().max().unwrap_or(1);
    let engine = bench.engine_alone(&atlas, max_rate);
    println!("engine alone         {:>9} queries/s", grouped(engine as u64));
    let lines = bench.echo_streamed(max_rate)?;
    println!("echo, streamed       {:>9} lines/s", grouped(lines as u64));
    let echo = bench.echo_requests()?;
    println!("echo, by requests    {:>9} requests/s", grouped(echo as u64));
    let mut streamed = 0.0_f64;
    let mut requested = 0.0_f64;
    for tick in TICKS {
        println!("batch interval {} s", tick.as_secs_f64());
        for &rate in rates {
            streamed = streamed.max(bench.sustained(Transport::Stream, rate, tick)?);
        }
        for &rate in request_rates {
            for transport in [Transport::Requests, Transport::Http2] {
                requested = requested.max(bench.sustained(transport, rate, tick)?);
            }
        }
    }
    println!(
        "streamed, relative to the engine alone {:.3}, to the echo {:.3}",
        streamed / engine,
        streamed / lines
    );
    println!("by requests, relative to the echo {:.3}", requested / echo);
    Ok(())
}

struct Bench<'a> {
    runtime: &'a Runtime,
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
        Ok(self.runtime.block_on(async {
            gateway.refresh_categories().await.ok();
            Running::start(Arc::clone(&gateway), app(gateway)).await
        })?)
    }

    /// Returns the sustained throughput of a load; see [`print_row`].
    fn sustained(&self, transport: Transport, rate: u32, tick: Duration) -> Result<f64> {
        let running = self.gateway(tick)?;
        let client = GatewayClient::new(&format!("http://{}", running.address()), None)?;
        let workload = self.workload(rate).into_iter();
        let start = Instant::now();
        let connections = if transport == Transport::Http2 { HTTP2_CONNECTIONS } else { STREAMS };
        let load = transport.drive(&client, workload, connections, None);
        let statistics = self.runtime.block_on(load)?;
        drop(client);
        self.runtime.block_on(running.stop());
        Ok(print_row(transport, rate, &statistics, start.elapsed()))
    }

    /// Returns the throughput of an echo server on one stream, in lines per second.
    fn echo_streamed(&self, rate: u32) -> Result<f64> {
        let workload = self.workload(rate);
        let lines: Vec<Bytes> = workload
            .iter()
            .map(|second| {
                let all: Vec<&[u8]> = second.iter().flat_map(|p| [&*p.body, b"\n"]).collect();
                Bytes::from(all.concat())
            })
            .collect();
        let count: usize = workload.iter().map(Vec::len).sum();
        self.runtime.block_on(async {
            let (address, _closing) = echo().await?;
            let client = GatewayClient::new(&format!("http://{address}"), None)?;
            let start = Instant::now();
            let chunks = futures_util::stream::iter(lines.into_iter().map(Ok::<_, std::io::Error>));
            let request = client.post("/", "application/x-ndjson");
            let mut response = request.body(reqwest::Body::wrap_stream(chunks)).send().await?;
            while response.chunk().await?.is_some() {}
            Ok(count as f64 / start.elapsed().as_secs_f64())
        })
    }

    /// Returns the throughput of an echo server by requests, in requests per second.
    fn echo_requests(&self) -> Result<f64> {
        self.runtime.block_on(async {
            let (address, _closing) = echo().await?;
            let client = GatewayClient::new(&format!("http://{address}"), None)?;
            let body = Bytes::from_static(&[b'x'; 230]);
            let start = Instant::now();
            let workers = (0..64).map(|_| {
                let (client, body) = (client.clone(), body.clone());
                tokio::spawn(async move {
                    let mut count = 0_u64;
                    while start.elapsed() < Duration::from_secs(3) {
                        let request = client.post("/", "application/json").body(body.clone());
                        let response = request.send().await?;
                        response.bytes().await?;
                        count += 1;
                    }
                    Ok::<u64, reqwest::Error>(count)
                })
            });
            let mut all = 0;
            for worker in workers.collect::<Vec<_>>() {
                all += worker.await??;
            }
            Ok(all as f64 / start.elapsed().as_secs_f64())
        })
    }
}

/// Starts an echo server; it stops when the sender is dropped.
async fn echo() -> Result<(SocketAddr, watch::Sender<bool>)> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    let closing = watch::Sender::new(false);
    let app = Router::new().route("/", post(|body: Body| std::future::ready(body)));
    let timeout = Duration::from_secs(10);
    let limits = ConnectionLimits {
        connections: 10_000,
        per_address: 10_000,
        read_timeout: timeout,
        write_timeout: timeout,
        tls: None,
    };
    tokio::spawn(listen(listener, app, limits, closing.subscribe()));
    Ok((address, closing))
}

/// Prints a row. Returns the throughput in queries per second, or 0 if the rate was not sustained:
/// a query was refused or lost, or the 99th percentile of the time after the batch is 200 ms or more.
fn print_row(
    transport: Transport,
    rate: u32,
    statistics: &LoadStatistics,
    elapsed: Duration,
) -> f64 {
    let transport = match transport {
        Transport::Stream => "streamed",
        Transport::Requests => "by requests",
        Transport::Http2 => "by requests, HTTP/2",
    };
    let through = statistics.all() - statistics.count("refused") - statistics.count("no response");
    let achieved = through as f64 / f64::from(SECONDS);
    let (median, p99) = (statistics.after_batch(0.5), statistics.after_batch(0.99));
    println!(
        "{transport:<20} {:>9} queries/s offered, {:>9} completed; after the batch {median:.0} ms, p99 {p99:.0} ms; \
         answered {:.1} %, refused {}, lost {}; {:.1} s",
        grouped(u64::from(rate)),
        grouped(achieved as u64),
        100.0 * statistics.count("answered") as f64 / (statistics.all() as f64).max(1.0),
        statistics.count("refused"),
        statistics.count("no response"),
        elapsed.as_secs_f64(),
    );
    let sustained =
        p99 < 200.0 && statistics.count("refused") + statistics.count("no response") == 0;
    if sustained { achieved } else { 0.0 }
}
