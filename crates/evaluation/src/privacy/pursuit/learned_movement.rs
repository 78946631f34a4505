//! How users of some top speed move: speeds of the others with about the same top speed, turns of all
//! others. Every adversary knows the target's top speed.

use super::Scene;
use attacks::tracker::{LegPace, Movement};
use meshcloak::query::UserId;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use traffic::{Journey, Leg, LegSpeed, TrafficModel};

/// Movement by class of top speed.
pub(super) struct LearnedMovement {
    classes: BTreeMap<i32, Movement>,
}

impl LearnedMovement {
    pub(super) fn new(scene: &Scene<'_>) -> LearnedMovement {
        let queries = &scene.workload.queries;
        let class_of: FxHashMap<u64, i32> =
            queries.iter().map(|query| (query.user.into(), class(query.speed))).collect();
        let user = |journey: &Journey| journey.name.parse::<u64>().ok();
        let others: Vec<&Journey> = scene
            .workload
            .journeys
            .iter()
            .filter(|journey| user(journey).is_none_or(|user| scene.is_other(UserId(user))))
            .collect();
        let map = scene.atlas.map();
        let turns = TrafficModel::learn(map, others.iter().copied());
        let mut classes: Vec<i32> = class_of.values().copied().collect();
        classes.sort_unstable();
        classes.dedup();
        let movement = |class: i32| {
            let is_alike = |journey: &&&Journey| {
                user(journey).and_then(|user| class_of.get(&user)) == Some(&class)
            };
            let speeds = TrafficModel::learn(map, others.iter().filter(is_alike).copied());
            let pace = |leg| {
                let LegSpeed { mean, deviation } = speeds.speed(Leg::from_index(leg));
                LegPace { mean, deviation }
            };
            Movement::new(map, pace, |from, to, options| {
                turns.turn(Leg::from_index(from), Leg::from_index(to), options)
            })
        };
        let classes = classes.into_iter().map(|class| (class, movement(class))).collect();
        LearnedMovement { classes }
    }

    /// Movement of users with that top speed, in millimetres per second, of a user of the workload.
    pub(super) fn of(&self, speed: u32) -> &Movement {
        self.classes.get(&class(speed)).expect("every speed of the workload has a class")
    }
}

/// Class of a top speed: two for each factor of two.
fn class(speed: u32) -> i32 {
    (2.0 * f64::from(speed.max(1)).log2()).round() as i32
}
