//! People who only share their presence: others hide among them, and they ask nothing.
//!
//! As in the gateway, a set in which nobody asks is not published: its members go on waiting for
//! somebody who does. Only those who ask are counted.

use meshcloak::query::{Query, UserId};
use std::fmt;

/// Who of the people on a tape asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Presence {
    /// Everybody.
    #[default]
    AllAsk,
    /// So many of a hundred ask nothing, and are there.
    Present(u32),
    /// The same people are not there at all.
    Absent(u32),
}

impl Presence {
    /// The presence that a word stands for: `present-50`, `absent-50`; up to 99.
    pub fn parse(word: &str) -> Option<Presence> {
        let (kind, share) = word.split_once('-')?;
        let share = share.parse().ok().filter(|share| *share < 100)?;
        match kind {
            "present" => Some(Presence::Present(share)),
            "absent" => Some(Presence::Absent(share)),
            _ => None,
        }
    }

    /// How many of a hundred ask nothing.
    pub fn share(self) -> u32 {
        match self {
            Presence::AllAsk => 0,
            Presence::Present(share) | Presence::Absent(share) => share,
        }
    }

    /// Whether somebody asks. Who is silent at one share is at every larger one.
    pub fn asks(self, user: UserId) -> bool {
        let number = user.0.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32) % 100;
        number >= u64::from(self.share())
    }

    /// Whether somebody is there.
    pub fn is_there(self, user: UserId) -> bool {
        !matches!(self, Presence::Absent(_)) || self.asks(user)
    }

    /// Takes the sets in which nobody asks out of those that were served; their members wait on.
    pub(super) fn keep_idle(self, served: &mut Vec<(Query, u32)>, idle: &mut Vec<Query>) {
        if self == Presence::AllAsk {
            return;
        }
        let mut wanted: Vec<u32> =
            served.iter().filter(|(query, _)| self.asks(query.user)).map(|(_, set)| *set).collect();
        wanted.sort_unstable();
        let (kept, others): (Vec<_>, Vec<_>) = std::mem::take(served)
            .into_iter()
            .partition(|(_, set)| wanted.binary_search(set).is_ok());
        *served = kept;
        idle.extend(others.into_iter().map(|(query, _)| query));
    }
}

/// As in names of schemes.
impl fmt::Display for Presence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Presence::AllAsk => Ok(()),
            Presence::Present(share) => write!(f, "/present-{share}"),
            Presence::Absent(share) => write!(f, "/absent-{share}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_all_is_silent_and_those_stay_silent() {
        let present = |share| Presence::Present(share);
        for share in [0, 25, 90] {
            let silent = (0..100_000).filter(|&user| !present(share).asks(UserId(user))).count();
            assert!(silent.abs_diff(share as usize * 1000) < 400, "{silent} of {share} %");
        }
        for user in (0..1000).map(UserId) {
            assert!(present(50).asks(user) <= present(25).asks(user));
            assert!(present(50).is_there(user));
            assert_eq!(Presence::Absent(50).is_there(user), present(50).asks(user));
        }
        assert_eq!(Presence::parse("present-99"), Some(Presence::Present(99)));
        for word in ["present", "present-100", "present--1", "away-5", "absent-"] {
            assert_eq!(Presence::parse(word), None, "{word}");
        }
    }
}
