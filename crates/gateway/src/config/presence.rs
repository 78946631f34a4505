//! Settings of presence reports, queries without a question.

use super::parse::{one_of, seconds};
use super::setting::Setting;
use super::settings::setting;
use meshcloak::presence::{DEFAULT_PATIENCE, PresenceRule};
use std::time::Duration;

/// Presence reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PresenceConfig {
    /// How long a report waits for a set, whatever `dt` its user has.
    pub patience: Duration,
    /// Which reports count towards k.
    pub rule: PresenceRule,
}

impl Default for PresenceConfig {
    fn default() -> PresenceConfig {
        PresenceConfig { patience: DEFAULT_PATIENCE, rule: PresenceRule::default() }
    }
}

/// Settings of this section.
pub(super) const SETTINGS: &[Setting] = &[
    setting!(
        "presence.patience",
        "30",
        "How long a presence report counts, in seconds, 1 to 3600, unless a newer report replaces it.",
        |c, text| c.presence.patience = seconds(text, 1.0..=3600.0)?
    ),
    setting!(
        "presence.counts",
        "true",
        "Whether present users count towards k (true), or only users with a question (false).",
        |c, text| c.presence.rule.counts = one_of(text, &[("true", true), ("false", false)])?
    ),
    setting!(
        "presence.age",
        "0",
        "Largest age of a presence report that counts towards the k of a user with a question, in seconds up to 3600; 0 is any age.",
        |c, text| {
            let age = seconds(text, 0.0..=3600.0)?;
            c.presence.rule.max_age = (!age.is_zero()).then_some(age);
        }
    ),
];
