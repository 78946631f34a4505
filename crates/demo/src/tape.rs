//! What the crowd asked in the last minute, for whoever wants to hide the same people in another
//! way; and the moments at which somebody did.

use meshcloak::query::Query;
use meshcloak::units::Time;
use std::collections::VecDeque;
use std::sync::Arc;

/// A second of the crowd: when it ended, and who asked in it, in order.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The end of the second.
    pub at: Time,
    /// Who asked.
    pub queries: Arc<Vec<Query>>,
}

/// The last minute.
#[derive(Debug, Default)]
pub struct Tape {
    seconds: VecDeque<Asked>,
}

/// So many seconds are kept: everyone has asked twice in them.
pub const MINUTE: usize = 60;

impl Tape {
    /// Another second has passed.
    pub fn push(&mut self, at: Time, queries: Vec<Query>) {
        self.seconds.push_back(Asked { at, queries: Arc::new(queries) });
        if self.seconds.len() > MINUTE {
            self.seconds.pop_front();
        }
    }

    /// The last minute up to now.
    pub fn moment(&self) -> Vec<Asked> {
        self.seconds.iter().cloned().collect()
    }

    /// How many seconds there are.
    pub fn len(&self) -> usize {
        self.seconds.len()
    }

    /// Whether nothing has happened yet.
    pub fn is_empty(&self) -> bool {
        self.seconds.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_is_kept_and_no_more() {
        let mut tape = Tape::default();
        for second in 0..70 {
            tape.push(Time::from_millis(second * 1000), Vec::new());
        }
        assert_eq!(tape.len(), MINUTE);
        assert_eq!(tape.moment()[0].at, Time::from_millis(10_000));
    }
}
