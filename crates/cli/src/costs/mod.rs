//! `meshcloak costs`: what the service and the user pay for each answered query.
//!
//! Simulated users are cloaked, the service is asked about every published region as the gateway asks
//! it, and the answer of each user is extracted. Counts are deterministic; times are not.

mod counting_proxy;
mod measure;
mod render;
mod tally;

use crate::drive::reference::Reference;
use crate::map_args::{MAP_HELP, MapArgs, map_label};
use crate::progress::Console;
use crate::provenance_file::state_commits;
use crate::skipped::skipped_row;
use crate::stdout;
use crate::traffic_args::TrafficArgs;
use anyhow::{Context as _, Result, bail, ensure};
use baselines::SchemeError;
use clap::{Args, ValueEnum};
use counting_proxy::CountingProxy;
use evaluation::results::{self, COSTS, CostRow, SkippedRow, merge_skipped};
use evaluation::schemes;
use gateway::service::postgis::{Postgis, PostgisSettings, TableName};
use gateway::service::{BuiltIn, Service};
use gateway::walk::Walker;
use import::{MapSource, Progress as _};
use measure::Measurement;
use meshcloak::distance::Atlas;
use meshcloak::query::Query;
use meshcloak::units::Length;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tally::SchemeCost;
use tokio::runtime::Runtime;
use traffic::Simulation;

/// Arguments of `costs`.
#[derive(Debug, Args)]
#[command(
    after_help = "Questions are those of `drive`, in turn: the 3 nearest objects along streets, \
all within 300 m, the 5 nearest, all within 400 m along streets. Bytes of objects are those of a JSON \
object with id, name, category, lon and lat; bytes of a database are those of its connections.
Rectangles and discs are asked as the streets that they touch. Outside: the streets do not hold the \
user, as with noise, and the answer is not checked.

Examples:
  meshcloak costs porto.osm.pbf --users 20000 --schemes meshcloak/reciprocal/cell,casper
  meshcloak costs porto.osm.pbf --schemes all --seconds 30 --out results && meshcloak report results
  meshcloak pois load porto.osm.pbf --database URL
  meshcloak costs porto.osm.pbf --users 20000 --service postgis --database URL"
)]
pub struct Costs {
    #[arg(value_name = "MAP", help = MAP_HELP)]
    map: Option<MapSource>,
    #[command(flatten)]
    how: MapArgs,
    /// Number of simulated users.
    #[arg(long, value_name = "N", default_value_t = 10_000,
          value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    users: u32,
    #[command(flatten)]
    traffic: TrafficArgs,
    /// Schemes to compare, or all; those that cannot run on the map are left out.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = scheme,
          default_values_t = DEFAULT_SCHEMES.map(str::to_owned))]
    schemes: Vec<String>,
    /// Service to ask.
    #[arg(long, value_enum, default_value = "built-in")]
    service: ServiceArg,
    /// Database that `pois load` has filled, for `--service postgis`: postgres://user@host:port/name.
    #[arg(long, value_name = "URL", required_if_eq("service", "postgis"))]
    database: Option<String>,
    /// Table of the database.
    #[arg(long, value_name = "NAME", default_value = "meshcloak_pois")]
    table: TableName,
    /// Simulated seconds to cloak and ask.
    #[arg(long, value_name = "SECONDS", default_value_t = 60,
          value_parser = clap::value_parser!(u32).range(1..=86_400))]
    seconds: u32,
    /// Simulated seconds to skip before, while the agents appear.
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    after: u32,
    /// Check one in N answers against the true position; 0 disables the check.
    #[arg(long, value_name = "N", default_value_t = 10)]
    check_one_in: u32,
    /// Folder for costs.csv, which `meshcloak report` shows; rows of other runs are kept.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// Guarantees with the region that the gateway uses, and the paper's method.
const DEFAULT_SCHEMES: [&str; 5] = [
    "meshcloak/paper",
    "meshcloak/reciprocal",
    "meshcloak/reciprocal/cell",
    "meshcloak/history/published/cell",
    "casper",
];

/// Largest distance constraint, in metres.
const DC_MAX: f64 = 2000.0;

/// Longest statement of the database; longer than in the gateway, because slow answers are measured.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(60);

/// Which service to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ServiceArg {
    /// Points of interest of the map, in this process.
    BuiltIn,
    /// A table of a PostGIS database.
    Postgis,
}

/// Stands for all schemes.
const ALL: &str = "all";

fn scheme(name: &str) -> Result<String, String> {
    match name {
        ALL => Ok(ALL.to_owned()),
        _ => schemes::canonical(name).map_err(|problem| problem.to_string()),
    }
}

