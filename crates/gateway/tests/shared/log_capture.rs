//! What is logged and counted, without the numbers that may be there.

use gateway::config::{LogConfig, LogFormat};
use gateway::logs;
use std::io;
use std::sync::{Arc, Mutex};
use tracing::subscriber::DefaultGuard;

/// A place for logs to go.
#[derive(Clone, Default)]
pub struct LogCapture(Arc<Mutex<Vec<u8>>>);

impl io::Write for LogCapture {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl LogCapture {
    /// Logs of this thread go to these pages from now on, all of them.
    pub fn start() -> (LogCapture, DefaultGuard) {
        let pages = LogCapture::default();
        let writer = pages.clone();
        let config = LogConfig { format: LogFormat::Text, level: tracing::Level::TRACE };
        let subscriber = logs::subscriber(&config, move || writer.clone());
        (pages, tracing::subscriber::set_default(subscriber))
    }

    /// What was logged, without the times it begins with, which are numbers like any other.
    pub fn text(&self) -> String {
        let logs = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        let lines = logs.lines().map(|line| line.split_once('Z').map_or(line, |(_, rest)| rest));
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// Counts without that of batches, which is shown one by one: it counts no people.
pub fn without_batch_count(counted: &str) -> String {
    let lines = counted.lines().filter(|line| !line.starts_with("meshcloak_batches_total"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Counts are shown in tens, and buckets end at a few numbers: a coordinate that is one of those
/// by chance is not looked for.
pub fn is_metric_value(number: f64, near: f64) -> bool {
    let tens = (number / 10.0).round() * 10.0;
    let ends = [0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0];
    ends.into_iter().chain([tens]).any(|count| (number - count).abs() <= near)
}
