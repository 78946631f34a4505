//! Attack K: follows targets through all regions of a run, and without the regions for comparison.

#[cfg(test)]
mod tests;

use super::attack_score::{AttackScore, AttackScores, Observation, indicator};
use super::question_attacker::{AskedRegion, for_each_region};
use super::question_mix::{QuestionMix, RARE, shares};
use super::{AttackPlan, DecoyPlan, Targets};
use crate::workload::Workload;
use attacks::questions::QuestionModel;
use attacks::tracker::{
    CONFUSION_BITS, LegPace, Movement, RegionStream, StreetWeight, TRACKER, Tracker,
};
use meshcloak::map::{Position, StreetMap};
use meshcloak::query::{Query, UserId};
use meshcloak::region::Region;
use meshcloak::scheme::{Published, State};
use meshcloak::units::{Length, Time};
use rayon::prelude::*;
use std::time::{Duration, Instant};
use traffic::{Journey, Leg, LegSpeed, SimulatedQuery, TrafficModel};

/// Number of ticks that a target is followed.
const TICKS: usize = 60;
/// Number of particles.
const PARTICLES: usize = 1_000;
/// Number of streets that count as found.
const SHORT_LIST: usize = 10;

/// The regions of a run.
pub(super) struct Pursuit {
    stream: RegionStream,
    /// Number of published queries of users who may be followed.
    published: usize,
    /// Categories of users, if only regions of one category are followed.
    kinds: Option<Kinds>,
}

/// Regions that are asked for one category.
struct Kinds {
    mix: QuestionMix,
    model: QuestionModel,
}

/// A target: its known position, and its path.
struct Target<'a> {
    query: &'a SimulatedQuery,
    journey: &'a Journey,
}

/// Names of the figures of one filter.
struct FigureNames {
    first: &'static str,
    listed: &'static str,
    confused: &'static str,
}

const WITH_REGIONS: FigureNames = FigureNames {
    first: "street guessed",
    listed: "street among 10",
    confused: "seconds until confused",
};

const WITHOUT_REGIONS: FigureNames = FigureNames {
    first: "street guessed without regions",
    listed: "street among 10 without regions",
    confused: "seconds until confused without regions",
};

impl Pursuit {
    /// Whether the plan has the attack and the paths are known.
    pub(super) fn is_planned(plan: &AttackPlan, workload: &Workload) -> bool {
        plan.attacks.contains(&TRACKER.name) && !workload.journeys.is_empty()
    }

    pub(super) fn new(tick: Duration, plan: &AttackPlan) -> Pursuit {
        let DecoyPlan { decoys, diversity } = plan.questions;
        let kinds = plan.follows_kinds.then(|| {
            let model = QuestionModel::new(&shares(), decoys, diversity);
            Kinds { mix: QuestionMix::new(), model }
        });
        Pursuit { stream: RegionStream::new(tick), published: 0, kinds }
    }

    /// Adds what a scheme publishes at a time.
    pub(super) fn add(&mut self, map: &StreetMap, at: Time, state: &State, published: &Published) {
        let Some(Kinds { mix, model }) = &self.kinds else {
            let sets = 0..published.set_count() as u32;
            let regions: Vec<Region<'_>> = sets.map(|set| published.set(set).region).collect();
            self.stream.add(map, at, regions);
            self.published += published.served().len();
            return;
        };
        let mut regions: Vec<Region<'static>> = Vec::new();
        for_each_region(state, published, |AskedRegion { asking, .. }| {
            if model.requested(&mix.categories(asking)).contains(&RARE) {
                let region = asking.first().map(|(region, _)| region.clone().into_owned());
                regions.extend(region);
            }
            let is_rare = |(_, query): &&(Region<'_>, &Query)| mix.category(query.user) == RARE;
            self.published += asking.iter().filter(is_rare).count();
        });
        self.stream.add(map, at, regions);
    }

    /// Whether a user may be followed.
    fn is_followed(&self, user: UserId, targets: &Targets) -> bool {
        match &self.kinds {
            Some(kinds) => kinds.mix.category(user) == RARE,
            None => targets.contains(user),
        }
    }

    /// Follows the first targets; the movement of users is learned from all others.
    pub(super) fn score(
        mut self,
        map: &StreetMap,
        workload: &Workload,
        targets: &Targets,
        plan: &AttackPlan,
    ) -> AttackScores {
        self.stream.finish(map);
        let movement = &movement(map, workload, targets);
        let is_followed = |user| self.is_followed(user, targets);
        let chosen = chosen(workload, is_followed, plan.followed);
        let users = match &self.kinds {
            Some(_) => (0..workload.users as u64).filter(|&user| is_followed(UserId(user))).count(),
            None => workload.users,
        };
        let user_ticks = self.stream.tick_count() * users;
        let asks = self.published as f64 / user_ticks.max(1) as f64;
        let scored: Vec<AttackScores> = chosen
            .par_iter()
            .map(|target| {
                plan.checkpoint.pass();
                let begun = Instant::now();
                let mut scores = AttackScores::default();
                for asks in [asks, 0.0] {
                    let follower = Follower { map, movement, stream: &self.stream, asks };
                    follower.follow(target, scores.of(TRACKER.name));
                }
                scores.of(TRACKER.name).elapsed += begun.elapsed();
                scores
            })
            .collect();
        let mut all = AttackScores::default();
        scored.into_iter().for_each(|scores| all.join(scores));
        all
    }
}

/// What the adversary uses to follow a target.
struct Follower<'a> {
    map: &'a StreetMap,
    movement: &'a Movement,
    stream: &'a RegionStream,
    /// Probability that a user is published in a tick; 0: the regions are not used.
    asks: f64,
}