impl Costs {
    /// Measures all schemes and prints the table.
    pub fn run(&self, console: &Console) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let map = self.how.read(self.map.as_ref(), console)?.map;
        ensure!(
            map.pois().len() > 0,
            "the map has no points of interest; add some with --pois FILE"
        );
        let profile = self.traffic.profile()?;
        let simulation = Simulation::new(&map, &profile, self.traffic.settings(self.users));
        let seconds: Vec<Vec<Query>> =
            simulation.record().into_iter().skip(self.after as usize).collect();
        ensure!(!seconds.is_empty(), "all agents have finished after {} s", self.after);
        let reference = (self.check_one_in > 0).then(|| Reference::new(&map, self.check_one_in));
        console.begin("preparing the map", 0);
        let atlas = Arc::new(Atlas::new(map, Length::metres(DC_MAX)));
        let walker = Arc::new(Walker::new(Arc::clone(&atlas)));
        let proxy = runtime.block_on(self.proxy())?;
        let service = self.service(&walker, proxy.as_ref())?;
        let measurement = Measurement {
            walker: &walker,
            service: service.as_ref(),
            proxy: proxy.as_ref(),
            reference: reference.as_ref(),
            seconds: &seconds[..seconds.len().min(self.seconds as usize)],
        };
        let costs = self.measure(&measurement, &runtime, console)?;
        stdout::print(&if self.json { render::json(&costs) } else { render::table(&costs) })?;
        let wrong: u64 = costs.iter().map(|cost| cost.row.wrong).sum();
        if wrong > 0 {
            bail!("{wrong} answers differ from those for the true position");
        }
        Ok(())
    }

    /// Measures one scheme after the other and stores the rows.
    fn measure(
        &self,
        measurement: &Measurement<'_>,
        runtime: &Runtime,
        console: &Console,
    ) -> Result<Vec<SchemeCost>> {
        let (names, map) = (self.scheme_names(), map_label(self.map.as_ref()));
        let (mut costs, mut skipped) = (Vec::new(), Vec::new());
        console.begin("asking", names.len() as u64);
        for name in &names {
            match schemes::by_name(measurement.walker.atlas(), name) {
                // Of several schemes, those that need another map are left out.
                Err(problem @ SchemeError::Map { .. }) if names.len() > 1 => {
                    console.note(&problem.to_string());
                    skipped.push(skipped_row("costs", &map, name, &problem));
                }
                built => {
                    let mut scheme = built?;
                    let cost = measurement.run(scheme.as_mut(), self.row(&map, name));
                    match runtime.block_on(cost) {
                        Ok(cost) => costs.push(cost),
                        // The service may fail on the regions of one scheme.
                        Err(problem) if names.len() > 1 => {
                            console.note(&format!("{name}: {problem}"));
                            skipped.push(skipped_row("costs", &map, name, &problem));
                        }
                        Err(problem) => return Err(problem).with_context(|| name.clone()),
                    }
                }
            }
            console.advance(1);
        }
        console.clear();
        if let (true, Some(last)) = (costs.is_empty(), skipped.last()) {
            bail!("no scheme could be measured; {}: {}", last.scheme, last.reason);
        }
        self.write(&map, &costs, &skipped)?;
        Ok(costs)
    }

    /// Adds rows to the folder of results, if one is given.
    fn write(&self, map: &str, costs: &[SchemeCost], skipped: &[SkippedRow]) -> Result<()> {
        let Some(folder) = &self.out else { return Ok(()) };
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let rows: Vec<CostRow> = costs.iter().map(|cost| cost.row.clone()).collect();
        let is_replaced = |old: &CostRow| rows.iter().any(|row| row.run() == old.run());
        results::merge(&folder.join(COSTS), &rows, is_replaced)?;
        let has_run = |old: &SkippedRow| {
            old.command == "costs"
                && old.map == map
                && rows.iter().any(|row| row.scheme == old.scheme)
        };
        merge_skipped(folder, skipped, has_run)?;
        state_commits(folder, "Costs", None, Vec::new())
    }

    /// Schemes without duplicates. `all` also has the guarantees with the gateway's regions.
    fn scheme_names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for name in &self.schemes {
            let all: Vec<String> = match name.as_str() {
                ALL => {
                    let canonical = |name: &str| schemes::canonical(name).ok();
                    let ours = DEFAULT_SCHEMES.into_iter().filter_map(canonical);
                    ours.chain(schemes::canonical_names()).collect()
                }
                _ => vec![name.clone()],
            };
            for name in all {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }

    fn row(&self, map: &str, scheme: &str) -> CostRow {
        CostRow {
            map: map.to_owned(),
            users: self.users,
            configuration: self.traffic.configuration(&self.traffic.profile),
            seed: self.traffic.seed,
            service: match self.service {
                ServiceArg::BuiltIn => "built-in".to_owned(),
                ServiceArg::Postgis => "postgis".to_owned(),
            },
            scheme: scheme.to_owned(),
            commit: env!("MESHCLOAK_COMMIT").to_owned(),
            ..CostRow::default()
        }
    }

    /// Starts the proxy that counts what passes between this process and the database.
    async fn proxy(&self) -> Result<Option<CountingProxy>> {
        match (self.service, &self.database) {
            (ServiceArg::Postgis, Some(url)) => CountingProxy::start(url).await.map(Some),
            _ => Ok(None),
        }
    }

    fn service(
        &self,
        walker: &Arc<Walker>,
        proxy: Option<&CountingProxy>,
    ) -> Result<Box<dyn Service>> {
        let Some(proxy) = proxy else { return Ok(Box::new(BuiltIn::new(Arc::clone(walker)))) };
        let settings = PostgisSettings {
            table: self.table.clone(),
            statement_timeout: STATEMENT_TIMEOUT,
            ..PostgisSettings::new(proxy.url())
        };
        Ok(Box::new(Postgis::service(Arc::clone(walker), &settings)?))
    }
}
