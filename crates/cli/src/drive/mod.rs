//! `meshcloak drive`: sends simulated queries to a running gateway in real time and compares the
//! answers with those for the true positions.

mod bench;
mod clients;
pub mod reference;
mod requests;
pub mod response;
mod statistics;
mod streams;

use crate::map_args::MapArgs;
use crate::progress::Console;
use crate::stdout;
use crate::traffic_args::TrafficArgs;
use anyhow::{Context as _, Result, bail, ensure};
use bench::generator::Load;
use clap::{Args, ValueEnum};
use clients::{ClientQuery, ClientSettings, Clients};
use import::{MapSource, Progress as _};
use meshcloak::map::StreetMap;
use reference::Reference;
use serde_json::Value;
use statistics::LoadStatistics;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc;

/// Arguments of `drive`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  meshcloak serve --demo &
  meshcloak drive --target http://127.0.0.1:8080 --users 5000 --seconds 30
  meshcloak drive --target http://127.0.0.1:8080 --users 500 --by requests
  meshcloak drive --bench")]
pub struct Drive {
    /// URL of the gateway.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    target: String,
    /// API key; not needed for a demo gateway.
    #[arg(long, env = "MESHCLOAK_KEY", hide_env_values = true)]
    key: Option<String>,
    /// Map of the gateway [default: the built-in city].
    #[arg(long)]
    map: Option<MapSource>,
    #[command(flatten)]
    how: MapArgs,
    /// Number of simulated users.
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    users: u32,
    #[command(flatten)]
    traffic: TrafficArgs,
    /// Duration of the load, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    seconds: u32,
    /// Simulated seconds to skip before the load, while the agents appear.
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    after: u32,
    /// Transport of the queries.
    #[arg(long, value_enum, default_value = "stream")]
    by: Transport,
    /// Number of concurrent streams, for `--by stream` and `--by http2`.
    #[arg(long, value_name = "N", default_value_t = 4)]
    streams: usize,
    /// Check one in N answers against the true position; 0 disables the check.
    #[arg(long, value_name = "N", default_value_t = 1)]
    check_one_in: u32,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    /// Benchmark: an in-process gateway, compared with an echo server and the engine alone.
    #[arg(long)]
    bench: bool,
    /// Sends the queries of standard input, for the benchmark.
    #[arg(long, hide = true)]
    queries_from_stdin: bool,
    /// Streamed queries per second to try in the benchmark; empty for none.
    #[arg(long, num_args = 0.., value_name = "N,N…", value_delimiter = ',', default_values_t = [30_000, 100_000, 120_000])]
    rates: Vec<u32>,
    /// Queries per second by single requests to try in the benchmark; empty for none.
    #[arg(long, num_args = 0.., value_name = "N,N…", value_delimiter = ',', default_values_t = [3_000, 10_000, 20_000])]
    request_rates: Vec<u32>,
    /// Batch intervals to try in the benchmark, in seconds.
    #[arg(long, value_name = "SECONDS,…", value_delimiter = ',', default_values_t = [1.0, 0.2])]
    ticks: Vec<f64>,
}

/// Transport of the queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Transport {
    /// Many queries on each connection.
    Stream,
    /// One request per query, one at a time on each connection.
    Requests,
    /// One request per query, many at a time on each connection (HTTP/2).
    Http2,
}

impl Transport {
    /// Sends the queries when they are due; returns when all responses have arrived. `streams` is the
    /// number of connections of [`Transport::Stream`] and [`Transport::Http2`].
    async fn drive(
        self,
        gateway: &GatewayClient,
        clients: impl Iterator<Item = Vec<ClientQuery>> + Send + 'static,
        streams: usize,
        reference: Option<Arc<Reference>>,
    ) -> Result<LoadStatistics> {
        match self {
            Transport::Stream => streams::drive(gateway, clients, streams, reference).await,
            Transport::Requests => requests::drive(vec![gateway.clone()], clients, reference).await,
            Transport::Http2 => {
                let connections: Result<_> = (0..streams).map(|_| gateway.on_http2()).collect();
                requests::drive(connections?, clients, reference).await
            }
        }
    }
}

/// HTTP client of a gateway.
#[derive(Clone, Debug)]
pub struct GatewayClient {
    /// Base URL without a trailing slash.
    pub url: String,
    /// API key.
    pub key: Option<String>,
    /// Connection pool.
    pub client: reqwest::Client,
}