impl Follower<'_> {
    fn uses_regions(&self) -> bool {
        self.asks > 0.0
    }

    fn follow(&self, target: &Target<'_>, score: &mut AttackScore) {
        let SimulatedQuery { asked_at, position, user, .. } = *target.query;
        let mut tracker = Tracker::new(self.map, self.movement, position, PARTICLES, user.into());
        let first = self.stream.tick_after(Time::from_millis(asked_at)) + 1;
        let (mut before, mut confused_at) = (asked_at, None);
        for tick in first..(first + TICKS).min(self.stream.tick_count()) {
            let now = self.stream.time(tick).as_millis();
            let Some(truth) = target.journey.position(self.map, now) else { break };
            tracker.advance((now - before) as f64 / 1000.0);
            before = now;
            if self.uses_regions() {
                tracker.observe(|street| self.stream.likelihood(tick, street, self.asks));
            }
            let streets = tracker.streets();
            self.compare(&streets, truth, target.query.k, score);
            if confused_at.is_none() && entropy(&streets) > CONFUSION_BITS {
                confused_at = Some(now);
            }
        }
        // A target that is never lost counts with the time that it was followed.
        if before > asked_at {
            let lost = confused_at.unwrap_or(before);
            score.add_figure(self.names().confused, (lost - asked_at) as f64 / 1000.0);
        }
    }

    fn compare(&self, streets: &[StreetWeight], truth: Position, k: u32, score: &mut AttackScore) {
        let rank = streets.iter().position(|one| one.street == truth.street);
        let is_listed = rank.is_some_and(|rank| rank < SHORT_LIST);
        score.add_figure(self.names().first, indicator(rank == Some(0)));
        score.add_figure(self.names().listed, indicator(is_listed));
        if self.uses_regions() {
            let error = Some(expected_error(self.map, streets, truth));
            let wrong = rank.is_none();
            score.add(&Observation { k, error, wrong, ..Observation::default() });
        }
    }

    fn names(&self) -> &'static FigureNames {
        if self.uses_regions() { &WITH_REGIONS } else { &WITHOUT_REGIONS }
    }
}

/// Targets with their first query, in order of time.
fn chosen(
    workload: &Workload,
    is_followed: impl Fn(UserId) -> bool,
    followed: usize,
) -> Vec<Target<'_>> {
    let mut journeys: Vec<Option<&Journey>> = vec![None; workload.users];
    for journey in &workload.journeys {
        let number = journey.name.parse::<usize>().ok();
        if let Some(entry) = number.and_then(|number| journeys.get_mut(number)) {
            *entry = Some(journey);
        }
    }
    let mut found = Vec::new();
    for query in &workload.queries {
        if found.len() == followed {
            break;
        }
        if is_followed(UserId(query.user.into()))
            && let Some(journey) = journeys.get_mut(query.user as usize).and_then(Option::take)
        {
            found.push(Target { query, journey });
        }
    }
    found
}

/// Movement of users that are not targets, or of all if all are targets.
fn movement(map: &StreetMap, workload: &Workload, targets: &Targets) -> Movement {
    let is_other = |journey: &&Journey| {
        let user = journey.name.parse().ok().map(UserId);
        targets.users.len() >= workload.users || !user.is_some_and(|user| targets.contains(user))
    };
    let model = TrafficModel::learn(map, workload.journeys.iter().filter(is_other));
    let pace = |leg| {
        let LegSpeed { mean, deviation } = model.speed(Leg::from_index(leg));
        LegPace { mean, deviation }
    };
    Movement::new(map, pace, |from, to, options| {
        model.turn(Leg::from_index(from), Leg::from_index(to), options)
    })
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
