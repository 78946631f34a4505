//! What driving came to: outcomes, latencies, and whether answers were true.

use super::crowd::Post;
use super::told::{AnswerOf, Told};
use super::truth::Truth;
use crate::table::{Table, grouped};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// Sums over all queries.
#[derive(Debug, Default)]
pub struct Tally {
    outcomes: BTreeMap<String, u64>,
    refusals: BTreeMap<String, u64>,
    /// From sending to hearing, in milliseconds; of those answered.
    latencies: Vec<f64>,
    /// Of that, what came after the batch.
    after_batch: Vec<f64>,
    said_exact: u64,
    checked: u64,
    disagreed: u64,
}

impl Tally {
    /// Somebody was told something. Gives whether it could be read.
    pub fn hear(
        &mut self,
        text: &[u8],
        post: &Post,
        latency: Duration,
        truth: Option<&Truth>,
    ) -> bool {
        let Some(told) = Told::read(text) else { return false };
        count(&mut self.outcomes, told.outcome);
        if let Some(reason) = told.reason {
            count(&mut self.refusals, reason);
        }
        if let Some(receipt) = told.receipt {
            let millis = latency.as_secs_f64() * 1000.0;
            self.latencies.push(millis);
            self.after_batch.push((millis - receipt.delay * 1000.0).max(0.0));
            self.said_exact += u64::from(receipt.exact);
            if let Some(truth) = truth.filter(|truth| truth.looks_at(post)) {
                self.checked += 1;
                let answer = serde_json::from_slice::<AnswerOf<'_>>(text);
                let agrees = answer.is_ok_and(|answer| truth.agrees(post, &answer.answer));
                self.disagreed += u64::from(!agrees);
            }
        }
        true
    }

    /// Nothing came back.
    pub fn lose(&mut self, queries: u64) {
        if queries > 0 {
            *self.outcomes.entry("no response".into()).or_default() += queries;
        }
    }

    /// Takes another's sums over.
    pub fn add(&mut self, other: Tally) {
        for (sums, more) in
            [(&mut self.outcomes, other.outcomes), (&mut self.refusals, other.refusals)]
        {
            for (name, count) in more {
                *sums.entry(name).or_default() += count;
            }
        }
        self.latencies.extend(other.latencies);
        self.after_batch.extend(other.after_batch);
        self.said_exact += other.said_exact;
        self.checked += other.checked;
        self.disagreed += other.disagreed;
    }

    /// How many answers are not the true ones.
    pub fn disagreed(&self) -> u64 {
        self.disagreed
    }

    /// How many ended so.
    pub fn count(&self, outcome: &str) -> u64 {
        self.outcomes.get(outcome).copied().unwrap_or(0)
    }

    /// Of how many something is known.
    pub fn all(&self) -> u64 {
        self.outcomes.values().sum()
    }

    /// The part of answers that came within so many milliseconds after their batch is `share`.
    pub fn after_batch(&self, share: f64) -> f64 {
        quantile(&self.after_batch, share)
    }

    /// For people.
    pub fn render(&self) -> String {
        let mut table = Table::default();
        table.heading("Queries");
        table.row("all", grouped(self.all()));
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
            for (word, share) in [("median", 0.5), ("p99", 0.99), ("longest", 1.0)] {
                table.row(format!("{name}, {word}"), format!("{:.0} ms", quantile(values, share)));
            }
        }
        table.row("said to be exact", grouped(self.said_exact));
        table.row("compared with the truth", grouped(self.checked));
        table.row("not the truth", grouped(self.disagreed));
        table.render()
    }

    /// For programs.
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
            "said_exact": self.said_exact,
            "checked": self.checked,
            "disagreed": self.disagreed,
        });
        format!("{all}\n")
    }
}

/// One more of that name.
fn count(sums: &mut BTreeMap<String, u64>, name: &str) {
    match sums.get_mut(name) {
        Some(sum) => *sum += 1,
        None => drop(sums.insert(name.to_owned(), 1)),
    }
}

/// The value that `share` of all are not above; 0 of none.
fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = ((sorted.len() as f64 * share).ceil() as usize).clamp(1, sorted.len().max(1)) - 1;
    sorted.get(place).copied().unwrap_or(0.0)
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
