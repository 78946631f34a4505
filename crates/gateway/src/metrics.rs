//! Metrics for the operator. Counts of users are exact inside and rounded down to tens on output,
//! so that no number reveals one user.
//!
//! The Prometheus text format is written directly: client libraries would export exact counts.

mod histogram;
#[cfg(test)]
mod tests;

pub use histogram::Histogram;

use crate::error::Refusal;
use crate::outcome::Outcome;
use crate::service::ServiceError;
use crate::unread_bytes::UnreadBytes;
use meshcloak::guard::Violation;
use meshcloak::scheme::Stats;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Rounding step of exported counts.
pub const STEP: u64 = 10;

/// All metrics.
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
    rejected: [AtomicU64; Violation::ALL.len()],
    held: AtomicU64,
    idle: AtomicU64,
    reload_failures: AtomicU64,
    unread: Arc<UnreadBytes>,
    reload_failed: AtomicBool,
    reloaded_at: AtomicU64,
    /// Duration of a batch.
    pub turns: Histogram,
    /// Time from the batch to the answer.
    pub answers: Histogram,
    /// Time from the query to its batch.
    pub delays: Histogram,
    /// Time of a request in the queue before the service.
    pub waits: Histogram,
}

/// Counts of one batch.
#[derive(Clone, Copy, Debug, Default)]
pub struct BatchFacts {
    /// Published sets.
    pub sets: usize,
    /// Requests to the service.
    pub inquiries: usize,
    /// Sizes and counts of the engine.
    pub stats: Stats,
}

/// Rounds an exported count.
type Rounding = fn(u64) -> u64;

impl Metrics {
    /// Counts accepted queries.
    pub fn accepted(&self, queries: u64) {
        self.accepted.fetch_add(queries, Ordering::Relaxed);
    }

    /// Counts ended queries.
    pub fn ended(&self, outcome: Outcome, queries: u64) {
        self.count_of(outcome).fetch_add(queries, Ordering::Relaxed);
    }

    #[expect(clippy::indexing_slicing, reason = "there is a count for every outcome")]
    fn count_of(&self, outcome: Outcome) -> &AtomicU64 {
        &self.ended[outcome as usize]
    }

    /// Counts a refused request.
    pub fn refused(&self, refusal: &Refusal) {
        count(&self.refused, refusal.code());
    }

    /// Counts a request that the service did not answer.
    pub fn service_error(&self, label: &'static str) {
        count(&self.service_errors, label);
    }

    /// Counts a batch.
    pub fn batch(&self, facts: BatchFacts) {
        let add = |counter: &AtomicU64, number: usize| {
            counter.fetch_add(number as u64, Ordering::Relaxed);
        };
        add(&self.batches, 1);
        add(&self.sets, facts.sets);
        add(&self.inquiries, facts.inquiries);
        let stats = facts.stats;
        add(&self.truncated, usize::from(stats.truncated));
        add(&self.suppressed, stats.rejected.total());
        for (counter, violation) in self.rejected.iter().zip(Violation::ALL) {
            add(counter, stats.rejected.count(violation));
        }
        add(&self.held, stats.held);
        add(&self.idle, stats.idle);
    }

    /// Bytes of results that clients have not read.
    pub fn unread(&self) -> &Arc<UnreadBytes> {
        &self.unread
    }

    /// Records that the settings were read, at a Unix time in seconds.
    pub fn reload_succeeded(&self, at: u64) {
        self.reloaded_at.store(at, Ordering::Relaxed);
        self.reload_failed.store(false, Ordering::Relaxed);
    }

    /// Counts a failed reload.
    pub fn count_failed_reload(&self) {
        self.reload_failures.fetch_add(1, Ordering::Relaxed);
        self.reload_failed.store(true, Ordering::Relaxed);
    }

    /// Whether the last reload failed.
    pub fn reload_failed(&self) -> bool {
        self.reload_failed.load(Ordering::Relaxed)
    }

    /// Returns the exact number of accepted queries, and of ended ones by outcome. For tests that no
    /// query is lost; must not be exported.
    pub fn exact_counts(&self) -> (u64, [u64; Outcome::ALL.len()]) {
        let ended = Outcome::ALL.map(|outcome| self.count_of(outcome).load(Ordering::SeqCst));
        (self.accepted.load(Ordering::SeqCst), ended)
    }

    /// Returns the exact number of service errors with a label. For tests; must not be exported.
    pub fn exact_service_errors(&self, label: &str) -> u64 {
        self.service_errors.lock().get(label).copied().unwrap_or(0)
    }

