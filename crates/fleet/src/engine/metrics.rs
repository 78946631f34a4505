//! Counters of an engine process, as Prometheus text.

use super::remote::Remote;
use gateway::city_engine::Round;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Counters of an engine.
#[derive(Default)]
pub struct EngineMetrics {
    takeovers: AtomicU64,
    refused_appends: AtomicU64,
    lost_logs: AtomicU64,
    state: Mutex<MetricState>,
}

#[derive(Default)]
struct MetricState {
    /// Epoch of each owned shard.
    epochs: BTreeMap<String, u64>,
    /// Shards that refuse `history`, with the seconds left.
    unknown: BTreeMap<String, u32>,
    cities: BTreeMap<String, CityMetrics>,
}

#[derive(Default)]
struct CityMetrics {
    ticks: u64,
    sets: u64,
    rejected: u64,
    /// Duration of the last tick, in seconds.
    lag: f64,
}

impl EngineMetrics {
    /// Counts a takeover.
    pub fn gained(&self, shard: &str, epoch: u64) {
        self.takeovers.fetch_add(1, Ordering::Relaxed);
        self.state.lock().epochs.insert(shard.to_owned(), epoch);
    }

    /// Removes a shard that is no longer owned.
    pub fn lost(&self, shard: &str) {
        let mut state = self.state.lock();
        state.epochs.remove(shard);
        state.unknown.remove(shard);
    }

    /// Records for how many seconds a shard refuses `history`.
    pub fn set_unknown(&self, shard: &str, seconds: u32) {
        let mut state = self.state.lock();
        match seconds {
            0 => state.unknown.remove(shard),
            _ => state.unknown.insert(shard.to_owned(), seconds),
        };
    }

    /// Shards that refuse `history`, with the seconds left.
    pub fn unknown(&self) -> BTreeMap<String, u32> {
        self.state.lock().unknown.clone()
    }

    /// Counts an append that the log refused.
    pub fn count_refused_append(&self) {
        self.refused_appends.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a log that holds less than a frontend has seen.
    pub fn count_lost_log(&self) {
        self.lost_logs.fetch_add(1, Ordering::Relaxed);
    }

    /// Records a tick.
    pub fn record_tick(&self, city: &str, took: Duration, round: &Round<Remote>) {
        let mut state = self.state.lock();
        let city = state.cities.entry(city.to_owned()).or_default();
        city.ticks += 1;
        city.sets += round.set_count as u64;
        city.rejected += round.stats.rejected.total() as u64;
        city.lag = took.as_secs_f64();
    }

    /// Owned shards with their epochs.
    pub fn epochs(&self) -> BTreeMap<String, u64> {
        self.state.lock().epochs.clone()
    }

    /// Returns the Prometheus text. Numbers of sets are rounded to tens.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let totals = [
            ("takeovers_total", &self.takeovers, "Shards taken over."),
            ("refused_appends_total", &self.refused_appends, "Appends refused by the log."),
            ("lost_logs_total", &self.lost_logs, "Logs that held less than a frontend had seen."),
        ];
        for (name, value, help) in totals {
            let value = value.load(Ordering::Relaxed);
            let _ = write!(
                text,
                "# HELP meshcloak_engine_{name} {help}\n# TYPE meshcloak_engine_{name} counter\n\
                 meshcloak_engine_{name} {value}\n"
            );
        }
        let state = self.state.lock();
        text.push_str("# HELP meshcloak_engine_epoch Epoch of each owned shard.\n");
        text.push_str("# TYPE meshcloak_engine_epoch gauge\n");
        for (shard, epoch) in &state.epochs {
            let _ = writeln!(text, "meshcloak_engine_epoch{{shard=\"{shard}\"}} {epoch}");
        }
        text.push_str("# HELP meshcloak_engine_history_unknown_seconds Seconds for which history is refused.\n");
        text.push_str("# TYPE meshcloak_engine_history_unknown_seconds gauge\n");
        for shard in state.epochs.keys() {
            let seconds = state.unknown.get(shard).copied().unwrap_or(0);
            let _ = writeln!(
                text,
                "meshcloak_engine_history_unknown_seconds{{shard=\"{shard}\"}} {seconds}"
            );
        }
        type Value = fn(&CityMetrics) -> f64;
        let rows: [(&str, &str, &str, Value); 4] = [
            ("ticks_total", "counter", "Ticks.", |city| city.ticks as f64),
            ("sets_total", "counter", "Published sets, in tens.", |city| {
                city.sets.next_multiple_of(10) as f64
            }),
            ("rejected_sets_total", "counter", "Sets rejected by the guard.", |city| {
                city.rejected as f64
            }),
            ("lag_seconds", "gauge", "Duration of the last tick.", |city| city.lag),
        ];
        for (name, kind, help, value) in rows {
            let _ = write!(
                text,
                "# HELP meshcloak_engine_{name} {help}\n# TYPE meshcloak_engine_{name} {kind}\n"
            );
            for (city, metrics) in &state.cities {
                let value = value(metrics);
                let _ = writeln!(text, "meshcloak_engine_{name}{{city=\"{city}\"}} {value}");
            }
        }
        text
    }
}
