//! A gateway of its own under load, with the generator beside it in the same process: streamed and
//! by requests, against a bare echo server and against the engine alone, in one run.

use super::crowd::{Crowd, Plan, Post};
use super::tally::Tally;
use super::{Target, requests, streams};
use crate::table::grouped;
use anyhow::Result;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::routing::post;
use gateway::clock::Clock;
use gateway::config::{Config, Mode};
use gateway::gateway::{Gateway, Parts};
use gateway::listen::{Manners, listen};
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

/// Seconds of people's lives before they are measured: until then they are still appearing.
const SKIP: u32 = 50;

/// Seconds that are measured.
const SECONDS: u32 = 10;

/// Connections of the streamed load, and of the echo.
const STREAMS: usize = 4;

/// Queries per second to try by requests.
const REQUEST_RATES: [u32; 3] = [1_000, 2_000, 3_000];

/// Lengths of a batch to try.
const TICKS: [Duration; 2] = [Duration::from_secs(1), Duration::from_millis(200)];

/// Runs all of it and prints what it came to.
pub fn run(
    runtime: &Runtime,
    map: &Arc<StreetMap>,
    profile: &Profile,
    rates: &[u32],
) -> Result<()> {
    let atlas = Arc::new(Atlas::new(StreetMap::clone(map), Length::metres(2000.0)));
    let walker = Arc::new(Walker::new(Arc::clone(&atlas)));
    let bench = Bench { runtime, map, profile, walker };
    let most = rates.iter().copied().max().unwrap_or(1);
    let engine = bench.engine_alone(&atlas, most);
    println!("engine alone         {:>9} queries/s", grouped(engine as u64));
    let lines = bench.echo_streamed(most)?;
    println!("echo, streamed       {:>9} lines/s", grouped(lines as u64));
    let echo = bench.echo_requests()?;
    println!("echo, by requests    {:>9} requests/s", grouped(echo as u64));
    let mut streamed = 0.0_f64;
    let mut requested = 0.0_f64;
    for tick in TICKS {
        println!("batches of {} s", tick.as_secs_f64());
        for &rate in rates {
            streamed = streamed.max(bench.streamed(rate, tick)?);
        }
        for rate in REQUEST_RATES {
            requested = requested.max(bench.by_requests(rate, tick)?);
        }
    }
    println!(
        "streamed, of the engine alone {:.3}, of the echo {:.3}",
        streamed / engine,
        streamed / lines
    );
    println!("by requests, of the echo {:.3}", requested / echo);
    Ok(())
}

struct Bench<'a> {
    runtime: &'a Runtime,
    map: &'a Arc<StreetMap>,
    profile: &'a Profile,
    walker: Arc<Walker>,
}