impl GatewayClient {
    /// Builds a client of the gateway at `url`.
    pub fn new(url: &str, key: Option<&str>) -> Result<GatewayClient> {
        // Fails only if a provider is already installed, which is then used.
        rustls::crypto::ring::default_provider().install_default().ok();
        let client = reqwest::Client::builder().tcp_nodelay(true).build()?;
        let url = url.trim_end_matches('/').to_owned();
        Ok(GatewayClient { url, key: key.map(str::to_owned), client })
    }

    /// Builds a client of the same gateway that uses one connection with HTTP/2.
    fn on_http2(&self) -> Result<GatewayClient> {
        let client = reqwest::Client::builder().tcp_nodelay(true).http2_prior_knowledge();
        Ok(GatewayClient { client: client.build()?, ..self.clone() })
    }

    /// Builds a POST request.
    pub fn post(&self, path: &str, content: &str) -> reqwest::RequestBuilder {
        let request = self.client.post(format!("{}{path}", self.url));
        let request = request.header("content-type", content);
        match &self.key {
            Some(key) => request.bearer_auth(key),
            None => request,
        }
    }
}

impl Drive {
    /// Sends the load, waits for all responses, prints the statistics.
    pub fn run(&self, console: &Console) -> Result<()> {
        if self.queries_from_stdin {
            return self.generate();
        }
        let map = self.how.read(self.map.as_ref(), console)?.map;
        ensure!(map.frame().is_some(), "the map has no lon/lat; add --origin LON,LAT");
        let map = Arc::new(map);
        let profile = self.traffic.profile()?;
        if self.bench {
            let settings = bench::BenchSettings {
                rates: &self.rates,
                request_rates: &self.request_rates,
                ticks: &self.ticks,
            };
            return bench::run(&map, &profile, settings);
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let gateway = GatewayClient::new(&self.target, self.key.as_deref())?;
        runtime.block_on(ensure_same_map(&gateway, &map))?;
        console.begin("preparing reference answers", 0);
        let one_in = self.check_one_in;
        let reference = (one_in > 0).then(|| Arc::new(Reference::new(&map, one_in)));
        console.clear();
        let simulation = self.traffic.settings(self.users);
        let settings = ClientSettings { simulation, seconds: self.seconds, skip: self.after };
        let clients = Clients::start(Arc::clone(&map), profile, settings);
        let start = Instant::now();
        let streams = self.streams.max(1);
        let statistics = runtime.block_on(self.by.drive(&gateway, clients, streams, reference))?;
        let elapsed = start.elapsed().as_secs();
        if elapsed < u64::from(self.seconds) {
            console.note(&format!("all agents of this profile had finished after {elapsed} s"));
        }
        stdout::print(&if self.json { statistics.json() } else { statistics.render() })?;
        if statistics.disagreed() > 0 {
            bail!("{} answers differ from those for the true position", statistics.disagreed());
        }
        Ok(())
    }

    /// Sends the queries of standard input and prints a report as JSON.
    fn generate(&self) -> Result<()> {
        let (url, connections) = (self.target.as_str(), self.streams.max(1));
        let load = Load { url, transport: self.by, connections };
        let report = load.send(std::io::stdin().lock())?;
        stdout::print(&serde_json::to_string(&report)?)
    }
}

/// Fails if the gateway uses another map: all positions would be off its map.
async fn ensure_same_map(gateway: &GatewayClient, map: &StreetMap) -> Result<()> {
    let url = format!("{}/v1/map", gateway.url);
    let response = gateway.client.get(&url).send().await.with_context(|| url.clone())?;
    let body = response.bytes().await?;
    let description: Value = serde_json::from_slice(&body).with_context(|| url.clone())?;
    let streets = description["streets"].as_u64().unwrap_or(0);
    ensure!(
        streets == map.street_count() as u64,
        "{url}: the gateway's map has {streets} streets, this one {}; name the gateway's map by --map",
        map.street_count()
    );
    Ok(())
}

/// Receives the seconds of `clients` on a channel: producing them blocks.
fn receive_seconds(
    clients: impl Iterator<Item = Vec<ClientQuery>> + Send + 'static,
) -> mpsc::Receiver<Vec<ClientQuery>> {
    let (sender, seconds) = mpsc::channel(2);
    tokio::task::spawn_blocking(move || {
        for second in clients {
            if sender.blocking_send(second).is_err() {
                break;
            }
        }
    });
    seconds
}
