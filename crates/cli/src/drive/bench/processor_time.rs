//! Processor time of the benchmark by the part that spends it. Gateway and load generator share the
//! processors, so the rate that a run reaches depends on both.
//!
//! Parts are told apart by the names of threads: each runtime names its own, and the engine uses its
//! thread and those of the global pool, which are named as the process.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Name of the threads of the gateway's runtime: connections, intake, refinement, delivery.
pub const GATEWAY: &str = "gateway";

/// Name of the threads of the load generator's runtime.
pub const LOAD: &str = "load";

/// Name of the engine's thread.
const ENGINE: &str = "engine";

/// Processor time of all threads so far, by thread.
#[derive(Clone, Debug, Default)]
pub struct ThreadTimes(BTreeMap<OsString, (String, Duration)>);

/// Processor time by part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProcessorTime {
    /// Batches of the engine.
    pub engine: Duration,
    /// Everything else of the gateway.
    pub gateway: Duration,
    /// Load generator.
    pub load: Duration,
}

impl ThreadTimes {
    /// Reads the times of all threads; none where the system does not tell them.
    pub fn now() -> ThreadTimes {
        let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
        // A thread that has just ended has no files any more.
        ThreadTimes(tasks.filter_map(|e| Some((e.file_name(), thread_time(&e.path())?))).collect())
    }

    /// Returns the time that the threads have spent since `earlier`, without those that have ended.
    pub fn since(&self, earlier: &ThreadTimes) -> ProcessorTime {
        let process = fs::read_to_string("/proc/self/comm").unwrap_or_default();
        let mut sum = ProcessorTime::default();
        for (thread, (name, time)) in &self.0 {
            let part = match name.trim() {
                LOAD => &mut sum.load,
                ENGINE => &mut sum.engine,
                name if name == process.trim() => &mut sum.engine,
                _ => &mut sum.gateway,
            };
            let before = earlier.0.get(thread).map_or(Duration::ZERO, |(_, time)| *time);
            *part += time.saturating_sub(before);
        }
        sum
    }
}

impl ProcessorTime {
    /// Time of all parts.
    pub fn sum(&self) -> Duration {
        self.engine + self.gateway + self.load
    }

    /// Formats the time per query, in microseconds.
    pub fn per_query(&self, queries: u64) -> String {
        let each = |time: Duration| time.as_secs_f64() * 1e6 / (queries.max(1) as f64);
        let [engine, gateway, load] = [self.engine, self.gateway, self.load].map(each);
        format!("CPU per query: engine {engine:.1}, gateway {gateway:.1}, load {load:.1} µs")
    }
}

/// Returns the name of a thread and its processor time.
fn thread_time(folder: &Path) -> Option<(String, Duration)> {
    let name = fs::read_to_string(folder.join("comm")).ok()?;
    let times = fs::read_to_string(folder.join("schedstat")).ok()?;
    let nanoseconds = times.split_whitespace().next()?.parse().ok()?;
    Some((name, Duration::from_nanos(nanoseconds)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;
    use std::thread;
    use std::time::Instant;

    #[test]
    fn the_time_of_a_thread_counts_for_its_part() {
        let before = ThreadTimes::now();
        let spin = || {
            let start = Instant::now();
            while start.elapsed() < Duration::from_millis(50) {
                black_box(0);
            }
            ThreadTimes::now()
        };
        let thread = thread::Builder::new().name(LOAD.into()).spawn(spin).unwrap();
        let spent = thread.join().unwrap().since(&before);
        assert!(spent.load > Duration::ZERO, "{spent:?}");
        assert!(
            spent.per_query(1).contains(&format!("load {:.1}", spent.load.as_secs_f64() * 1e6))
        );
    }
}