impl Bench<'_> {
    /// People of whom about `rate` ask per second.
    fn settings(&self, rate: u32) -> SimulationSettings {
        let mut settings = SimulationSettings { users: 10_000, ..SimulationSettings::default() };
        let mut simulation = Simulation::new(self.map, self.profile, settings);
        let seconds = (0..SKIP + SECONDS).filter_map(|_| simulation.step());
        let asked: Vec<usize> = seconds.map(|batch| batch.queries.len()).collect();
        let usual = asked.iter().rev().take(SECONDS as usize).sum::<usize>() / SECONDS as usize;
        settings.users = (f64::from(rate) * 10_000.0 / (usual.max(1) as f64)) as u32;
        settings
    }

    /// What they ask, prepared so that the generator has nothing to do but send.
    fn tape(&self, rate: u32) -> Vec<Vec<Post>> {
        let plan = Plan { settings: self.settings(rate), seconds: SECONDS, skip: SKIP };
        Crowd::start(Arc::clone(self.map), self.profile.clone(), plan).collect()
    }

    /// Queries per second that the engine could deal with if it had nothing else to do.
    fn engine_alone(&self, atlas: &Arc<Atlas>, rate: u32) -> f64 {
        let mut simulation = Simulation::new(self.map, self.profile, self.settings(rate));
        let settings =
            SchemeSettings { guarantee: Guarantee::Reciprocal, ..SchemeSettings::default() };
        let mut scheme = MeshCloak::new(Arc::clone(atlas), settings);
        let mut state = State::default();
        let (mut queries, mut spent, mut id) = (0, Duration::ZERO, 0);
        for second in 0..SKIP + SECONDS {
            let Some(batch) = simulation.step() else { break };
            if second < SKIP {
                continue;
            }
            let arrivals: Vec<_> = batch
                .queries
                .iter()
                .map(|query| {
                    id += 1;
                    query.as_query(QueryId(id))
                })
                .collect();
            queries += arrivals.len();
            let now = Time::from_millis(u64::from(second) * 1000);
            let began = Instant::now();
            turn(&mut scheme, &mut state, Batch { now, arrivals, cancelled: Vec::new() }, &mut ());
            spent += began.elapsed();
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
        let parts = Parts { config, mode: Mode::Demo, walker, service, clock: Clock::start() };
        let gateway = Arc::new(Gateway::new(parts)?);
        Ok(self.runtime.block_on(async {
            gateway.learn_categories().await.ok();
            Running::start(Arc::clone(&gateway), app(gateway)).await
        })?)
    }

    /// Streamed at a rate: what came through per second, if answers came soon enough.
    fn streamed(&self, rate: u32, tick: Duration) -> Result<f64> {
        let running = self.gateway(tick)?;
        let target = Target::new(&format!("http://{}", running.address()), None)?;
        let tape = self.tape(rate).into_iter();
        let began = Instant::now();
        let tally = self.runtime.block_on(streams::drive(&target, tape, STREAMS, None))?;
        self.runtime.block_on(running.stop());
        Ok(show("streamed", rate, &tally, began.elapsed()))
    }

    /// The same, each by a request of its own.
    fn by_requests(&self, rate: u32, tick: Duration) -> Result<f64> {
        let running = self.gateway(tick)?;
        let target = Target::new(&format!("http://{}", running.address()), None)?;
        let tape = self.tape(rate).into_iter();
        let began = Instant::now();
        let tally = self.runtime.block_on(requests::drive(&target, tape, None))?;
        drop(target);
        self.runtime.block_on(running.stop());
        Ok(show("by requests", rate, &tally, began.elapsed()))
    }

    /// Lines per second through a server that does nothing, as fast as they go.
    fn echo_streamed(&self, rate: u32) -> Result<f64> {
        let tape: Vec<Vec<Post>> = self.tape(rate);
        let lines: Vec<Bytes> = tape
            .iter()
            .map(|second| {
                let all: Vec<&[u8]> = second.iter().flat_map(|p| [&*p.body, b"\n"]).collect();
                Bytes::from(all.concat())
            })
            .collect();
        let count: usize = tape.iter().map(Vec::len).sum();
        self.runtime.block_on(async {
            let (address, _closing) = echo().await?;
            let target = Target::new(&format!("http://{address}"), None)?;
            let began = Instant::now();
            let chunks = futures_util::stream::iter(lines.into_iter().map(Ok::<_, std::io::Error>));
            let request = target.post("/", "application/x-ndjson");
            let mut response = request.body(reqwest::Body::wrap_stream(chunks)).send().await?;
            while response.chunk().await?.is_some() {}
            Ok(count as f64 / began.elapsed().as_secs_f64())
        })
    }

    /// Requests per second to a server that does nothing.
    fn echo_requests(&self) -> Result<f64> {
        self.runtime.block_on(async {
            let (address, _closing) = echo().await?;
            let target = Target::new(&format!("http://{address}"), None)?;
            let body = Bytes::from_static(&[b'x'; 230]);
            let began = Instant::now();
            let workers = (0..64).map(|_| {
                let (target, body) = (target.clone(), body.clone());
                tokio::spawn(async move {
                    let mut count = 0_u64;
                    while began.elapsed() < Duration::from_secs(3) {
                        let request = target.post("/", "application/json").body(body.clone());
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
            Ok(all as f64 / began.elapsed().as_secs_f64())
        })
    }
}

/// A server that gives back what it gets.
async fn echo() -> Result<(SocketAddr, watch::Sender<bool>)> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    let closing = watch::Sender::new(false);
    let app = Router::new().route("/", post(|body: Body| std::future::ready(body)));
    let patience = Duration::from_secs(10);
    let manners = Manners { connections: 10_000, patience, reading: patience, tls: None };
    tokio::spawn(listen(listener, app, manners, closing.subscribe()));
    Ok((address, closing))
}

/// Prints a row; gives queries per second, or 0 if answers were late or missing.
fn show(how: &str, rate: u32, tally: &Tally, took: Duration) -> f64 {
    let through = tally.all() - tally.count("refused") - tally.count("no response");
    let achieved = through as f64 / f64::from(SECONDS);
    let (median, p99) = (tally.after_batch(0.5), tally.after_batch(0.99));
    println!(
        "{how:<20} {:>9} queries/s offered, {:>9} ended; after the batch {median:.0} ms, p99 {p99:.0} ms; \
         answered {:.1} %, refused {}, lost {}; {:.1} s",
        grouped(u64::from(rate)),
        grouped(achieved as u64),
        100.0 * tally.count("answered") as f64 / (tally.all() as f64).max(1.0),
        tally.count("refused"),
        tally.count("no response"),
        took.as_secs_f64(),
    );
    let sustained = p99 < 200.0 && tally.count("refused") + tally.count("no response") == 0;
    if sustained { achieved } else { 0.0 }
}
