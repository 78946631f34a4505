//! Progress reports of readers. The library itself prints nothing.

/// Receives progress reports.
pub trait Progress: Sync {
    /// Begins a stage with `total` units of work; 0 is unknown.
    fn begin(&self, stage: &'static str, total: u64);
    /// Reports that `amount` more units are done.
    fn advance(&self, amount: u64);
}

/// Ignores all reports.
impl Progress for () {
    fn begin(&self, _: &'static str, _: u64) {}
    fn advance(&self, _: u64) {}
}
