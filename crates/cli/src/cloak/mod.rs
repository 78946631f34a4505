//! `meshcloak cloak`: a file of queries through the engine, batch by batch; what became of each
//! query goes into a file, and what it came to is shown.

mod batches;
mod disclosures;
mod files;
mod intake;
mod options;
mod outcomes;
mod per_batch;
mod reason;
mod roster;
mod stopwatch;
mod summary;
mod tally;
mod text;

use crate::answer;
use crate::map_args::{MAP_HELP, MapArgs};
use crate::progress::Console;
use anyhow::{Context as _, Result, bail};
use batches::Batches;
use clap::Args;
use files::Files;
use import::{MapSource, Progress as _, QueryReader};
use intake::{Intake, Limits, Rows};
use meshcloak::distance::Atlas;
use meshcloak::mesh_cloak::{Hold, MeshCloak, Settings};
use meshcloak::printed::Printed;
use meshcloak::scheme::Scheme;
use meshcloak::units::Length;
use options::{CoverageArg, GuaranteeArg, PipelineArg, RegionArg, spelt};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use summary::Summary;
use tally::Tally;
use text::Labels;

/// A set may be kept back for so many batches: less than after which a run skips quiet ones.
const MOST_HELD: u64 = 1_000;

/// Arguments of `cloak`.
#[derive(Debug, Args)]
#[command(after_help = "Queries: CSV or NDJSON with query,user,t,x,y,k,dt,dc (lon,lat instead of \
x,y; speed,interval instead of dc), in order of t, plain or gzipped.
Outcomes: NDJSON, one object for each query; for evaluation only, since it holds the truth. What \
the service would see goes into --disclosures.

Examples:
  meshcloak simulate --users 10000 --out q.csv && meshcloak cloak --queries q.csv --out o.ndjson
  meshcloak cloak porto.meshmap --queries q.csv.gz --out o.ndjson.gz --disclosures d.ndjson
  meshcloak cloak oldenburgGen.node --queries q.csv --out o.ndjson --pipeline printed --json
  meshcloak cloak --queries q.csv --out o.ndjson --per-batch batches.csv --strict --threads 1")]
