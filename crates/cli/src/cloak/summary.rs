//! What a run came to, as a table or as JSON (SPEC §8).

use crate::metrics::{self, Show as _};
use crate::table::{Table, decimal, grouped};
use evaluation::metrics::Tally;
use evaluation::stopwatch::STAGES;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Everything there is to say.
#[derive(Debug)]
pub struct Summary {
    /// What was counted.
    pub tally: Tally,
    /// Who cloaked.
    pub scheme: String,
    /// How the arguments were, by name.
    pub settings: Vec<(&'static str, Value)>,
    /// From the first line to the last outcome, reading and writing included.
    pub elapsed: Duration,
}

impl Summary {
    /// The table.
    pub fn as_table(&self) -> String {
        let mut table = Table::default();
        table.heading("Cloaking");
        table.row("scheme", &*self.scheme);
        self.tally.put_rows(&mut table);
        self.speed_rows(&mut table);
        table.render()
    }

    fn speed_rows(&self, table: &mut Table) {
        let tally = &self.tally;
        table.heading("Speed");
        let micros =
            |spent| tally.us_per_query(spent).map_or("–".into(), |us| format!("{us:.3} µs"));
        table.row("per query", micros(self.spent()));
        for ((_, name), &spent) in STAGES.iter().zip(&tally.spent) {
            table.row(format!("  {name}"), micros(spent));
        }
        let rate = self.queries_per_second().map_or("–".into(), |rate| grouped(rate as u64));
        table.row("queries per second", rate);
        table.row("with reading and writing", format!("{} s", decimal(self.elapsed.as_secs_f64())));
        table.heading("Batches");
        table.row("batches", grouped(tally.turns));
        table.row("worst batch", format!("{} ms", decimal(millis(tally.worst))));
        table.row("truncated", grouped(tally.truncated));
        table.row("sets held back by the guard", grouped(tally.suppressed));
        table.row("largest graph, nodes", grouped(tally.largest.nodes as u64));
        table.row("largest graph, edges", grouped(tally.largest.edges as u64));
        if let Some(memory) = peak_memory_mb() {
            table.row("most memory", format!("{memory:.0} MB"));
        }
    }

    /// One object.
    pub fn as_json(&self) -> Value {
        let tally = &self.tally;
        let object = |names: &mut dyn Iterator<Item = (&str, Value)>| -> Map<String, Value> {
            names.map(|(name, value)| (name.to_owned(), value)).collect()
        };
        let stages = STAGES.iter().zip(&tally.spent);
        let mut object_of_run = metrics::json(tally);
        let settings = self.settings.iter().map(|(name, value)| (*name, value.clone()));
        let rest = json!({
            "scheme": self.scheme,
            "settings": object(&mut { settings }),
            "us_per_query": tally.us_per_query(self.spent()),
            "stages": object(
                &mut stages.map(|((_, name), &spent)| (*name, tally.us_per_query(spent).into())),
            ),
            "queries_per_second": self.queries_per_second(),
            "seconds": self.elapsed.as_secs_f64(),
            "batches": tally.turns,
            "worst_batch_ms": millis(tally.worst),
            "truncated_batches": tally.truncated,
            "suppressed_sets": tally.suppressed,
            "largest_graph": { "nodes": tally.largest.nodes, "edges": tally.largest.edges },
            "peak_memory_mb": peak_memory_mb(),
        });
        if let Value::Object(rest) = rest {
            object_of_run.extend(rest);
        }
        Value::Object(object_of_run)
    }

    /// Time inside `turn`.
    fn spent(&self) -> Duration {
        self.tally.spent.iter().sum()
    }

    /// Accepted queries in a second inside `turn`.
    fn queries_per_second(&self) -> Option<f64> {
        self.tally.us_per_query(self.spent()).filter(|&us| us > 0.0).map(|us| 1e6 / us)
    }
}

fn millis(span: Duration) -> f64 {
    span.as_secs_f64() * 1000.0
}

/// The most memory this process ever held, where the system tells (Linux).
fn peak_memory_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes / 1024.0)
}
