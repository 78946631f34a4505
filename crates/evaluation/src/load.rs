//! Load of the machine by other processes (Linux only), for runs that are timed.
//!
//! The load average of the system counts this process, too, and lags by a minute. Instead the
//! processor time of this process is subtracted from that of all processes: the result is the mean
//! number of cores that the others kept busy.

use std::time::{Duration, Instant};

/// Load above which a timed run is marked and repeated, in cores.
pub const MAX_LOAD: f64 = 0.3;

/// Largest number of repetitions of one run.
pub const MAX_REPEATS: u32 = 3;

/// Length of the windows before and after a run.
const WINDOW: Duration = Duration::from_millis(250);

/// Ticks per second of `/proc`.
const TICKS_PER_SECOND: f64 = 100.0;

/// Processor time of all processes and of this one, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ProcessorTime {
    all: u64,
    own: u64,
}

impl ProcessorTime {
    fn now() -> Option<ProcessorTime> {
        let read = |path| std::fs::read_to_string(path).ok();
        ProcessorTime::parse(&read("/proc/stat")?, &read("/proc/self/stat")?)
    }

    /// Parses `/proc/stat` (user, nice, system, idle, iowait, irq, softirq, steal, …) and
    /// `/proc/self/stat` (utime and stime are the 12th and 13th field after the name).
    fn parse(stat: &str, own: &str) -> Option<ProcessorTime> {
        let numbers = stat.lines().next()?.strip_prefix("cpu ")?.split_whitespace();
        let ticks = numbers.map(str::parse).collect::<Result<Vec<u64>, _>>().ok()?;
        let busy = [0, 1, 2, 5, 6, 7].iter().filter_map(|&column| ticks.get(column)).sum();
        let mut fields = own.rsplit_once(')')?.1.split_whitespace().skip(11);
        let mut field = || fields.next()?.parse::<u64>().ok();
        Some(ProcessorTime { all: busy, own: field()? + field()? })
    }
}

/// Measures the load from its creation on.
#[derive(Debug)]
pub struct LoadMeter {
    since: Instant,
    start: Option<ProcessorTime>,
}

impl LoadMeter {
    /// Starts a measurement.
    pub fn start() -> LoadMeter {
        LoadMeter { since: Instant::now(), start: ProcessorTime::now() }
    }

    /// Returns the mean number of cores that other processes kept busy; `None` if the system does
    /// not report it.
    pub fn others(&self) -> Option<f64> {
        let (start, end) = (self.start?, ProcessorTime::now()?);
        let all = end.all.saturating_sub(start.all);
        let own = end.own.saturating_sub(start.own);
        let ticks = self.since.elapsed().as_secs_f64().max(0.01) * TICKS_PER_SECOND;
        Some(all.saturating_sub(own) as f64 / ticks)
    }

    /// Measures the load of a short window in which this process sleeps.
    pub fn window() -> Option<f64> {
        let meter = LoadMeter::start();
        std::thread::sleep(WINDOW);
        meter.others()
    }
}

/// Load before, during and after a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RunLoad {
    /// In the window before.
    pub before: Option<f64>,
    /// During the run.
    pub during: Option<f64>,
    /// In the window after.
    pub after: Option<f64>,
}

impl RunLoad {
    /// Executes `run` between two windows.
    pub fn around<T>(run: impl FnOnce() -> T) -> (T, RunLoad) {
        let before = LoadMeter::window();
        let meter = LoadMeter::start();
        let done = run();
        let during = meter.others();
        (done, RunLoad { before, during, after: LoadMeter::window() })
    }

    /// Largest of the three; 0 if unknown.
    pub fn max(self) -> f64 {
        [self.before, self.during, self.after].into_iter().flatten().fold(0.0, f64::max)
    }
}

/// Repeats a run while its load is above [`MAX_LOAD`], at most [`MAX_REPEATS`] times. Returns the
/// attempt with the lowest load and the number of repetitions.
pub fn repeat_until_quiet<T, E>(
    mut attempt: impl FnMut() -> Result<(T, RunLoad), E>,
) -> Result<(T, RunLoad, u32), E> {
    let (mut best, mut load) = attempt()?;
    let mut repeats = 0;
    while load.max() > MAX_LOAD && repeats < MAX_REPEATS {
        repeats += 1;
        let (again, its_load) = attempt()?;
        if its_load.max() < load.max() {
            (best, load) = (again, its_load);
        }
    }
    Ok((best, load, repeats))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_time_is_that_of_all_processes_and_own_time_follows_the_name() {
        let stat = "cpu  10 20 30 4000 50 6 7 8 0 0\ncpu0 1 1\n";
        let own = "42 (a name) with) S 1 2 3 4 5 6 7 8 9 10 300 40 0 0 20\n";
        let expected = ProcessorTime { all: 10 + 20 + 30 + 6 + 7 + 8, own: 340 };
        assert_eq!(ProcessorTime::parse(stat, own), Some(expected));
        assert_eq!(ProcessorTime::parse("intr 1", own), None);
    }

    #[test]
    fn loaded_runs_are_repeated_and_the_quietest_is_kept() {
        let run = |loads: &[f64]| {
            let mut next = loads.iter();
            repeat_until_quiet(|| {
                let during = *next.next().unwrap();
                Ok::<_, ()>((during, RunLoad { during: Some(during), ..RunLoad::default() }))
            })
            .map(|(kept, load, repeats)| (kept, load.max(), repeats))
            .unwrap()
        };
        assert_eq!(run(&[0.3]), (0.3, 0.3, 0));
        assert_eq!(run(&[0.9, 0.1]), (0.1, 0.1, 1));
        assert_eq!(run(&[0.9, 0.5, 0.7, 0.8]), (0.5, 0.5, 3));
    }
}
