//! Statistics of a load: outcomes, latencies, and checked answers.

use super::clients::ClientQuery;
use super::reference::Reference;
use super::response::{AnswerFields, Response};
use crate::table::{Table, grouped};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// Sums over all queries.
#[derive(Debug, Default)]
pub struct LoadStatistics {
    /// Queries by outcome.
    pub outcomes: BTreeMap<String, u64>,
    refusals: BTreeMap<String, u64>,
    /// Time from sending a query to its answer, in milliseconds.
    latencies: Vec<f64>,
    /// Part of the latency after the publication, in milliseconds.
    after_batch: Vec<f64>,
    claimed_exact: u64,
    checked: u64,
    disagreed: u64,
}

impl LoadStatistics {
    /// Records a response; returns whether it could be parsed.
    pub fn record(
        &mut self,
        text: &[u8],
        query: &ClientQuery,
        latency: Duration,
        reference: Option<&Reference>,
    ) -> bool {
        let Some(response) = Response::read(text) else { return false };
        increment(&mut self.outcomes, response.outcome);
        if let Some(reason) = response.reason {
            increment(&mut self.refusals, reason);
        }
        if let Some(receipt) = response.receipt {
            let millis = latency.as_secs_f64() * 1000.0;
            self.latencies.push(millis);
            self.after_batch.push((millis - receipt.delay * 1000.0).max(0.0));
            self.claimed_exact += u64::from(receipt.exact);
            if let Some(reference) = reference.filter(|reference| reference.checks(query)) {
                self.checked += 1;
                let answer = serde_json::from_slice::<AnswerFields<'_>>(text);
                let agrees = answer.is_ok_and(|answer| reference.agrees(query, &answer.answer));
                self.disagreed += u64::from(!agrees);
            }
        }
        true
    }

    /// Records queries without a response.
    pub fn record_lost(&mut self, queries: u64) {
        if queries > 0 {
            *self.outcomes.entry("no response".into()).or_default() += queries;
        }
    }

    /// Adds the statistics of another connection.
    pub fn add(&mut self, other: LoadStatistics) {
        for (sums, more) in
            [(&mut self.outcomes, other.outcomes), (&mut self.refusals, other.refusals)]
        {
            for (name, count) in more {
                *sums.entry(name).or_default() += count;
            }
        }
        self.latencies.extend(other.latencies);
        self.after_batch.extend(other.after_batch);
        self.claimed_exact += other.claimed_exact;
        self.checked += other.checked;
        self.disagreed += other.disagreed;
    }

    /// Number of checked answers that differ from the reference.
    pub fn disagreed(&self) -> u64 {
        self.disagreed
    }

    /// Number of queries with that outcome.
    pub fn count(&self, outcome: &str) -> u64 {
        self.outcomes.get(outcome).copied().unwrap_or(0)
    }

    /// Number of queries.
    pub fn all(&self) -> u64 {
        self.outcomes.values().sum()
    }

    /// Quantile of the time from publication to answer, in milliseconds.
    pub fn after_batch(&self, share: f64) -> f64 {
        quantile(&self.after_batch, share)
    }

    /// Formats the statistics as a table.
    pub fn render(&self) -> String {
        let mut table = Table::default();
        table.heading("Queries");
        table.row("total", grouped(self.all()));
        for (outcome, &count) in &self.outcomes {
            table.row(outcome, grouped(count));
        }
        for (reason, &count) in &self.refusals {
            table.row(format!("refused: {reason}"), grouped(count));
        }
        let ended = self.count("answered") + self.count("expired") + self.count("failed");
        let share = self.count("answered") as f64 / (ended as f64).max(1.0);
        table.row("success rate", format!("{:.2} %", share * 100.0));
        table.heading("Answers");
        for (name, values) in [("latency", &self.latencies), ("after the batch", &self.after_batch)]
        {
            for (word, share) in [("median", 0.5), ("p99", 0.99), ("largest", 1.0)] {
                table.row(format!("{name}, {word}"), format!("{:.0} ms", quantile(values, share)));
            }
        }
        table.row("claimed exact", grouped(self.claimed_exact));
        table.row("checked", grouped(self.checked));
        table.row("wrong", grouped(self.disagreed));
        table.render()
    }

    /// Formats the statistics as one JSON object.
    pub fn json(&self) -> String {
        let spans = |values: &[f64]| -> Value {
            [0.5, 0.99, 1.0]
                .map(|share| (quantile(values, share) * 10.0).round() / 10.0)
                .into_iter()
                .collect()
        };
        let all = json!({
            "queries": self.all(),
            "outcomes": self.outcomes,
            "refused": self.refusals,
            "latency_ms": spans(&self.latencies),
            "after_batch_ms": spans(&self.after_batch),
            "said_exact": self.claimed_exact,
            "checked": self.checked,
            "disagreed": self.disagreed,
        });
        format!("{all}\n")
    }
}

/// Increments a count.
fn increment(sums: &mut BTreeMap<String, u64>, name: &str) {
    match sums.get_mut(name) {
        Some(sum) => *sum += 1,
        None => drop(sums.insert(name.to_owned(), 1)),
    }
}

/// Returns the smallest value that is not below a share of all values; 0 without values.
fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let index = ((sorted.len() as f64 * share).ceil() as usize).clamp(1, sorted.len().max(1)) - 1;
    sorted.get(index).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::quantile;

    #[test]
    fn a_quantile_is_one_of_the_values() {
        assert_eq!(quantile(&[], 0.5), 0.0);
        assert_eq!(quantile(&[3.0, 1.0, 2.0], 0.5), 2.0);
        assert_eq!((quantile(&[3.0, 1.0], 0.0), quantile(&[3.0, 1.0], 1.0)), (1.0, 3.0));
    }
}
