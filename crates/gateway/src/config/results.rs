//! Settings of the storage of results.

use super::parse::{seconds, whole};
use super::setting::Setting;
use super::settings::setting;
use std::time::Duration;

/// Storage of results for repeated tickets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultsConfig {
    /// Storage time.
    pub keep: Duration,
    /// Largest number of results per account.
    pub max_count: usize,
    /// Largest size of the results per account, in bytes.
    pub max_bytes: usize,
}

impl Default for ResultsConfig {
    fn default() -> ResultsConfig {
        ResultsConfig { keep: Duration::from_secs(60), max_count: 100_000, max_bytes: 256 << 20 }
    }
}

/// Settings of this section.
pub(super) const SETTINGS: &[Setting] = &[
    setting!(
        "results.keep",
        "60",
        "How long a repeated ticket gets the stored result, in seconds, 1 to 3600.",
        |c, text| c.results.keep = seconds(text, 1.0..=3600.0)?
    ),
    setting!(
        "results.most",
        "100000",
        "Largest number of stored results per account, 1 to 100000000.",
        |c, text| c.results.max_count = whole(text, 1..=100_000_000)?
    ),
    setting!(
        "results.megabytes",
        "256",
        "Largest size of the stored results per account in MB, 1 to 1000000.",
        |c, text| c.results.max_bytes = whole::<usize>(text, 1..=1_000_000)? << 20
    ),
];
