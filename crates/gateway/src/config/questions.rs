//! Settings of what requests tell about questions.

use super::parse::{seconds, whole};
use super::setting::Setting;
use super::settings::setting;
use std::time::Duration;

/// Decoys: further categories that are asked together with those of the users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuestionsConfig {
    /// Number of decoys of each category that is asked.
    pub decoys: usize,
    /// Smallest number of categories that a region is asked; 0 and 1 add none.
    pub diversity: usize,
    /// How long the categories that are asked together stay the same.
    pub period: Duration,
}

impl QuestionsConfig {
    /// Whether decoys are sent.
    pub fn has_decoys(&self) -> bool {
        self.decoys > 0 || self.diversity > 1
    }

    /// Returns the settings of an engine of a cluster: groups are drawn from the objects of the map
    /// and not from the past, so that they are the same in all engines and after a takeover.
    pub fn without_past(self) -> QuestionsConfig {
        QuestionsConfig { period: Duration::MAX, ..self }
    }
}

impl Default for QuestionsConfig {
    fn default() -> QuestionsConfig {
        QuestionsConfig { decoys: 0, diversity: 0, period: Duration::from_secs(86_400) }
    }
}

/// Settings of this section.
pub(super) const SETTINGS: &[Setting] = &[
    setting!(
        "questions.decoys",
        "0",
        "Number of further categories that are asked with each category of a region, 0 to 20.",
        |c, text| c.questions.decoys = whole(text, 0..=20)?
    ),
    setting!(
        "questions.diversity",
        "0",
        "Smallest number of categories that a region is asked, 0 to 20; decoys fill it up.",
        |c, text| c.questions.diversity = whole(text, 0..=20)?
    ),
    setting!(
        "questions.period",
        "86400",
        "How long the categories that are asked together stay the same, in seconds, 60 to 10000000.",
        |c, text| c.questions.period = seconds(text, 60.0..=1e7)?
    ),
];