pub struct Cloak {
    #[arg(help = MAP_HELP)]
    map: Option<MapSource>,
    #[command(flatten)]
    how: MapArgs,
    /// File of queries to read.
    #[arg(long, value_name = "FILE")]
    queries: PathBuf,
    /// File of outcomes to write, as NDJSON; gzipped if it ends in .gz.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// What is promised to whom.
    #[arg(long, value_enum, default_value = "paper")]
    guarantee: GuaranteeArg,
    /// Seconds for which `history` minds where people were.
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = options::batch_length)]
    horizon: u64,
    /// Keep sets back for up to so many seconds, for the sake of others around who could not be
    /// served without them [without a number: 10].
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "10",
          value_parser = options::batch_length)]
    hold: Option<u64>,
    /// How the answer is found; both give the same, and `printed` knows only `paper`.
    #[arg(long, value_enum, default_value = "fast")]
    pipeline: PipelineArg,
    /// When two people count as within reach of each other.
    #[arg(long, value_enum, default_value = "own")]
    coverage: CoverageArg,
    /// Which streets the service is asked about.
    #[arg(long, value_enum, default_value = "reach")]
    region: RegionArg,
    /// The largest distance constraint; a query with a larger one is refused.
    #[arg(long, value_name = "METRES", default_value = "2000", value_parser = options::dc_max)]
    dc_max: Length,
    /// Seconds between two batches.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = options::batch_length)]
    batch: u64,
    /// How far from a street a query may be, in metres; 0: any distance.
    #[arg(long, value_name = "METRES", default_value = "50", value_parser = options::metres)]
    snap: f64,
    /// Steps that the search for the cliques of one query may take.
    #[arg(long, value_name = "STEPS", default_value_t = Settings::default().budget,
          value_parser = clap::value_parser!(u32).range(1..))]
    budget: u32,
    /// How many threads work [default: one for each core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// File to write of what leaves for the service, as NDJSON.
    #[arg(long, value_name = "FILE")]
    disclosures: Option<PathBuf>,
    /// CSV file to write: counts and times of each batch.
    #[arg(long, value_name = "FILE")]
    per_batch: Option<PathBuf>,
    /// Stop at a row that is malformed, out of order, or has a known id.
    #[arg(long)]
    strict: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Cloak {
    /// Reads map and queries, cloaks, writes what was asked for, says what it came to.
    pub fn run(&self, console: &Console) -> Result<()> {
        if self.pipeline == PipelineArg::Printed && self.guarantee != GuaranteeArg::Paper {
            bail!("--pipeline printed knows only --guarantee paper");
        }
        if self.hold.is_some() && self.guarantee == GuaranteeArg::Paper {
            bail!("--hold needs --guarantee reciprocal or history");
        }
        if self.hold.is_some_and(|longest| longest > MOST_HELD * self.batch) {
            bail!("--hold may be {MOST_HELD} batches at most");
        }
        // 0: one for each core.
        let threads = self.threads.unwrap_or(0) as usize;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let summary = pool.context("no threads")?.install(|| self.cloak(console))?;
        if self.json {
            answer::print(&format!("{:#}\n", summary.as_json()))?;
        } else {
            answer::print(&summary.as_table())?;
        }
        Ok(())
    }

    fn cloak(&self, console: &Console) -> Result<Summary> {
        let map = self.how.read(self.map.as_ref(), console)?.map;
        console.begin("measuring distances", 0);
        let atlas = Arc::new(Atlas::new(map, self.dc_max));
        let begun = Instant::now();
        let tally = self.pass(&atlas, console);
        console.clear();
        Ok(Summary { tally: tally?, settings: self.settings(), elapsed: begun.elapsed() })
    }

    /// Every row once, and on until nobody waits.
    fn pass(&self, atlas: &Arc<Atlas>, console: &Console) -> Result<Tally> {
        let map = atlas.map();
        let labels = Labels::of(map);
        let mut scheme = self.scheme(atlas);
        let limits = Limits {
            dc_max: self.dc_max,
            snap: (self.snap > 0.0).then_some(self.snap),
            horizon: scheme.memory(),
            rows: if self.strict { Rows::Strict } else { Rows::Forgiven },
        };
        let mut reader = QueryReader::open(&self.queries, console)?;
        console.begin("cloaking", std::fs::metadata(&self.queries).map_or(0, |file| file.len()));
        let files =
            Files::create(&self.out, self.disclosures.as_deref(), self.per_batch.as_deref())?;
        let mut intake = Intake::new(atlas, &self.queries, limits);
        let mut batches = Batches::new(map, &labels, scheme.as_mut(), files, self.batch);
        while let Some(row) = reader.next_row()? {
            batches.take(intake.examine(row)?)?;
        }
        batches.finish()
    }

    fn scheme(&self, atlas: &Arc<Atlas>) -> Box<dyn Scheme> {
        let settings = Settings {
            guarantee: self.guarantee.into(),
            horizon: Duration::from_millis(self.horizon),
            hold: self.hold.map(|longest| Hold {
                longest: Duration::from_millis(longest),
                margin: Duration::from_millis(self.batch),
            }),
            coverage: self.coverage.into(),
            mesh: self.region.into(),
            budget: self.budget,
        };
        match self.pipeline {
            PipelineArg::Fast => Box::new(MeshCloak::new(Arc::clone(atlas), settings)),
            PipelineArg::Printed => Box::new(Printed::new(Arc::clone(atlas), settings)),
        }
    }

    fn settings(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("guarantee", spelt(&self.guarantee).into()),
            ("horizon", (self.horizon as f64 / 1000.0).into()),
            ("hold", self.hold.map(|longest| longest as f64 / 1000.0).into()),
            ("pipeline", spelt(&self.pipeline).into()),
            ("coverage", spelt(&self.coverage).into()),
            ("region", spelt(&self.region).into()),
            ("dc_max", self.dc_max.as_metres().into()),
            ("batch", (self.batch as f64 / 1000.0).into()),
            ("snap", self.snap.into()),
            ("budget", self.budget.into()),
            ("threads", rayon::current_num_threads().into()),
        ]
    }
}
