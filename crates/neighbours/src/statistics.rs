//! Running averages.

/// Average of added values; `None` without values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Average {
    sum: f64,
    count: u64,
}

impl Average {
    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    /// Adds 1 if `holds`, else 0: the average is then a share.
    pub fn add_share(&mut self, holds: bool) {
        self.add(f64::from(u8::from(holds)));
    }

    /// Average of the values.
    pub fn value(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Sum of the values.
    pub fn sum(&self) -> f64 {
        self.sum
    }
}

impl FromIterator<f64> for Average {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Average {
        let mut average = Average::default();
        for value in values {
            average.add(value);
        }
        average
    }
}
