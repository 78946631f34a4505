//! `meshcloak cloak`: a file of queries through the engine, batch by batch; what became of each
//! query goes into a file, and what it came to is shown.

mod batches;
mod disclosures;
mod files;
mod intake;
mod ledger;
mod options;
mod outcomes;
mod per_batch;
mod roster;
mod summary;
mod text;

use crate::answer;
use crate::map_args::{MAP_HELP, MapArgs};
use crate::progress::Console;
use crate::scheme_args::SchemeArgs;
use anyhow::{Context as _, Result};
use batches::Batches;
use clap::Args;
use evaluation::metrics::Tally;
use files::Files;
use import::{MapSource, Progress as _, QueryReader};
use intake::{Intake, Limits, Rows};
use meshcloak::distance::Atlas;
use meshcloak::units::Length;
pub use options::batch_length;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use summary::Summary;
use text::Labels;

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
  meshcloak cloak --queries q.csv --out o.ndjson --region cells --cell-length 600
  meshcloak cloak --queries q.csv --out o.ndjson --scheme hilbert-cloak
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
    #[command(flatten)]
    scheme: SchemeArgs,
    /// The largest distance constraint; a query with a larger one is refused.
    #[arg(long, value_name = "METRES", default_value = "2000", value_parser = options::dc_max)]
    dc_max: Length,
    /// Seconds between two batches.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = options::batch_length)]
    batch: u64,
    /// How far from a street a query may be, in metres; 0: any distance.
    #[arg(long, value_name = "METRES", default_value = "50", value_parser = options::metres)]
    snap: f64,
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
        self.scheme.check(self.batch)?;
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
        let most = evaluation::provenance::Machine::detect().max_row_bytes();
        let atlas = Arc::new(Atlas::with_max_bytes(map, self.dc_max, most));
        let begun = Instant::now();
        let tally = self.pass(&atlas, console);
        console.clear();
        Ok(Summary {
            tally: tally?,
            scheme: self.scheme.name().to_owned(),
            settings: self.settings(),
            elapsed: begun.elapsed(),
        })
    }

    /// Every row once, and on until nobody waits.
    fn pass(&self, atlas: &Arc<Atlas>, console: &Console) -> Result<Tally> {
        let map = atlas.map();
        let labels = Labels::of(map);
        let mut scheme = self.scheme.make(atlas, self.batch)?;
        let limits = Limits {
            dc_max: self.dc_max,
            snap: (self.snap > 0.0).then_some(self.snap),
            horizon: self.scheme.horizon(),
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

    fn settings(&self) -> Vec<(&'static str, Value)> {
        let mut settings = self.scheme.settings();
        settings.extend([
            ("dc_max", self.dc_max.as_metres().into()),
            ("batch", (self.batch as f64 / 1000.0).into()),
            ("snap", self.snap.into()),
            ("threads", rayon::current_num_threads().into()),
        ]);
        settings
    }
}
