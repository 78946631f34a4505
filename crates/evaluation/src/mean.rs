//! Incremental mean.

/// Incremental mean.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mean {
    sum: f64,
    count: u64,
}

impl Mean {
    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    /// Adds all values of another mean.
    pub fn join(&mut self, other: Mean) {
        self.sum += other.sum;
        self.count += other.count;
    }

    /// Returns the mean; `None` without values.
    pub fn value(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}
