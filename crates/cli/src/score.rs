//! `meshcloak score`: every metric of outcomes that came from anywhere.

use crate::answer;
use crate::map_args::MapArgs;
use crate::metrics::{self, Show as _};
use crate::progress::Console;
use crate::table::{Table, grouped};
use anyhow::Result;
use clap::Args;
use evaluation::score::{Files, Score as Scored, score};
use import::MapSource;
use std::path::PathBuf;

/// Arguments of `score`.
#[derive(Debug, Args)]
#[command(
    after_help = "Outcomes: NDJSON as `cloak` writes it, plain or gzipped, from this program \
or any other. Outcomes that contradict the queries or each other are an error that names the line.

Examples:
  meshcloak cloak --queries q.csv --out o.ndjson && meshcloak score --queries q.csv --outcomes o.ndjson
  meshcloak score porto.meshmap --queries q.csv.gz --outcomes theirs.ndjson.gz --json"
)]
pub struct Score {
    /// Map to measure regions on; without it the lengths in the outcomes count.
    map: Option<MapSource>,
    #[command(flatten)]
    how: MapArgs,
    /// File of queries that were asked.
    #[arg(long, value_name = "FILE")]
    queries: PathBuf,
    /// File of what became of them.
    #[arg(long, value_name = "FILE")]
    outcomes: PathBuf,
    /// Seconds between two batches.
    #[arg(long, value_name = "SECONDS", default_value = "1",
          value_parser = crate::cloak::batch_length)]
    batch: u64,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Score {
    /// Reads both files, adds up, says what it came to.
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
        answer::print(&if self.json { as_json(&scored) } else { as_table(&scored) })
    }
}

fn as_table(scored: &Scored) -> String {
    let mut table = Table::default();
    scored.tally.put_rows(&mut table);
    table.heading("Sets");
    table.row("smaller than k", grouped(scored.below_k));
    table.row("with one person twice", grouped(scored.counted_twice));
    table.render()
}

fn as_json(scored: &Scored) -> String {
    let mut object = metrics::json(&scored.tally);
    object.insert("below_k".into(), scored.below_k.into());
    object.insert("counted_twice".into(), scored.counted_twice.into());
    format!("{:#}\n", serde_json::Value::Object(object))
}
