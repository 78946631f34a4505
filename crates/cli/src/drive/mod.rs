//! `meshcloak drive`: simulated people ask a running gateway, at the pace at which they live, and
//! what they are told is compared with the truth.

mod bench;
mod crowd;
mod requests;
mod streams;
mod tally;
mod told;
mod truth;

use crate::answer;
use crate::map_args::MapArgs;
use crate::progress::Console;
use crate::simulate::options::{k_range, milliseconds};
use crate::simulate::profile;
use anyhow::{Context as _, Result, bail, ensure};
use clap::{Args, ValueEnum};
use crowd::{Crowd, Plan};
use import::{MapSource, Progress as _};
use meshcloak::map::StreetMap;
use serde_json::Value;
use std::sync::Arc;
use std::time::Instant;
use traffic::SimulationSettings;
use truth::Truth;

/// Arguments of `drive`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  meshcloak serve --demo &
  meshcloak drive --target http://127.0.0.1:8080 --users 5000 --seconds 30
  meshcloak drive --target http://127.0.0.1:8080 --users 500 --by requests
  meshcloak drive --bench")]
pub struct Drive {
    /// The gateway.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    target: String,
    /// Its key; in the demo none is needed.
    #[arg(long, env = "MESHCLOAK_KEY", hide_env_values = true)]
    key: Option<String>,
    /// The gateway's map [default: the built-in city].
    #[arg(long)]
    map: Option<MapSource>,
    #[command(flatten)]
    how: MapArgs,
    /// How many people.
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    users: u32,
    /// How they move and ask: p1, p2, city, or a file.
    #[arg(long, value_name = "PROFILE", default_value = "p1")]
    profile: String,
    /// Smallest and largest k; drawn for each query.
    #[arg(long, value_name = "LEAST-MOST", default_value = "2-5", value_parser = k_range)]
    k: (u32, u32),
    /// How long everyone waits, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "3", value_parser = milliseconds)]
    dt: u32,
    /// What chance begins with.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// For how long.
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    seconds: u32,
    /// Seconds of their lives before that: people appear one after the other.
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    after: u32,
    /// How they ask.
    #[arg(long, value_enum, default_value = "stream")]
    by: By,
    /// Streams at once.
    #[arg(long, value_name = "N", default_value_t = 4)]
    streams: usize,
    /// Of how many answers one is compared with the truth; 0: none.
    #[arg(long, value_name = "N", default_value_t = 1)]
    check_one_in: u32,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    /// Measure a gateway of its own, beside a bare echo server and the engine alone.
    #[arg(long)]
    bench: bool,
    /// Queries per second to try in the measurement, streamed.
    #[arg(long, value_name = "N,N…", value_delimiter = ',', default_values_t = [10_000, 20_000, 30_000])]
    rates: Vec<u32>,
}

/// How people ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// Many on one connection.
    Stream,
    /// Each by a request of their own.
    Requests,
}

/// Where queries go.
#[derive(Clone, Debug)]
pub struct Target {
    /// Without a path.
    pub url: String,
    /// If one is needed.
    pub key: Option<String>,
    /// Connections that are kept.
    pub client: reqwest::Client,
}

impl Target {
    /// A gateway at an address.
    pub fn new(url: &str, key: Option<&str>) -> Result<Target> {
        // Fails only if another part of the program has chosen already: then that one is used.
        rustls::crypto::ring::default_provider().install_default().ok();
        let client = reqwest::Client::builder().tcp_nodelay(true).build()?;
        let url = url.trim_end_matches('/').to_owned();
        Ok(Target { url, key: key.map(str::to_owned), client })
    }

    /// A request to it.
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
    /// Drives until the time is over and everyone has been told.
    pub fn run(&self, console: &Console) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let map = self.how.read(self.map.as_ref(), console)?.map;
        ensure!(map.frame().is_some(), "the map says nothing of lon/lat; give --origin LON,LAT");
        let map = Arc::new(map);
        let profile = profile(&self.profile)?;
        if self.bench {
            return bench::run(&runtime, &map, &profile, &self.rates);
        }
        let target = Target::new(&self.target, self.key.as_deref())?;
        runtime.block_on(same_map(&target, &map))?;
        console.begin("preparing the truth", 0);
        let truth = (self.check_one_in > 0).then(|| Arc::new(Truth::new(&map, self.check_one_in)));
        console.clear();
        let settings = SimulationSettings {
            users: self.users,
            k: self.k,
            temporal_tolerance: self.dt,
            seed: self.seed,
        };
        let plan = Plan { settings, seconds: self.seconds, skip: self.after };
        let crowd = Crowd::start(Arc::clone(&map), profile, plan);
        let began = Instant::now();
        let tally = runtime.block_on(async {
            match self.by {
                By::Stream => streams::drive(&target, crowd, self.streams.max(1), truth).await,
                By::Requests => requests::drive(&target, crowd, truth).await,
            }
        })?;
        let lasted = began.elapsed().as_secs();
        if lasted < u64::from(self.seconds) {
            console.note(&format!("nobody of this profile was left after {lasted} s"));
        }
        answer::print(&if self.json { tally.json() } else { tally.render() })?;
        if tally.disagreed() > 0 {
            bail!("{} answers are not those of the true positions", tally.disagreed());
        }
        Ok(())
    }
}

/// Refuses a gateway that is on another map: everybody would be off it.
async fn same_map(target: &Target, map: &StreetMap) -> Result<()> {
    let url = format!("{}/v1/map", target.url);
    let told = target.client.get(&url).send().await.with_context(|| url.clone())?;
    let told: Value = serde_json::from_slice(&told.bytes().await?).with_context(|| url.clone())?;
    let streets = told["streets"].as_u64().unwrap_or(0);
    ensure!(
        streets == map.street_count() as u64,
        "{url} has {streets} streets, the map here {}: give the gateway's map by --map",
        map.street_count()
    );
    Ok(())
}
