//! How presence reports, queries without a question, count towards k (docs/SPEC.md §6, "Presence").

use std::time::Duration;

/// Default time for which a presence report waits.
pub const DEFAULT_PATIENCE: Duration = Duration::from_secs(30);

/// Which members of a set count towards the k of a member. Members that ask always count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PresenceRule {
    /// Whether presence reports count; otherwise k is a number of members that ask.
    pub counts: bool,
    /// Largest age of a presence report, at the time of the batch, that counts towards the k of a
    /// member that asks; `None` for any age.
    pub max_age: Option<Duration>,
}

impl Default for PresenceRule {
    fn default() -> PresenceRule {
        PresenceRule { counts: true, max_age: None }
    }
}

impl PresenceRule {
    /// Whether some presence reports do not count.
    pub(crate) fn is_limited(self) -> bool {
        !self.counts || self.max_age.is_some()
    }
}
