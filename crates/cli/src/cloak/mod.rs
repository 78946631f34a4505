//! `meshcloak cloak`: runs a file of queries through the engine in batches, writes the outcome of
//! each query and prints a summary.

mod map_template;
mod meshes_arg;
mod partitions;
mod refusals;
mod sorted_rows;
mod summary;

use crate::distinct_files::{self, NamedFile};
use crate::map_args::{MAP_HELP, MapArgs};
use crate::parse;
use crate::progress::Console;
use crate::scheme_args::SchemeArgs;
use crate::stdout;
use crate::threads::Threads;
use anyhow::{Context as _, Result, bail};
use clap::Args;
use evaluation::metrics::Tally;
use import::{MapSource, Progress as _, QueryReader};
use meshcloak::distance::Atlas;
use meshcloak::units::Length;
use meshes_arg::MeshesArg;
use offline::batches::Batches;
use offline::text::Labels;
use offline::{BadRows, Intake, Limits, OutputFiles};
use partitions::Partition;
use refusals::Refusals;
use serde_json::Value;
use sorted_rows::sorted_rows;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use summary::CloakSummary;

/// Arguments of `cloak`.
#[derive(Debug, Args)]
#[command(after_help = "Queries: CSV, NDJSON or Parquet with query,user,t,x,y,k,dt,dc (lon,lat \
instead of x,y; speed,interval instead of dc), in order of t; CSV and NDJSON plain or gzipped.
Outcomes: NDJSON or Parquet, one row per query; for evaluation only, since they link queries to \
regions. --disclosures writes what the service would receive.
A folder of queries is read by partition (subfolders such as city=porto/date=2026-05-01). Each \
partition is a run of its own: its files are read in the order of their names, and its outcomes are \
written to the same subfolder of --out. {KEY} in MAP stands for the value of the partition.

Examples:
  meshcloak simulate --users 10000 --out q.csv && meshcloak cloak --queries q.csv --out o.ndjson
  meshcloak cloak porto.meshmap --queries q.csv.gz --out o.ndjson.gz --disclosures d.ndjson
  meshcloak cloak oldenburgGen.node --queries q.csv --out o.ndjson --pipeline printed --json
  meshcloak cloak --queries q.csv --out o.ndjson --region cells --cell-length 600
  meshcloak cloak --queries q.csv --out o.ndjson --scheme hilbert-cloak
  meshcloak cloak 'maps/{city}.meshmap' --queries queries --out outcomes
  meshcloak cloak --queries q.csv --out o.ndjson --per-batch batches.csv --strict --threads 1")]
pub struct Cloak {
    #[arg(help = MAP_HELP)]
    map: Option<MapSource>,
    #[command(flatten)]
    how: MapArgs,
    /// Queries to read, CSV, NDJSON or Parquet, or a folder of partitions; `-` reads standard input.
    #[arg(long, value_name = "FILE")]
    queries: PathBuf,
    /// Outcomes to write: .parquet, otherwise NDJSON, gzipped if the name ends in .gz; a new folder
    /// if the queries are one.
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
    /// How often the region of a set is written to an NDJSON file: in the row of each member, or in
    /// that of the first, which the others name as `like`.
    #[arg(long, value_enum, default_value_t = MeshesArg::Each)]
    meshes: MeshesArg,
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
    /// Skip the search for duplicate ids, which needs 9 to 18 bytes for each row.
    #[arg(long)]
    unique_ids: bool,
    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
}

/// Returns the size of a file in bytes; 0 if it has none.
fn file_len(file: &Path) -> u64 {
    std::fs::metadata(file).map_or(0, |file| file.len())
}

/// Size of a query file per street of the map above which all distances are computed in advance, on
/// all threads: about one query per street. Answers do not depend on it.
const QUERY_BYTES_PER_STREET: u64 = 64;

impl Cloak {
    /// Reads map and queries, cloaks them, writes the files, prints the summary.
    pub fn run(&self, console: &Console) -> Result<()> {
        self.scheme.check(self.batch)?;
        self.check_files()?;
        if self.queries.is_dir() {
            return self.threads.install(|| self.cloak_folder(console))?;
        }
        let queries = self.queries();
        let summary = self.threads.install(|| {
            let atlas = self.atlas(self.map.as_ref(), std::slice::from_ref(&queries), console)?;
            self.cloak(&atlas, std::slice::from_ref(&queries), &self.out, console)
        })??;
        stdout::print(&if self.json {
            format!("{:#}\n", summary.as_json())
        } else {
            summary.as_table()
        })
    }

