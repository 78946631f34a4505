//! What the operator may count. Exact inside; shown in whole tens, so that no number tells of one
//! person, and without anything that comes from a person.
//!
//! Written in the text format of Prometheus by hand: its client libraries show exact counts.

use crate::error::Refusal;
use crate::outcome::Outcome;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Counts are shown in whole multiples of this.
pub const STEP: u64 = 10;

/// Upper ends of buckets, in milliseconds.
const BUCKETS: [u64; 10] = [1, 5, 20, 50, 100, 200, 500, 1_000, 5_000, 60_000];

/// How many spans were how long.
#[derive(Debug, Default)]
pub struct Histogram {
    /// One more than there are ends.
    counts: [AtomicU64; BUCKETS.len() + 1],
}

impl Histogram {
    /// One more, or several, of that length.
    pub fn record(&self, span: Duration, times: u64) {
        let millis = u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
        let bucket = BUCKETS.partition_point(|&end| end < millis);
        self.counts[bucket].fetch_add(times, Ordering::Relaxed);
    }

    fn write(&self, text: &mut String, name: &str, about: &str) {
        let _ = writeln!(text, "# HELP {name} {about}\n# TYPE {name} histogram");
        let mut total = 0;
        for (count, end) in self.counts.iter().zip(BUCKETS) {
            total += count.load(Ordering::Relaxed);
            let seconds = end as f64 / 1000.0;
            let _ = writeln!(text, "{name}_bucket{{le=\"{seconds}\"}} {}", coarse(total));
        }
        total += self.counts[BUCKETS.len()].load(Ordering::Relaxed);
        let total = coarse(total);
        let _ = writeln!(text, "{name}_bucket{{le=\"+Inf\"}} {total}\n{name}_count {total}");
    }
}

/// Everything that is counted.
#[derive(Debug, Default)]
pub struct Metrics {
    accepted: AtomicU64,
    ended: [AtomicU64; Outcome::ALL.len()],
    refused: Mutex<BTreeMap<&'static str, u64>>,
    service_errors: Mutex<BTreeMap<&'static str, u64>>,
    sets: AtomicU64,
    inquiries: AtomicU64,
    batches: AtomicU64,
    truncated: AtomicU64,
    suppressed: AtomicU64,
    /// How long a turn of the engine took.
    pub turns: Histogram,
    /// From the batch to the answer.
    pub answers: Histogram,
    /// From the question to the batch.
    pub delays: Histogram,
}

/// What a batch was like.
#[derive(Clone, Copy, Debug, Default)]
pub struct BatchFacts {
    /// Sets that were published.
    pub sets: usize,
    /// Requests to the service.
    pub inquiries: usize,
    /// Whether a search spent its budget.
    pub truncated: bool,
    /// Sets that the guard held back.
    pub suppressed: usize,
}

impl Metrics {
    /// So many more were accepted.
    pub fn accepted(&self, queries: u64) {
        self.accepted.fetch_add(queries, Ordering::Relaxed);
    }

    /// So many more ended so.
    pub fn ended(&self, outcome: Outcome, queries: u64) {
        self.ended[outcome as usize].fetch_add(queries, Ordering::Relaxed);
    }

    /// One more was refused.
    pub fn refused(&self, refusal: &Refusal) {
        count(&self.refused, refusal.word());
    }

    /// The service did not answer once more.
    pub fn service_error(&self, word: &'static str) {
        count(&self.service_errors, word);
    }

    /// A batch is over.
    pub fn batch(&self, facts: BatchFacts) {
        let add = |counter: &AtomicU64, number: usize| {
            counter.fetch_add(number as u64, Ordering::Relaxed);
        };
        add(&self.batches, 1);
        add(&self.sets, facts.sets);
        add(&self.inquiries, facts.inquiries);
        add(&self.truncated, usize::from(facts.truncated));
        add(&self.suppressed, facts.suppressed);
    }

