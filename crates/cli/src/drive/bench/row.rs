//! A measured load as a row of the benchmark's table, and ratios to other programs.

use super::generator::LoadReport;
use super::{SECONDS, Transport};
use crate::table::grouped;
use std::fmt;

/// Largest 99th percentiles of the time from batch to answer at a sustained rate, in milliseconds.
const MAX_P99: [f64; 2] = [200.0, 500.0];

/// A measured load.
#[derive(Debug)]
pub struct Row {
    pub transport: Transport,
    /// Offered queries per second.
    pub rate: u32,
    pub load: LoadReport,
}

impl Row {
    /// Queries per second that were answered.
    fn answered_rate(&self) -> f64 {
        self.load.count("answered") as f64 / f64::from(SECONDS)
    }

    /// Queries per second that ended, answered or expired, if the rate was sustained: no query was
    /// refused or lost or has failed, and `max_p99` was kept.
    fn sustained_rate(&self, max_p99: f64) -> Option<f64> {
        let ended = self.load.count("answered") + self.load.count("expired");
        let is_sustained = ended == self.load.all() && self.load.after_batch_ms[1] <= max_p99;
        is_sustained.then(|| ended as f64 / f64::from(SECONDS))
    }

    /// Prints the largest sustained rate of a transport relative to other programs, for each bound of
    /// the 99th percentile.
    pub fn print_ratios(rows: &[Row], transport: Transport, peers: &[(&str, f64)]) {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.transport == transport).collect();
        for max_p99 in MAX_P99 {
            let sustained = rows.iter().filter_map(|row| Some((row, row.sustained_rate(max_p99)?)));
            let Some((best, ended)) = sustained.max_by(|a, b| a.1.total_cmp(&b.1)) else {
                println!("{}: no rate sustained, p99 {max_p99} ms", name(transport));
                continue;
            };
            let ratios = peers.iter().map(|(peer, speed)| {
                let [ended, answered] = [ended, best.answered_rate()].map(|rate| rate / speed);
                format!("to {peer} {ended:.3} ({answered:.3} answered)")
            });
            println!(
                "{}: {}/s sustained, p99 {max_p99} ms; {}",
                name(transport),
                grouped(ended as u64),
                ratios.collect::<Vec<_>>().join(", ")
            );
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let load = &self.load;
        let share = |outcome| 100.0 * load.count(outcome) as f64 / (load.all() as f64).max(1.0);
        let [median, p99] = load.after_batch_ms;
        write!(
            f,
            "{:<20} {:>9} queries/s offered, {:>9}/s answered ({:.1} %), expired {:.1} %, refused {}, \
             lost {}, failed {}; after the batch {median:.0} ms, p99 {p99:.0} ms",
            name(self.transport),
            grouped(self.rate.into()),
            grouped(self.answered_rate() as u64),
            share("answered"),
            share("expired"),
            load.count("refused"),
            load.count("no response"),
            load.count("failed"),
        )
    }
}

fn name(transport: Transport) -> &'static str {
    match transport {
        Transport::Stream => "streamed",
        Transport::Requests => "by requests",
        Transport::Http2 => "by requests, HTTP/2",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(outcomes: &[(&str, u64)], p99: f64) -> Row {
        let outcomes = outcomes.iter().map(|&(name, count)| (name.to_owned(), count)).collect();
        let load = LoadReport { outcomes, after_batch_ms: [40.0, p99], cpu_seconds: 1.0 };
        Row { transport: Transport::Stream, rate: 1_000, load }
    }

    #[test]
    fn expired_queries_are_not_counted_as_answered() {
        let row = row(&[("answered", 8_000), ("expired", 2_000)], 100.0);
        let text = row.to_string();
        assert!(
            text.contains("800/s answered (80.0 %), expired 20.0 %, refused 0, lost 0"),
            "{text}"
        );
        assert_eq!((row.sustained_rate(200.0), row.answered_rate()), (Some(1_000.0), 800.0));
    }

    #[test]
    fn a_rate_is_sustained_if_every_query_ends_in_time() {
        assert_eq!(row(&[("answered", 10)], 201.0).sustained_rate(200.0), None);
        for outcome in ["refused", "no response", "failed"] {
            assert_eq!(row(&[("answered", 9), (outcome, 1)], 1.0).sustained_rate(200.0), None);
        }
    }
}