    /// Refuses outputs that would replace an input or each other.
    fn check_files(&self) -> Result<()> {
        let mut inputs = vec![NamedFile { option: "--queries", path: &self.queries }];
        inputs.extend(NamedFile::of_map(self.map.as_ref()));
        let mut outputs = vec![NamedFile { option: "--out", path: &self.out }];
        let more = [("--disclosures", &self.disclosures), ("--per-batch", &self.per_batch)];
        outputs.extend(NamedFile::given(&more));
        distinct_files::check(&inputs, &outputs)
    }

    /// Path of the queries; standard input is a file of its own.
    fn queries(&self) -> PathBuf {
        let is_input = self.queries.as_os_str() == "-";
        if is_input { PathBuf::from("/dev/stdin") } else { self.queries.clone() }
    }

    /// Cloaks each partition of a folder on its own.
    fn cloak_folder(&self, console: &Console) -> Result<()> {
        if self.disclosures.is_some() || self.per_batch.is_some() || self.sort {
            bail!(
                "--disclosures, --per-batch and --sort need --queries to be a file, not a folder"
            );
        }
        let partitions = Partition::find(&self.queries)?;
        partitions::create_empty(&self.out, &self.queries)?;
        let mut summaries = Vec::new();
        let mut last: Option<(Option<MapSource>, Arc<Atlas>)> = None;
        for partition in &partitions {
            let map = map_template::fill(self.map.as_ref(), partition)?;
            let atlas = match last.take().filter(|(known, _)| *known == map) {
                Some((_, atlas)) => atlas,
                None => self.atlas(map.as_ref(), &partition.files, console)?,
            };
            let out = partition.create_output(&self.out)?;
            let summary = self.cloak(&atlas, &partition.files, &out, console);
            let summary = summary.with_context(|| format!("partition {}", partition.name()))?;
            summaries.push((partition.name(), summary));
            last = Some((map, atlas));
        }
        stdout::print(&match self.json {
            true => format!("{:#}\n", summary::partitions_as_json(&summaries)),
            false => summary::partitions_as_table(&summaries),
        })
    }

    /// Reads a map and prepares its distances for the queries of some files.
    fn atlas(
        &self,
        map: Option<&MapSource>,
        queries: &[PathBuf],
        console: &Console,
    ) -> Result<Arc<Atlas>> {
        let map = self.how.read(map, console)?.map;
        console.begin("measuring distances", 0);
        let max_bytes = evaluation::provenance::Machine::detect().max_row_bytes();
        let atlas = Arc::new(Atlas::with_max_bytes(map, self.dc_max, max_bytes));
        let bytes: u64 = queries.iter().map(|file| file_len(file)).sum();
        if bytes > QUERY_BYTES_PER_STREET * atlas.map().street_count() as u64 {
            atlas.fill();
        }
        Ok(atlas)
    }

    fn cloak(
        &self,
        atlas: &Arc<Atlas>,
        queries: &[PathBuf],
        out: &Path,
        console: &Console,
    ) -> Result<CloakSummary> {
        let start = Instant::now();
        let tally = self.run_batches(atlas, queries, out, console);
        console.clear();
        Ok(CloakSummary {
            tally: tally?,
            scheme: self.scheme.name().to_owned(),
            settings: self.settings(),
            elapsed: start.elapsed(),
        })
    }

    /// Reads all rows of the files and runs batches until no query is waiting.
    fn run_batches(
        &self,
        atlas: &Arc<Atlas>,
        queries: &[PathBuf],
        out: &Path,
        console: &Console,
    ) -> Result<Tally> {
        let map = atlas.map();
        let labels = Labels::of(map);
        let mut scheme = self.scheme.build(atlas, self.batch)?;
        let limits = Limits {
            dc_max: self.dc_max,
            snap: (self.snap > 0.0).then_some(self.snap),
            needs_speed: self.scheme.horizon().is_some(),
            bad_rows: if self.strict { BadRows::Abort } else { BadRows::Refuse },
            unique_ids: self.unique_ids,
        };
        let Some(first) = queries.first() else { return Ok(Tally::default()) };
        let mut files =
            OutputFiles::create(out, self.disclosures.as_deref(), self.per_batch.as_deref())?;
        files.meshes = self.meshes.into();
        let mut intake = Intake::new(map, first, limits);
        let mut batches = Batches::new(atlas, &labels, scheme.as_mut(), files, self.batch);
        let mut refusals = Refusals::default();
        for file in queries {
            let mut reader = QueryReader::open(file, console)?;
            console.begin("cloaking", file_len(file));
            intake.begin_file(file);
            let mut add = |row| -> Result<()> {
                let arrival = intake.examine(row)?;
                refusals.count(&arrival.verdict);
                Ok(batches.push(arrival)?)
            };
            if self.sort {
                sorted_rows(&mut reader, file)?.into_iter().try_for_each(&mut add)?;
            }
            while let Some(row) = reader.next_row()? {
                add(row)?;
            }
        }
        if !self.allow_off_map {
            refusals.check_map(first)?;
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
