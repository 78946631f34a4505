//! `meshcloak score`: computes all metrics from a file of queries and a file of outcomes.

use crate::map_args::MapArgs;
use crate::metrics;
use crate::parse::positive_millis;
use crate::progress::Console;
use crate::stdout;
use crate::table::{Table, grouped};
use anyhow::Result;
use clap::Args;
use evaluation::score::{Files, OutcomeScore, score};
use import::MapSource;
use std::path::PathBuf;

/// Arguments of `score`.
#[derive(Debug, Args)]
#[command(
    after_help = "Outcomes: NDJSON (plain or gzipped) or Parquet in the format of `cloak`, written by any \
program. Outcomes that contradict the queries or each other are an error that names the line.

Examples:
  meshcloak cloak --queries q.csv --out o.ndjson && meshcloak score --queries q.csv --outcomes o.ndjson
  meshcloak score porto.meshmap --queries q.csv.gz --outcomes theirs.ndjson.gz --json"
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
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl Score {
    /// Reads both files and prints the metrics.
    pub fn run(&self, console: &Console) -> Result<()> {
        let imported = match &self.map {
            Some(map) => Some(self.how.read(Some(map), console)?),
            None => None,
        };
        let files = Files {
            queries: &self.queries,
            outcomes: &self.outcomes,
            map: imported.as_ref().map(|imported| &imported.map),
            batch: self.batch,
        };
        let scored = score(&files, console);
        console.clear();
        let scored = scored?;
        stdout::print(&if self.json { as_json(&scored) } else { as_table(&scored) })
    }
}

fn as_table(scored: &OutcomeScore) -> String {
    let mut table = Table::default();
    metrics::add_rows(&scored.tally, &mut table);
    table.heading("Sets");
    table.row("smaller than k", grouped(scored.below_k));
    table.row("with one user twice", grouped(scored.counted_twice));
    table.render()
}

fn as_json(scored: &OutcomeScore) -> String {
    let mut object = evaluation::metrics_json(&scored.tally);
    object.insert("below_k".into(), scored.below_k.into());
    object.insert("counted_twice".into(), scored.counted_twice.into());
    format!("{:#}\n", serde_json::Value::Object(object))
}
