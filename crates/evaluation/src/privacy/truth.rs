//! The truth: who asked what from where. Attacks never see it.

use crate::tape::Tape;
use meshcloak::map::Position;
use meshcloak::query::UserId;
use meshcloak::units::{Length, Speed, Time};
use rustc_hash::FxHashMap;
use std::time::Duration;

/// One question as it was.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// Who.
    pub user: UserId,
    /// When.
    pub at: Time,
    /// Where.
    pub position: Position,
    /// Among how many she wanted to be.
    pub k: u32,
    /// Her distance constraint.
    pub dc: Length,
    /// Her top speed.
    pub speed: Option<Speed>,
    /// How long she waits.
    pub patience: Duration,
    /// The number of her question before.
    pub previous: Option<u32>,
}

/// Everything that was asked, by number.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    /// In order of time.
    pub asked: Vec<Asked>,
}

impl Truth {
    /// What was asked, in order of time; who asked before is found.
    pub fn new(asked: impl Iterator<Item = Asked>) -> Truth {
        let mut last: FxHashMap<UserId, u32> = FxHashMap::default();
        let known = asked.enumerate().map(|(number, asked)| {
            let previous = last.insert(asked.user, number as u32);
            Asked { previous, ..asked }
        });
        Truth { asked: known.collect() }
    }

    /// What is asked on a tape.
    pub(super) fn of_tape(tape: &Tape, tolerance: Duration) -> Truth {
        let asked = (0..tape.queries.len()).map(|number| {
            let query = tape.query(number, tolerance);
            Asked {
                user: query.user,
                at: query.asked_at,
                position: query.position,
                k: query.k,
                dc: query.distance_constraint,
                speed: query.speed,
                patience: query.temporal_tolerance,
                previous: None,
            }
        });
        Truth::new(asked)
    }

    /// A question by its number.
    pub fn of(&self, number: u32) -> &Asked {
        &self.asked[number as usize]
    }
}
