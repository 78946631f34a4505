//! How a reader tells whoever waits how far it has come. Libraries never print.

/// Is told of stages and of how much of them is done.
pub trait Progress: Sync {
    /// A stage begins: what it does, and how much there is to do (0: unknown).
    fn begin(&self, stage: &'static str, total: u64);
    /// That much more is done.
    fn advance(&self, amount: u64);
}

/// Nobody waits.
impl Progress for () {
    fn begin(&self, _: &'static str, _: u64) {}
    fn advance(&self, _: u64) {}
}
