//! What the engine has learned about waiting: how likely somebody who is left waiting is served
//! later, by how many people she asks for, how long she still waits, and how many are around.
//!
//! A scheme that has to choose whom to serve now prefers those who will hardly be served later.
//! Only sums over everyone are kept, nothing about anyone; they belong to the
//! [`crate::scheme::State`], so that a fresh scheme given the same state answers the same.

use crate::query::{Query, QueryId};
use std::time::Duration;

/// A kind of waiting query: those of one kind have had about the same luck.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind(u16);

const KS: u32 = 16;
const SECONDS: u32 = 8;
const CROWDS: u32 = 16;
const KINDS: usize = (KS * SECONDS * CROWDS) as usize;

impl Kind {
    /// The kind of a query that will wait for `left`, with that many neighbours.
    pub fn of(query: &Query, left: Duration, neighbours: u32) -> Kind {
        let k = query.k.saturating_sub(2).min(KS - 1);
        let seconds = (left.as_millis() / 1000).min(u128::from(SECONDS) - 1) as u32;
        let crowd = match neighbours {
            0..=8 => neighbours,
            9..=10 => 9,
            11..=13 => 10,
            14..=17 => 11,
            18..=23 => 12,
            24..=31 => 13,
            32..=47 => 14,
            _ => 15,
        };
        Kind(((k * SECONDS + seconds) * CROWDS + crowd) as u16)
    }

    /// Whoever asks for as many and waits as long, whatever the crowd.
    fn row(self) -> usize {
        usize::from(self.0) / CROWDS as usize
    }
}

/// A mean that forgets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Fading {
    sum: f64,
    count: f64,
}

/// What is left of a mean after each turn.
const FADE: f64 = 0.95;

/// As many observations as the mean of its row counts in the mean of a kind.
const TRUST: f64 = 2.0;

/// How likely somebody is served later of whom nothing is known.
const GUESS: f64 = 0.6;

impl Fading {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1.0;
    }

    fn fade(&mut self) {
        self.sum *= FADE;
        self.count *= FADE;
    }

    fn with(self, guess: f64, trust: f64) -> f64 {
        (self.sum + guess * trust) / (self.count + trust)
    }
}

/// How likely those left waiting are served later, by kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Learned {
    kinds: Vec<Fading>,
    rows: Vec<Fading>,
    /// Who was left waiting by the last turn, in order of arrival.
    left: Vec<(QueryId, Kind)>,
}

/// What became of somebody who had been left waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// She was served.
    Served,
    /// Her patience was over.
    Expired,
    /// She waits still, as one of that kind.
    Waits(Kind),
    /// She took her question back, which says nothing.
    Cancelled,
}

impl Learned {
    /// How likely somebody of that kind is served later if she is not served now.
    pub fn later(&self, kind: Kind) -> f64 {
        let row = self.rows.get(kind.row()).copied().unwrap_or_default();
        let own = self.kinds.get(usize::from(kind.0)).copied().unwrap_or_default();
        own.with(row.with(GUESS, 1.0), TRUST)
    }

    /// Takes in what became of those who were left waiting, in order of arrival.
    pub(crate) fn learn(&mut self, mut fate: impl FnMut(QueryId) -> Fate) {
        let mut seen: Vec<(Kind, f64)> = Vec::with_capacity(self.left.len());
        for &(query, kind) in &self.left {
            match fate(query) {
                Fate::Served => seen.push((kind, 1.0)),
                Fate::Expired => seen.push((kind, 0.0)),
                Fate::Waits(now) => seen.push((kind, self.later(now))),
                Fate::Cancelled => {}
            }
        }
        self.kinds.resize(KINDS, Fading::default());
        self.rows.resize(KINDS / CROWDS as usize, Fading::default());
        if !seen.is_empty() {
            self.kinds.iter_mut().chain(&mut self.rows).for_each(Fading::fade);
        }
        for (kind, luck) in seen {
            self.kinds[usize::from(kind.0)].add(luck);
            self.rows[kind.row()].add(luck);
        }
    }

    /// Notes who is left waiting, in order of arrival.
    pub(crate) fn note(&mut self, left: impl Iterator<Item = (QueryId, Kind)>) {
        self.left.clear();
        self.left.extend(left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::town::{Town, town};

    fn kind(k: u32, seconds: u64) -> Kind {
        let town = town("A 0,0  B 400,0 | A-B");
        let mut query = town.crowd(&mut Town::generator(1), 1).remove(0);
        query.k = k;
        Kind::of(&query, Duration::from_secs(seconds), 5)
    }

    #[test]
    fn luck_is_learned_backwards_from_the_last_moment() {
        let mut learned = Learned::default();
        let (late, early) = (kind(3, 0), kind(3, 1));
        for turn in 0..200 {
            learned.learn(|id| match id.0 {
                0 => Fate::Expired,
                1 => Fate::Waits(late),
                _ => Fate::Cancelled,
            });
            let left = [(QueryId(0), late), (QueryId(1), early), (QueryId(2), kind(2, 0))];
            learned.note(left.into_iter());
            assert!((0.0..=1.0).contains(&learned.later(early)), "turn {turn}");
        }
        assert!(learned.later(late) < 0.05 && learned.later(early) < 0.1);
        assert_eq!(learned.later(kind(2, 0)), GUESS, "who took it back teaches nothing");
        for _ in 0..200 {
            learned.learn(|_| Fate::Served);
        }
        assert!(learned.later(late) > 0.95 && learned.later(early) > 0.95, "it forgets");
    }

    #[test]
    fn every_query_has_a_kind() {
        let town = town("A 0,0  B 400,0 | A-B");
        let mut query = town.crowd(&mut Town::generator(1), 1).remove(0);
        for k in [0, 2, 17, 18, u32::MAX] {
            query.k = k;
            for left in [Duration::ZERO, Duration::from_secs(7), Duration::MAX] {
                for neighbours in [0, 8, 9, 47, u32::MAX] {
                    let kind = Kind::of(&query, left, neighbours);
                    assert!(usize::from(kind.0) < KINDS && kind.row() < KINDS / CROWDS as usize);
                }
            }
        }
    }
}
