//! Summary of a run as a table or as JSON (docs/SPEC.md §8).

use crate::metrics;
use crate::table::{Table, decimal, grouped};
use evaluation::metrics::Tally;
use evaluation::stopwatch::STAGES;
use meshcloak::guard::Violation;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Metrics, settings and speed of a run.
#[derive(Debug)]
pub struct CloakSummary {
    /// Metrics.
    pub tally: Tally,
    /// Name of the scheme.
    pub scheme: String,
    /// Settings, by name.
    pub settings: Vec<(&'static str, Value)>,
    /// Wall time from the first row to the last outcome, including input and output.
    pub elapsed: Duration,
}

impl CloakSummary {
    /// Formats the summary as a table.
    pub fn as_table(&self) -> String {
        let mut table = Table::default();
        table.heading("Cloaking");
        table.row("scheme", &*self.scheme);
        metrics::add_rows(&self.tally, &mut table);
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
        table.row(
            "wall time with input and output",
            format!("{} s", decimal(self.elapsed.as_secs_f64())),
        );
        table.heading("Batches");
        table.row("batches", grouped(tally.turns));
        let mean = millis(self.spent()) / tally.turns.max(1) as f64;
        table.row("mean batch", format!("{} ms", decimal(mean)));
        table.row("worst batch", format!("{} ms", decimal(millis(tally.worst))));
        table.row("truncated batches", grouped(tally.truncated));
        table.row("sets rejected by the guard", grouped(tally.rejected));
        for (violation, &count) in Violation::ALL.iter().zip(&tally.rejections) {
            if count > 0 {
                table.row(format!("  {}", violation.name()), grouped(count));
            }
        }
        table.row("largest graph, nodes", grouped(tally.largest.nodes as u64));
        table.row("largest graph, edges", grouped(tally.largest.edges as u64));
        if let Some(memory) = peak_memory_mb() {
            table.row("peak memory", format!("{memory:.0} MB"));
        }
    }

    /// Returns the summary as one JSON object.
    pub fn as_json(&self) -> Value {
        let tally = &self.tally;
        let object = |names: &mut dyn Iterator<Item = (&str, Value)>| -> Map<String, Value> {
            names.map(|(name, value)| (name.to_owned(), value)).collect()
        };
        let stages = STAGES.iter().zip(&tally.spent);
        let mut run = evaluation::metrics_json(tally);
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
            "mean_batch_ms": millis(self.spent()) / tally.turns.max(1) as f64,
            "worst_batch_ms": millis(tally.worst),
            "truncated_batches": tally.truncated,
            "suppressed_sets": tally.rejected,
            "rejected_sets": object(
                &mut Violation::ALL.iter().zip(&tally.rejections)
                    .map(|(violation, &count)| (violation.name(), count.into())),
            ),
            "held_sets": tally.held,
            "idle_sets": tally.idle,
            "largest_graph": { "nodes": tally.largest.nodes, "edges": tally.largest.edges },
            "peak_memory_mb": peak_memory_mb(),
        });
        if let Value::Object(rest) = rest {
            run.extend(rest);
        }
        Value::Object(run)
    }

    /// Time spent in `turn`.
    fn spent(&self) -> Duration {
        self.tally.spent.iter().sum()
    }

    /// Accepted queries per second spent in `turn`.
    fn queries_per_second(&self) -> Option<f64> {
        self.tally.us_per_query(self.spent()).filter(|&us| us > 0.0).map(|us| 1e6 / us)
    }
}

/// Formats one row per partition.
pub fn partitions_as_table(partitions: &[(String, CloakSummary)]) -> String {
    let mut table = Table::default();
    table.heading("Succeeded of accepted queries, by partition");
    for (name, CloakSummary { tally, .. }) in partitions {
        let (succeeded, accepted) = (grouped(tally.succeeded), grouped(tally.accepted));
        table.row(name.as_str(), format!("{succeeded} of {accepted}"));
    }
    table.render()
}

/// Returns the summaries of all partitions.
pub fn partitions_as_json(partitions: &[(String, CloakSummary)]) -> Value {
    let one = |(name, summary): &(String, CloakSummary)| {
        let mut value = summary.as_json();
        value["partition"] = name.as_str().into();
        value
    };
    json!({ "partitions": partitions.iter().map(one).collect::<Vec<Value>>() })
}

fn millis(span: Duration) -> f64 {
    span.as_secs_f64() * 1000.0
}

/// Returns the peak memory of this process in MB (Linux only).
fn peak_memory_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes / 1024.0)
}
