//! Histogram of durations.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds of the histogram buckets, in milliseconds.
const BUCKETS: [u64; 10] = [1, 5, 20, 50, 100, 200, 500, 1_000, 5_000, 60_000];

/// Histogram of durations.
#[derive(Debug, Default)]
pub struct Histogram {
    /// One count per bucket, and one for longer durations.
    counts: [AtomicU64; BUCKETS.len() + 1],
}

impl Histogram {
    /// Adds `times` observations of a duration.
    pub fn record(&self, duration: Duration, times: u64) {
        let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let bucket = BUCKETS.partition_point(|&end| end < millis);
        if let Some(count) = self.counts.get(bucket) {
            count.fetch_add(times, Ordering::Relaxed);
        }
    }

    /// Appends the histogram. Counts are passed through `round`.
    pub(super) fn write(&self, text: &mut String, name: &str, help: &str, round: fn(u64) -> u64) {
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} histogram");
        let mut total = 0_u64;
        for (count, end) in self.counts.iter().zip(BUCKETS) {
            total = total.saturating_add(count.load(Ordering::Relaxed));
            let seconds = end as f64 / 1000.0;
            let _ = writeln!(text, "{name}_bucket{{le=\"{seconds}\"}} {}", round(total));
        }
        let longer = self.counts.last().map_or(0, |count| count.load(Ordering::Relaxed));
        let total = round(total.saturating_add(longer));
        let _ = writeln!(text, "{name}_bucket{{le=\"+Inf\"}} {total}\n{name}_count {total}");
    }
}
