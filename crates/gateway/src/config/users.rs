//! Settings of users.

use super::parse::{metres, path, seconds, whole};
use super::setting::Setting;
use super::settings::setting;
use std::path::PathBuf;
use std::time::Duration;

/// Settings of users.
#[derive(Clone, Debug, PartialEq)]
pub struct UsersConfig {
    /// File of settings and tokens; `None` keeps them in memory.
    pub file: Option<PathBuf>,
    /// Largest number of users with settings.
    pub max_count: usize,
    /// Largest random shift of a zone's boundary, in metres.
    pub blur: f64,
    /// Accepted clock error of a phone.
    pub skew: Duration,
}

impl Default for UsersConfig {
    fn default() -> UsersConfig {
        UsersConfig { file: None, max_count: 100_000, blur: 200.0, skew: Duration::from_secs(30) }
    }
}

/// Settings of this section.
pub(super) const SETTINGS: &[Setting] = &[
    setting!(
        "people.file",
        "\"\"",
        "File of user settings and tokens, readable by its owner only; \"\" keeps them in memory.",
        |c, text| c.users.file = path(text)
    ),
    setting!(
        "people.most",
        "100000",
        "Largest number of users with settings, 0 to 10000000.",
        |c, text| c.users.max_count = whole(text, 0..=10_000_000)?
    ),
    setting!(
        "people.blur",
        "200",
        "Largest random shift of a zone's boundary in metres, 0 to 5000; changes daily.",
        |c, text| c.users.blur = metres(text, 0.0..=5_000.0)?
    ),
    setting!(
        "people.skew",
        "30",
        "Accepted clock error of a phone in seconds, 0 to 3600; beyond it the time of arrival counts.",
        |c, text| c.users.skew = seconds(text, 0.0..=3600.0)?
    ),
];
