//! The receipt of an answer: what was promised and what was done, in steps too coarse to count
//! neighbours by.

use crate::api::Receipt;
use meshcloak::guarantee::Guarantee;
use meshcloak::units::Time;

/// A guarantee as it is written.
pub fn word(guarantee: Guarantee) -> &'static str {
    match guarantee {
        Guarantee::Paper => "paper",
        Guarantee::Reciprocal => "reciprocal",
        Guarantee::History => "history",
    }
}

/// Steps in which people are told among how many they were.
const STEPS: [u32; 6] = [2, 3, 5, 10, 20, 50];

/// Among how many she was at least: a step, or what she asked for.
pub fn coarse(size: usize, asked: u32) -> u32 {
    let size = u32::try_from(size).unwrap_or(u32::MAX);
    let step = STEPS.into_iter().rev().find(|&step| step <= size).unwrap_or(0);
    step.max(asked.min(size))
}

/// Whether anything was known of where somebody was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Past {
    /// Nothing, or it does not matter.
    New,
    /// Where she was when she last asked.
    Known,
}

/// What happened to one person of a published set.
#[derive(Clone, Copy, Debug)]
pub struct Hidden {
    /// What was promised.
    pub guarantee: Guarantee,
    /// Among how many she wanted to be.
    pub k: u32,
    /// Among how many she was.
    pub size: usize,
    /// How many streets the service was asked about.
    pub streets: usize,
    /// When she asked.
    pub asked_at: Time,
    /// When she was hidden.
    pub hidden_at: Time,
    /// Whether anything was known of where she was.
    pub past: Past,
}

impl Hidden {
    /// What she is told of it.
    pub fn receipt(&self, exact: bool) -> Receipt {
        let minds_the_past = self.guarantee == Guarantee::History;
        Receipt {
            guarantee: word(self.guarantee),
            k: self.k,
            k_reached: coarse(self.size, self.k),
            streets: self.streets,
            delay: (self.hidden_at - self.asked_at).as_secs_f64(),
            exact,
            history: (minds_the_past && self.past == Past::New).then_some("new"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_never_says_more_than_was_reached_nor_less_than_was_asked() {
        for size in 2..200 {
            for asked in 2..=size as u32 {
                let told = coarse(size, asked);
                assert!(asked <= told && told <= size as u32, "{size} {asked} {told}");
                assert!(told == asked || STEPS.contains(&told));
            }
        }
        assert_eq!((coarse(4, 2), coarse(9, 7), coarse(1000, 5)), (3, 7, 50));
    }
}
