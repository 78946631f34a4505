//! Follows one target, with regions and without.

use super::{TICKS, Target};
use crate::privacy::attack_score::{AttackScore, AttackScores, Observation, indicator};
use attacks::tracker::{
    Associations, CONFUSION_BITS, Movement, RegionStream, SchemeModel, StreetWeight, TRACKER,
    Tracker,
};
use meshcloak::map::{Position, StreetMap};
use meshcloak::units::{Length, Time};
use rayon::prelude::*;
use std::time::Instant;
use traffic::SimulatedQuery;

/// Number of streets that count as found.
const SHORT_LIST: usize = 10;
/// Number of particles on a street without particles, for the surprise.
const MIN_PARTICLES: f64 = 0.1;

/// Confidences to choose from; 0 ignores regions.
const CONFIDENCES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
/// Smallest number of other users to choose by.
const MIN_OTHERS: usize = 20;
/// Two equally probable streets are no more than [`CONFUSION_BITS`], whatever the rounding.
const ROUNDING: f64 = 1e-6;

/// What the adversary uses to follow targets.
pub(super) struct Follower<'a> {
    pub map: &'a StreetMap,
    pub stream: &'a RegionStream,
    pub model: &'a SchemeModel,
    pub particles: usize,
}

/// A user to follow, with what is known about users like it.
pub(super) struct Chase<'a> {
    pub target: &'a Target<'a>,
    pub movement: &'a Movement,
    pub associations: &'a Associations,
}

/// Names of the figures of one filter.
struct FigureNames {
    first: &'static str,
    listed: &'static str,
    surprise: &'static str,
    confused: &'static str,
}

const WITH_REGIONS: FigureNames = FigureNames {
    first: "street guessed",
    listed: "street among 10",
    surprise: "bits to the street",
    confused: "seconds until confused",
};

const WITHOUT_REGIONS: FigureNames = FigureNames {
    first: "street guessed without regions",
    listed: "street among 10 without regions",
    surprise: "bits to the street without regions",
    confused: "seconds until confused without regions",
};

impl Follower<'_> {
    /// Returns the confidence in regions with which other users are followed best. Regions of
    /// successive ticks are not independent: the same users are published again.
    pub(super) fn confidence(&self, others: &[Chase<'_>]) -> f64 {
        if others.len() < MIN_OTHERS {
            return 1.0;
        }
        let sums = CONFIDENCES.map(|confidence| {
            let each: Vec<f64> =
                others.par_iter().map(|chase| self.surprise(chase, confidence)).collect();
            (confidence, each.iter().sum::<f64>())
        });
        sums.iter().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(1.0, |best| best.0)
    }

    /// Bits to the street of a user, summed over all ticks.
    fn surprise(&self, chase: &Chase<'_>, confidence: f64) -> f64 {
        let mut score = AttackScore::default();
        self.pursue(chase, Some(confidence), &mut score);
        score.figure(WITH_REGIONS.surprise).unwrap_or(0.0) * score.publications as f64
    }

    /// Follows a target with regions, and without.
    pub(super) fn follow(&self, chase: &Chase<'_>, confidence: f64) -> AttackScores {
        let begun = Instant::now();
        let mut scores = AttackScores::default();
        let score = scores.of(TRACKER.name);
        self.pursue(chase, Some(confidence), score);
        self.pursue(chase, None, score);
        score.elapsed += begun.elapsed();
        scores
    }

    /// Follows a target; without `confidence` regions are not used.
    fn pursue(&self, chase: &Chase<'_>, confidence: Option<f64>, score: &mut AttackScore) {
        let Chase { target, movement, associations } = *chase;
        let names = if confidence.is_some() { &WITH_REGIONS } else { &WITHOUT_REGIONS };
        let SimulatedQuery { asked_at, position, user, query_interval, .. } = *target.query;
        let mut tracker = Tracker::new(self.map, movement, position, self.particles, user.into());
        let first = self.stream.tick_after(Time::from_millis(asked_at)) + 1;
        let mut pace = Pace { asked_at, interval: query_interval.max(1).into(), now: asked_at };
        let mut confused_at = None;
        for tick in first..first + TICKS {
            let now = self.stream.time(tick).as_millis();
            let Some(truth) = target.journey.position(self.map, now) else { break };
            pace.advance(&mut tracker, now);
            if let Some(confidence) = confidence {
                let waited = tick - self.stream.tick_after(Time::from_millis(pace.asked_at));
                tracker.observe(|street| {
                    let likelihood = associations.likelihood(tick, street, confidence);
                    self.model.evidence(waited, street, likelihood)
                });
            }
            let streets = tracker.streets();
            self.compare(&streets, truth, names, score);
            if confidence.is_some() {
                let error = Some(expected_error(self.map, &streets, truth));
                let wrong = streets.iter().all(|one| one.street != truth.street);
                let k = target.query.k;
                score.add(&Observation { k, error, wrong, ..Observation::default() });
            }
            if confused_at.is_none() && entropy(&streets) > CONFUSION_BITS + ROUNDING {
                confused_at = Some(now);
            }
        }
        // A target that is never lost counts with the time that it was followed.
        if pace.now > asked_at {
            let lost = confused_at.unwrap_or(pace.now);
            score.add_figure(names.confused, (lost - asked_at) as f64 / 1000.0);
        }
    }

    fn compare(
        &self,
        streets: &[StreetWeight],
        truth: Position,
        names: &FigureNames,
        score: &mut AttackScore,
    ) {
        let rank = streets.iter().position(|one| one.street == truth.street);
        let probability = rank
            .map_or(0.0, |rank| streets[rank].weight)
            .max(MIN_PARTICLES / self.particles as f64);
        let is_listed = rank.is_some_and(|rank| rank < SHORT_LIST);
        score.add_figure(names.first, indicator(rank == Some(0)));
        score.add_figure(names.listed, indicator(is_listed));
        score.add_figure(names.surprise, -probability.log2());
    }
}

/// The target's known times of asking.
struct Pace {
    /// Time of the last query, in milliseconds.
    asked_at: u64,
    interval: u64,
    /// Present time.
    now: u64,
}

impl Pace {
    /// Moves the tracker to a time, asking on the way.
    fn advance(&mut self, tracker: &mut Tracker<'_>, now: u64) {
        while self.asked_at + self.interval <= now {
            self.asked_at += self.interval;
            tracker.advance((self.asked_at - self.now) as f64 / 1000.0);
            tracker.ask();
            self.now = self.asked_at;
        }
        tracker.advance((now - self.now) as f64 / 1000.0);
        self.now = now;
    }
}

fn entropy(streets: &[StreetWeight]) -> f64 {
    let positive = streets.iter().filter(|one| one.weight > 0.0);
    positive.map(|one| -one.weight * one.weight.log2()).sum()
}

/// Mean distance from the middle of the possible streets to the truth, in metres.
fn expected_error(map: &StreetMap, streets: &[StreetWeight], truth: Position) -> f64 {
    let truth = map.point(truth);
    let error = |one: &StreetWeight| {
        let half = Length::from_units(map.street(one.street).length.units() / 2);
        let middle = map.point(Position { street: one.street, offset: half });
        one.weight * middle.distance(truth)
    };
    streets.iter().map(error).sum()
}
