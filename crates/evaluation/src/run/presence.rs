//! Presence: users without a question report their position and count towards k.
//!
//! A report has k = 1 and the default patience (docs/SPEC.md §6). The engine does not publish a set
//! without a member that asks. Metrics count queries with a question only.

use meshcloak::presence::DEFAULT_PATIENCE;
use meshcloak::query::{Query, UserId};
use std::fmt;
use traffic::AskShare;

/// Which users of a workload ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Presence {
    /// All users ask.
    #[default]
    AllAsk,
    /// This percentage of users is present without asking.
    Present(u32),
    /// The same users are absent.
    Absent(u32),
    /// All users ask; between their queries they count towards k at their last position.
    Registered,
}

impl Presence {
    /// Parses `present-SHARE` or `absent-SHARE` with a percentage of 0 to 99.
    pub fn parse(word: &str) -> Option<Presence> {
        let (kind, share) = word.split_once('-')?;
        let share = share.parse().ok().filter(|share| *share < 100)?;
        match kind {
            "present" => Some(Presence::Present(share)),
            "absent" => Some(Presence::Absent(share)),
            _ => None,
        }
    }

    /// Returns the presence of all users of which a share asks.
    pub fn of_ask_share(share: AskShare) -> Presence {
        match share.silent_percent() {
            0 => Presence::AllAsk,
            silent => Presence::Present(silent),
        }
    }

    /// Returns the percentage of users without a question.
    pub fn share(self) -> u32 {
        match self {
            Presence::AllAsk | Presence::Registered => 0,
            Presence::Present(share) | Presence::Absent(share) => share,
        }
    }

    /// Returns whether a user asks. Users silent at one share are silent at every larger share.
    pub fn asks(self, user: UserId) -> bool {
        AskShare::percent(100 - self.share()).is_none_or(|share| share.asks(user.0))
    }

    /// Makes a query of a user who does not ask a presence report.
    pub fn apply(self, query: &mut Query) {
        if !self.asks(query.user) {
            (query.asks, query.k, query.temporal_tolerance) = (false, 1, DEFAULT_PATIENCE);
        }
    }

    /// Returns whether a user is present.
    pub fn is_present(self, user: UserId) -> bool {
        !matches!(self, Presence::Absent(_)) || self.asks(user)
    }
}

/// Suffix of scheme names.
impl fmt::Display for Presence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Presence::AllAsk => Ok(()),
            Presence::Registered => write!(f, "/registered"),
            Presence::Present(share) => write!(f, "/present-{share}"),
            Presence::Absent(share) => write!(f, "/absent-{share}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_silent_users_is_as_given_and_nested() {
        let present = |share| Presence::Present(share);
        for share in [0, 25, 90] {
            let silent = (0..100_000).filter(|&user| !present(share).asks(UserId(user))).count();
            assert!(silent.abs_diff(share as usize * 1000) < 400, "{silent} of {share} %");
        }
        for user in (0..1000).map(UserId) {
            assert!(present(50).asks(user) <= present(25).asks(user));
            assert!(present(50).is_present(user));
            assert_eq!(Presence::Absent(50).is_present(user), present(50).asks(user));
        }
        assert_eq!(Presence::parse("present-99"), Some(Presence::Present(99)));
        for word in ["present", "present-100", "present--1", "away-5", "absent-"] {
            assert_eq!(Presence::parse(word), None, "{word}");
        }
    }
}
