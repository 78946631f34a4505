//! What a run came to, as a table or as JSON (SPEC §8).

use super::reason::Reason;
use super::stopwatch::STAGES;
use super::tally::{Mean, Tally};
use crate::table::{Table, decimal, grouped};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Everything there is to say.
#[derive(Debug)]
pub struct Summary {
    /// What was counted.
    pub tally: Tally,
    /// How the arguments were, by name.
    pub settings: Vec<(&'static str, Value)>,
    /// From the first line to the last outcome, reading and writing included.
    pub elapsed: Duration,
}

impl Summary {
    /// The table.
    pub fn as_table(&self) -> String {
        let tally = &self.tally;
        let mut table = Table::default();
        table.heading("Queries");
        table.row("all", grouped(tally.accepted + tally.refused()));
        table.row("succeeded", grouped(tally.succeeded));
        table.row("expired", grouped(tally.expired));
        for (reason, &count) in Reason::ALL.iter().zip(&tally.refusals) {
            if count > 0 {
                table.row(format!("refused: {}", reason.name()), grouped(count));
            }
        }
        table.row("success rate", percent(tally.success_rate()));
        table.row("of those present, per batch", percent(tally.printed_success_rate.value()));
        table.heading("Succeeded, on average");
        table.row("mesh length", number(tally.mesh_length, "m"));
        table.row("mesh length per member", number(tally.mesh_length_per_member, "m"));
        table.row("relative k", number(tally.relative_k, ""));
        table.row("relative dt", number(tally.relative_dt, ""));
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
        table.row("batches", grouped(tally.batches));
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
        let refusals = Reason::ALL.iter().zip(&tally.refusals);
        let stages = STAGES.iter().zip(&tally.spent);
        json!({
            "settings": object(&mut self.settings.iter().map(|(name, value)| (*name, value.clone()))),
            "queries": tally.accepted + tally.refused(),
            "succeeded": tally.succeeded,
            "expired": tally.expired,
            "refused": tally.refused(),
            "refusals": object(&mut refusals.map(|(reason, &count)| (reason.name(), count.into()))),
            "success_rate": tally.success_rate(),
            "printed_success_rate": tally.printed_success_rate.value(),
            "mesh_length": tally.mesh_length.value(),
            "mesh_length_per_member": tally.mesh_length_per_member.value(),
            "relative_k": tally.relative_k.value(),
            "relative_dt": tally.relative_dt.value(),
            "us_per_query": tally.us_per_query(self.spent()),
            "stages": object(
                &mut stages.map(|((_, name), &spent)| (*name, tally.us_per_query(spent).into())),
            ),
            "queries_per_second": self.queries_per_second(),
            "seconds": self.elapsed.as_secs_f64(),
            "batches": tally.batches,
            "worst_batch_ms": millis(tally.worst),
            "truncated_batches": tally.truncated,
            "suppressed_sets": tally.suppressed,
            "largest_graph": { "nodes": tally.largest.nodes, "edges": tally.largest.edges },
            "peak_memory_mb": peak_memory_mb(),
        })
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

fn percent(share: Option<f64>) -> String {
    share.map_or("–".into(), |share| format!("{:.2} %", share * 100.0))
}

fn number(mean: Mean, unit: &str) -> String {
    let text = |value: f64| match unit {
        "" => format!("{value:.3}"),
        _ => format!("{} {unit}", decimal(value)),
    };
    mean.value().map_or("–".into(), text)
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