    /// Renders all metrics in the text format of Prometheus. `under_way` is the number of queries in
    /// progress.
    pub fn render(&self, under_way: usize) -> String {
        let mut text = String::new();
        for ((name, help), rows) in COUNTERS.into_iter().zip(self.counter_rows()) {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} counter");
            for (labels, value) in rows {
                let _ = writeln!(text, "{name}{labels} {value}");
            }
        }
        for ((name, help), value) in GAUGES.into_iter().zip(self.gauge_values(under_way)) {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}");
        }
        for ((name, help), (histogram, round)) in HISTOGRAMS.into_iter().zip(self.histograms()) {
            histogram.write(&mut text, name, help, round);
        }
        text
    }

    /// Returns each of the [`HISTOGRAMS`] with its rounding. Batches are not users and are exact.
    fn histograms(&self) -> [(&Histogram, Rounding); HISTOGRAMS.len()] {
        [
            (&self.turns, std::convert::identity),
            (&self.answers, coarse),
            (&self.delays, coarse),
            (&self.waits, coarse),
        ]
    }

    fn gauge_values(&self, under_way: usize) -> [u64; GAUGES.len()] {
        [
            coarse(under_way as u64),
            u64::from(!self.reload_failed()),
            self.reloaded_at.load(Ordering::Relaxed),
            (self.unread.used() >> 20) as u64,
        ]
    }

    /// Returns the rows (labels, value) of each of the [`COUNTERS`].
    fn counter_rows(&self) -> [Vec<(String, u64)>; COUNTERS.len()] {
        let exact = |counter: &AtomicU64| vec![(String::new(), counter.load(Ordering::Relaxed))];
        let rounded =
            |counter: &AtomicU64| vec![(String::new(), coarse(counter.load(Ordering::Relaxed)))];
        let ended = Outcome::ALL.iter().map(|&outcome| {
            let ended = self.count_of(outcome).load(Ordering::Relaxed);
            (format!("{{outcome=\"{}\"}}", outcome.name()), coarse(ended))
        });
        [
            rounded(&self.accepted),
            ended.collect(),
            labelled("reason", &Refusal::CODES, &self.refused),
            labelled("error", &ServiceError::LABELS, &self.service_errors),
            rounded(&self.sets),
            rounded(&self.inquiries),
            exact(&self.batches),
            exact(&self.truncated),
            exact(&self.suppressed),
            self.unpublished_rows(),
            exact(&self.reload_failures),
        ]
    }

    /// Returns one row for each reason for which a found set is not published. Held and idle sets
    /// depend on users, so they are rounded.
    fn unpublished_rows(&self) -> Vec<(String, u64)> {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let rejected = Violation::ALL.into_iter().zip(&self.rejected);
        let rejected = rejected.map(|(violation, counter)| (violation.name(), load(counter)));
        let waiting = [("held", coarse(load(&self.held))), ("idle", coarse(load(&self.idle)))];
        let rows = rejected.chain(waiting);
        rows.map(|(reason, count)| (format!("{{reason=\"{reason}\"}}"), count)).collect()
    }
}

/// Name and help of each counter.
const COUNTERS: [(&str, &str); 11] = [
    ("meshcloak_accepted_total", "Accepted queries, rounded down to tens."),
    ("meshcloak_ended_total", "Ended queries by outcome, rounded down to tens."),
    ("meshcloak_refused_total", "Refused requests by reason, rounded down to tens."),
    ("meshcloak_service_errors_total", "Failed requests to the service, rounded down to tens."),
    ("meshcloak_sets_total", "Published anonymity sets, rounded down to tens."),
    ("meshcloak_inquiries_total", "Requests to the service, rounded down to tens."),
    ("meshcloak_batches_total", "Batches."),
    ("meshcloak_truncated_batches_total", "Batches in which a search exhausted its budget."),
    ("meshcloak_suppressed_sets_total", "Anonymity sets rejected by the guard."),
    (
        "meshcloak_unpublished_sets_total",
        "Found anonymity sets that a batch did not publish, by failed check of the guard, held or \
         idle (no member asks).",
    ),
    ("meshcloak_reload_failures_total", "Failed reloads of the settings."),
];

/// Name and help of each histogram.
const HISTOGRAMS: [(&str, &str); 4] = [
    ("meshcloak_turn_seconds", "Duration of a batch of the engine."),
    ("meshcloak_answer_seconds", "Time from batch to answer."),
    ("meshcloak_delay_seconds", "Time from query to batch."),
    ("meshcloak_service_wait_seconds", "Time of a request in the queue before the service."),
];

/// Name and help of each gauge.
const GAUGES: [(&str, &str); 4] = [
    ("meshcloak_under_way", "Queries in progress, rounded down to tens."),
    ("meshcloak_last_reload_successful", "1, or 0 if the last reload of the settings failed."),
    (
        "meshcloak_last_reload_success_timestamp_seconds",
        "Unix time at which the settings were last read.",
    ),
    ("meshcloak_unread_megabytes", "Results that clients have not read, rounded down to MB."),
];

/// Returns the rows of a labelled counter. All `words` are exported from the start: a line that
/// appears later would reveal its first event.
fn labelled(
    label: &str,
    words: &[&'static str],
    table: &Mutex<BTreeMap<&'static str, u64>>,
) -> Vec<(String, u64)> {
    let mut counts: BTreeMap<&str, u64> = words.iter().map(|word| (*word, 0)).collect();
    counts.extend(table.lock().iter());
    let rows = counts.into_iter();
    rows.map(|(word, count)| (format!("{{{label}=\"{word}\"}}"), coarse(count))).collect()
}

fn count(table: &Mutex<BTreeMap<&'static str, u64>>, label: &'static str) {
    let mut table = table.lock();
    let count = table.entry(label).or_default();
    *count = count.saturating_add(1);
}

/// Rounds down to a multiple of [`STEP`].
pub(crate) fn coarse(count: u64) -> u64 {
    count.saturating_sub(count % STEP)
}
