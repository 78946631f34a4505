//! Memory of a prepared map and of this process.

use meshcloak::distance::{Atlas, Rows};

/// Describes the size of a prepared map and the peak memory of the process.
pub fn memory(atlas: &Atlas) -> String {
    let (kind, rows) = match atlas.rows() {
        Rows::Streets(rows) => ("streets", rows.bytes()),
        Rows::Terminals(rows) => ("terminals", rows.bytes()),
    };
    let (matrix, rows) = (megabytes(atlas.matrix().bytes()), megabytes(rows));
    let peak = peak_memory_mb();
    format!("matrix {matrix:.1} MB, rows of {kind} {rows:.1} MB, peak {peak} MB")
}

/// Converts bytes to MiB.
pub fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// Peak memory of this process since `reset_peak`.
pub fn peak_memory_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1024
}

/// Resets the peak to the current memory (Linux only).
pub fn reset_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
