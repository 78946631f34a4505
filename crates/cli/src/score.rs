//! `meshcloak score`: computes all metrics from a file of queries and a file of outcomes.

use crate::map_args::MapArgs;
use crate::metrics;
use crate::parse::positive_millis;
use crate::progress::Console;
use crate::scheme_args::CoverageArg;
use crate::scheme_args::region::RegionArgs;
use crate::stdout;
use crate::table::{Table, grouped};
use anyhow::{Result, bail};
use clap::Args;
use evaluation::privacy::{EdgeRule, MissedSets, RecordedRun};
use evaluation::provenance::Machine;
use evaluation::score::{Files, Ids, OutcomeScore, score};
use import::{MapSource, Progress as _};
use meshcloak::cells::Cells;
use meshcloak::distance::Atlas;
use meshcloak::map::StreetMap;
use meshcloak::mesh_cloak::RegionRule;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Arguments of `score`.
#[derive(Debug, Args)]
#[command(
    after_help = "Outcomes: NDJSON (plain or gzipped) or Parquet in the format of `cloak`, written by any \
program. Outcomes that contradict the queries or each other are an error that names the line.
--missed-sets counts the expired queries that waited when a set was published to all members of which \
they are adjacent. If sets are maximal, as those of `cloak --guarantee reciprocal` are, the k of such a \
query is at least the size of the set plus two: who knows all positions learns this. Give the \
--coverage and --region of the run.

Examples:
  meshcloak cloak --queries q.csv --out o.ndjson && meshcloak score --queries q.csv --outcomes o.ndjson
  meshcloak score porto.meshmap --queries q.csv.gz --outcomes theirs.ndjson.gz --json
  meshcloak score porto.meshmap --queries q.csv --outcomes o.ndjson --missed-sets --region cell"
)]
pub struct Score {
    /// Map for measuring regions; without it the lengths in the outcomes are used.
    map: Option<MapSource>,
    #[command(flatten)]
    how: MapArgs,
    /// Queries, CSV, NDJSON or Parquet.
    #[arg(long, value_name = "FILE")]
    queries: PathBuf,
    /// Outcomes of the queries, NDJSON or Parquet.
    #[arg(long, value_name = "FILE")]
    outcomes: PathBuf,
    /// Batch interval of the run, in seconds from 0.001.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = positive_millis)]
    batch: u64,
    /// Keep only the queries that wait. Ids must differ, and both files must be in order of time, as
    /// those of `cloak` are.
    #[arg(long, conflicts_with = "missed_sets")]
    unique_ids: bool,
    /// Count the expired queries that could have joined a published set; needs MAP.
    #[arg(long, requires = "map")]
    missed_sets: bool,
    /// Condition for an edge between two queries in the run [default: own].
    #[arg(long, value_enum, requires = "missed_sets")]
    coverage: Option<CoverageArg>,
    #[command(flatten)]
    region: RegionArgs,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl Score {
    /// Reads both files and prints the metrics.
    pub fn run(&self, console: &Console) -> Result<()> {
        self.region.check()?;
        if self.region.is_given() && !self.missed_sets {
            bail!("--region and --cell-length need --missed-sets");
        }
        let imported = match &self.map {
            Some(map) => Some(self.how.read(Some(map), console)?),
            None => None,
        };
        let files = Files {
            queries: &self.queries,
            outcomes: &self.outcomes,
            map: imported.as_ref().map(|imported| &imported.map),
            batch: self.batch,
            ids: if self.unique_ids { Ids::Unique } else { Ids::Checked },
        };
        let scored = score(&files, console);
        console.clear();
        let scored = scored?;
        let missed = match imported.filter(|_| self.missed_sets) {
            Some(imported) => Some(self.find_missed_sets(imported.map, console)?),
            None => None,
        };
        stdout::print(&match self.json {
            true => as_json(&scored, missed),
            false => as_table(&scored, missed),
        })
    }

    fn find_missed_sets(&self, map: StreetMap, console: &Console) -> Result<MissedSets> {
        let run = RecordedRun::read(&map, &self.queries, &self.outcomes, console)?;
        console.begin("comparing with sets", 0);
        let atlas = Atlas::with_max_bytes(map, run.dc_max(), Machine::detect().max_row_bytes());
        let cells = match self.region.rule() {
            RegionRule::Cell(length) => Some(Cells::new(atlas.map(), length)),
            RegionRule::Cells(_) | RegionRule::Mesh(_) => None,
        };
        let coverage = self.coverage.unwrap_or(CoverageArg::Own).into();
        let missed = run.missed_sets(&atlas, EdgeRule { coverage, cells: cells.as_ref() });
        console.clear();
        Ok(missed)
    }
}

fn as_table(scored: &OutcomeScore, missed: Option<MissedSets>) -> String {
    let mut table = Table::default();
    metrics::add_rows(&scored.tally, &mut table);
    table.heading("Sets");
    table.row("smaller than k", grouped(scored.below_k));
    table.row("with one user twice", grouped(scored.counted_twice));
    if let Some(missed) = missed {
        let MissedSets { beside_set, larger_k, .. } = missed;
        let share = metrics::percent(missed.share());
        table.row("expired beside a set", format!("{} ({share})", grouped(beside_set)));
        table.row("of these, k larger than the set", grouped(larger_k));
    }
    table.render()
}

fn as_json(scored: &OutcomeScore, missed: Option<MissedSets>) -> String {
    let mut object = evaluation::metrics_json(&scored.tally);
    object.insert("below_k".into(), scored.below_k.into());
    object.insert("counted_twice".into(), scored.counted_twice.into());
    object.extend(missed.map(|missed| {
        let MissedSets { beside_set, larger_k, .. } = missed;
        let value = json!({
            "beside_set": beside_set,
            "share_of_expired": missed.share(),
            "larger_k": larger_k,
        });
        ("missed_sets".to_owned(), value)
    }));
    format!("{:#}\n", Value::Object(object))
}
