//! Which agents ask; the others report their presence.

use std::fmt;

/// Percentage of agents that ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskShare(u32);

impl fmt::Display for AskShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", self.0)
    }
}

impl AskShare {
    /// All agents ask.
    pub const ALL: AskShare = AskShare(100);

    /// Returns a share in percent; `None` above 100.
    pub fn percent(percent: u32) -> Option<AskShare> {
        (percent <= 100).then_some(AskShare(percent))
    }

    /// Returns the percentage of agents that do not ask.
    pub fn silent_percent(self) -> u32 {
        100 - self.0
    }

    /// Returns whether an agent asks. Agents that ask at one share ask at every larger share.
    pub fn asks(self, agent: u64) -> bool {
        let number = agent.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32) % 100;
        number + u64::from(self.0) >= 100
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_as_given_and_nested() {
        for percent in [0, 1, 10, 75, 100] {
            let share = AskShare::percent(percent).expect("a percentage");
            let asking = (0..100_000).filter(|&agent| share.asks(agent)).count();
            assert!(asking.abs_diff(percent as usize * 1000) < 400, "{asking} of {percent} %");
        }
        let [less, more] = [5, 25].map(|percent| AskShare::percent(percent).expect("in range"));
        assert!((0..1000).all(|agent| less.asks(agent) <= more.asks(agent)));
        assert_eq!((AskShare::percent(100), AskShare::percent(101)), (Some(AskShare::ALL), None));
    }
}