    /// How many were accepted, and how many of them ended in which way: exact, for tests of the
    /// law that none is lost; not shown to anyone.
    pub fn accounts(&self) -> (u64, [u64; Outcome::ALL.len()]) {
        let ended = Outcome::ALL.map(|way| self.ended[way as usize].load(Ordering::SeqCst));
        (self.accepted.load(Ordering::SeqCst), ended)
    }

    /// Everything, in the text format of Prometheus.
    pub fn render(&self, under_way: usize) -> String {
        let mut text = String::new();
        let mut counter = |name: &str, about: &str, rows: &[(String, u64)]| {
            let _ = writeln!(text, "# HELP {name} {about}\n# TYPE {name} counter");
            for (labels, value) in rows {
                let _ = writeln!(text, "{name}{labels} {value}");
            }
        };
        let plain = |value: u64| [(String::new(), value)];
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let named = |label: &'static str, table: &Mutex<BTreeMap<&'static str, u64>>| -> Vec<_> {
            let table = table.lock();
            let rows = table.iter();
            rows.map(|(word, &n)| (format!("{{{label}=\"{word}\"}}"), coarse(n))).collect()
        };
        let accepted = plain(coarse(load(&self.accepted)));
        counter("meshcloak_accepted_total", "Queries accepted, in tens.", &accepted);
        let ended = Outcome::ALL.map(|outcome| {
            let ended = load(&self.ended[outcome as usize]);
            (format!("{{outcome=\"{}\"}}", outcome.word()), coarse(ended))
        });
        counter("meshcloak_ended_total", "How accepted queries ended, in tens.", &ended);
        let refused = named("reason", &self.refused);
        counter("meshcloak_refused_total", "Requests refused, in tens.", &refused);
        let errors = named("error", &self.service_errors);
        counter("meshcloak_service_errors_total", "Requests without answer, in tens.", &errors);
        let sets = plain(coarse(load(&self.sets)));
        counter("meshcloak_sets_total", "Sets published, in tens.", &sets);
        let inquiries = plain(coarse(load(&self.inquiries)));
        counter("meshcloak_inquiries_total", "Requests to the service, in tens.", &inquiries);
        counter("meshcloak_batches_total", "Batches.", &plain(load(&self.batches)));
        let truncated = plain(load(&self.truncated));
        counter("meshcloak_truncated_batches_total", "Batches cut short.", &truncated);
        let suppressed = plain(load(&self.suppressed));
        counter("meshcloak_suppressed_sets_total", "Sets the guard held back.", &suppressed);
        let name = "meshcloak_under_way";
        let _ = writeln!(text, "# HELP {name} Queries that wait, in tens.\n# TYPE {name} gauge");
        let _ = writeln!(text, "{name} {}", coarse(under_way as u64));
        self.turns.write(&mut text, "meshcloak_turn_seconds", "Length of a turn of the engine.");
        self.answers.write(&mut text, "meshcloak_answer_seconds", "From batch to answer.");
        self.delays.write(&mut text, "meshcloak_delay_seconds", "From question to batch.");
        text
    }
}

fn count(table: &Mutex<BTreeMap<&'static str, u64>>, word: &'static str) {
    *table.lock().entry(word).or_default() += 1;
}

/// Rounded down to whole tens.
pub(crate) fn coarse(count: u64) -> u64 {
    count - count % STEP
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_more_person_changes_nothing_that_is_shown() {
        let metrics = Metrics::default();
        metrics.accepted(20);
        metrics.ended(Outcome::Answered, 10);
        metrics.answers.record(Duration::from_millis(30), 10);
        metrics.refused(&Refusal::OffMap);
        let before = metrics.render(40);
        metrics.accepted(1);
        metrics.ended(Outcome::Expired, 1);
        metrics.answers.record(Duration::from_millis(3), 1);
        metrics.delays.record(Duration::from_secs(3), 1);
        metrics.refused(&Refusal::OffMap);
        assert_eq!(metrics.render(41), before);
        assert!(before.contains("meshcloak_answer_seconds_bucket{le=\"0.05\"} 10\n"));
        assert!(before.contains("meshcloak_accepted_total 20\n"));
        assert!(before.contains("meshcloak_refused_total{reason=\"off-map\"} 0\n"));
    }
}
