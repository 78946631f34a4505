//! Captured logs and metrics, without the numbers that are allowed in them.

use gateway::config::{LogConfig, LogFormat};
use gateway::logs;
use std::io;
use std::sync::{Arc, Mutex};
use tracing::subscriber::DefaultGuard;

/// Buffer that receives logs.
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
    /// Captures all logs of this thread until the guard is dropped.
    pub fn start() -> (LogCapture, DefaultGuard) {
        let capture = LogCapture::default();
        let writer = capture.clone();
        let config = LogConfig { format: LogFormat::Text, level: tracing::Level::TRACE };
        let subscriber = logs::subscriber(&config, move || writer.clone());
        (capture, tracing::subscriber::set_default(subscriber))
    }

    /// Returns the logs without time stamps.
    pub fn text(&self) -> String {
        let logs = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        let lines = logs.lines().map(|line| line.split_once('Z').map_or(line, |(_, rest)| rest));
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// Removes the number of batches and their durations, the only exact counts: they count no users.
pub fn without_batch_count(counted: &str) -> String {
    let exact = ["meshcloak_batches_total", "meshcloak_turn_seconds"];
    let lines = counted.lines().filter(|line| !exact.iter().any(|name| line.starts_with(name)));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns whether a number may be a metric by chance: a multiple of ten or a bucket limit. Such
/// coordinates are not searched for.
pub fn is_metric_value(number: f64, near: f64) -> bool {
    let tens = (number / 10.0).round() * 10.0;
    let ends = [0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0];
    ends.into_iter().chain([tens]).any(|count| (number - count).abs() <= near)
}
