//! `meshcloak cloak`: runs a file of queries through the engine in batches, writes the outcome of
//! each query and prints a summary.

mod batches;
mod disclosures;
mod files;
mod history_check;
mod intake;
mod outcomes;
mod per_batch;
mod refusals;
mod registry;
mod sorted_rows;
mod summary;
mod text;
mod turn_writer;

use crate::distinct_files::{self, NamedFile};
use crate::map_args::{MAP_HELP, MapArgs};
use crate::parse;
use crate::progress::Console;
use crate::scheme_args::SchemeArgs;
use crate::stdout;
use crate::threads::Threads;
use anyhow::Result;
use batches::Batches;
use clap::Args;
use evaluation::metrics::Tally;
use files::OutputFiles;
use import::{MapSource, Progress as _, QueryReader};
use intake::{BadRows, Intake, Limits};
use meshcloak::distance::Atlas;
use meshcloak::units::Length;
use refusals::Refusals;
use serde_json::Value;
use sorted_rows::sorted_rows;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use summary::CloakSummary;
use text::Labels;

/// Arguments of `cloak`.
#[derive(Debug, Args)]
#[command(after_help = "Queries: CSV or NDJSON with query,user,t,x,y,k,dt,dc (lon,lat instead of \
x,y; speed,interval instead of dc), in order of t, plain or gzipped.
Outcomes: NDJSON, one object per query; for evaluation only, since they link queries to regions. \
--disclosures writes what the service would receive.

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
    /// Queries to read, CSV or NDJSON; `-` reads standard input.
    #[arg(long, value_name = "FILE")]
    queries: PathBuf,
    /// Outcomes to write, NDJSON; gzipped if the name ends in .gz.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    scheme: SchemeArgs,
    /// Largest distance constraint, in metres up to 2047; larger ones are refused.
    #[arg(long, value_name = "METRES", default_value = "2000", value_parser = parse::dc_max)]
    dc_max: Length,
    /// Batch interval, in seconds from 0.001.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = parse::positive_millis)]
    batch: u64,
    /// Largest snapping distance, in metres; 0 disables the limit.
    #[arg(long, value_name = "METRES", default_value = "50", value_parser = parse::metres)]
    snap: f64,
    #[command(flatten)]
    threads: Threads,
    /// Disclosures to the service to write, NDJSON.
    #[arg(long, value_name = "FILE")]
    disclosures: Option<PathBuf>,
    /// Counts and times of each batch to write, CSV.
    #[arg(long, value_name = "FILE")]
    per_batch: Option<PathBuf>,
    /// Abort at a row that is malformed, out of order, or has a duplicate id.
    #[arg(long)]
    strict: bool,
    /// Sort the rows by `t` in memory, up to 5 million; otherwise rows out of order are refused.
    #[arg(long)]
    sort: bool,
    /// Accept a file of which more than half of the queries are off the map.
    #[arg(long)]
    allow_off_map: bool,
    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
}

/// Size of a query file per street of the map above which all distances are computed in advance, on
/// all threads: about one query per street. Answers do not depend on it.
const QUERY_BYTES_PER_STREET: u64 = 64;

impl Cloak {
    /// Reads map and queries, cloaks them, writes the files, prints the summary.
    pub fn run(&self, console: &Console) -> Result<()> {
        self.scheme.check(self.batch)?;
        self.check_files()?;
        let summary = self.threads.install(|| self.cloak(console))??;
        stdout::print(&if self.json {
            format!("{:#}\n", summary.as_json())
        } else {
            summary.as_table()
        })
    }

    /// Refuses outputs that would replace an input or each other.
    fn check_files(&self) -> Result<()> {
        let named = |option, path| NamedFile { option, path };
        let map = match &self.map {
            Some(MapSource::File(path)) => Some(named("the map", path)),
            _ => None,
        };
        let inputs: Vec<_> = [named("--queries", &self.queries)].into_iter().chain(map).collect();
        let more = [
            self.disclosures.as_deref().map(|path| named("--disclosures", path)),
            self.per_batch.as_deref().map(|path| named("--per-batch", path)),
        ];
        let outputs = [named("--out", &self.out)].into_iter().chain(more.into_iter().flatten());
        distinct_files::check(&inputs, &outputs.collect::<Vec<_>>())
    }

    /// Path of the queries; standard input is a file of its own.
    fn queries(&self) -> &Path {
        if self.queries.as_os_str() == "-" { Path::new("/dev/stdin") } else { &self.queries }
    }

    fn cloak(&self, console: &Console) -> Result<CloakSummary> {
        let map = self.how.read(self.map.as_ref(), console)?.map;
        console.begin("measuring distances", 0);
        let max_bytes = evaluation::provenance::Machine::detect().max_row_bytes();
        let atlas = Arc::new(Atlas::with_max_bytes(map, self.dc_max, max_bytes));
        let bytes = std::fs::metadata(&self.queries).map_or(0, |file| file.len());
        if bytes > QUERY_BYTES_PER_STREET * atlas.map().street_count() as u64 {
            atlas.fill();
        }
        let start = Instant::now();
        let tally = self.run_batches(&atlas, console);
        console.clear();
        Ok(CloakSummary {
            tally: tally?,
            scheme: self.scheme.name().to_owned(),
            settings: self.settings(),
            elapsed: start.elapsed(),
        })
    }

    /// Reads all rows and runs batches until no query is waiting.
    fn run_batches(&self, atlas: &Arc<Atlas>, console: &Console) -> Result<Tally> {
        let map = atlas.map();
        let labels = Labels::of(map);
        let mut scheme = self.scheme.build(atlas, self.batch)?;
        let limits = Limits {
            dc_max: self.dc_max,
            snap: (self.snap > 0.0).then_some(self.snap),
            needs_speed: self.scheme.horizon().is_some(),
            bad_rows: if self.strict { BadRows::Abort } else { BadRows::Refuse },
        };
        let queries = self.queries();
        let mut reader = QueryReader::open(queries, console)?;
        console.begin("cloaking", std::fs::metadata(queries).map_or(0, |file| file.len()));
        let files =
            OutputFiles::create(&self.out, self.disclosures.as_deref(), self.per_batch.as_deref())?;
        let mut intake = Intake::new(map, queries, limits);
        let mut batches = Batches::new(atlas, &labels, scheme.as_mut(), files, self.batch);
        let mut refusals = Refusals::default();
        let mut add = |row| -> Result<()> {
            let arrival = intake.examine(row)?;
            refusals.count(&arrival.verdict);
            batches.push(arrival)
        };
        if self.sort {
            sorted_rows(&mut reader, queries)?.into_iter().try_for_each(&mut add)?;
        }
        while let Some(row) = reader.next_row()? {
            add(row)?;
        }
        if !self.allow_off_map {
            refusals.check_map(queries)?;
        }
        let tally = batches.finish()?;
        let notes = refusals.notes(intake.first_malformed());
        notes.iter().for_each(|note| console.note(note));
        Ok(tally)
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
