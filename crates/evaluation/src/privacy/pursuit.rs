//! Attack K: follows targets through all regions of a run, and without the regions for comparison.

mod follower;
mod learned_movement;
#[cfg(test)]
mod tests;

use super::attack_score::AttackScores;
use super::question_attacker::{AskedRegion, for_each_region};
use super::question_mix::{QuestionMix, RARE, shares};
use super::{AttackPlan, DecoyPlan, Targets};
use crate::checkpoint::Checkpoint;
use crate::run::Conditions;
use crate::workload::Workload;
use attacks::questions::{CategoryId, QuestionModel};
use attacks::tracker::{Associations, Example, Lessons, RegionStream, SchemeModel, TRACKER};
use attacks::{Attack, RegionDependence};
use follower::{Chase, Follower};
use learned_movement::LearnedMovement;
use meshcloak::distance::Atlas;
use meshcloak::query::{Query, UserId};
use meshcloak::scheme::{Published, State};
use meshcloak::units::{Length, Time};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;
use traffic::{Journey, SimulatedQuery};

/// Number of ticks that a target is followed.
const TICKS: usize = 60;

/// Number of other users who are followed to choose the confidence.
const OTHERS: usize = 60;

/// What all parts of the attack use.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) atlas: &'a Arc<Atlas>,
    pub(super) workload: &'a Workload,
    pub(super) targets: &'a Targets,
    pub(super) conditions: Conditions,
    pub(super) dependence: RegionDependence,
}

/// The regions of a run, and what the adversary learns from users who are not targets.
pub(super) struct Pursuit<'a> {
    scene: Scene<'a>,
    followed: Vec<Target<'a>>,
    /// Users that are followed to calibrate the adversary's confidence in regions.
    others: Vec<Target<'a>>,
    stream: RegionStream,
    lessons: Lessons,
    /// Categories of users, if the adversary knows that of the target.
    kinds: Option<Kinds>,
    particles: usize,
}

/// Categories that regions are asked for.
struct Kinds {
    mix: QuestionMix,
    model: QuestionModel,
    /// By tick and index of the region.
    requested: FxHashMap<(usize, usize), BTreeSet<CategoryId>>,
    /// Publications of other users who ask the rare category.
    rare: Vec<Example>,
}

/// A target: its known query, and its path.
struct Target<'a> {
    query: &'a SimulatedQuery,
    journey: &'a Journey,
}

impl Scene<'_> {
    /// Whether the adversary learns from a user: all but the targets, or all if all are targets.
    fn is_other(&self, user: UserId) -> bool {
        self.targets.users.len() >= self.workload.users || !self.targets.contains(user)
    }
}

impl Kinds {
    fn new(DecoyPlan { decoys, diversity }: DecoyPlan) -> Kinds {
        let model = QuestionModel::new(&shares(), decoys, diversity);
        Kinds { mix: QuestionMix::new(), model, requested: FxHashMap::default(), rare: Vec::new() }
    }

    /// Probability that a user of a region asks the rare category, relative to all users.
    fn factor(&self, tick: usize, region: usize, members: f64) -> f64 {
        let Some(requested) = self.requested.get(&(tick, region)) else { return 0.0 };
        if !requested.contains(&RARE) {
            return 0.0;
        }
        // At least as many users as it takes to ask all of these.
        let members = (members.round() as usize).max(1);
        let posteriors = (members..=members.max(requested.len()))
            .map(|members| self.model.posterior(requested, members)[RARE as usize]);
        let posterior = posteriors.into_iter().find(|posterior| posterior.is_finite());
        posterior.unwrap_or(0.0) / self.model.prior()[RARE as usize]
    }
}

impl<'a> Pursuit<'a> {
    /// Prepares the attack; `None` if the plan does not have it or the paths are unknown.
    pub(super) fn planned(plan: &AttackPlan, scene: Scene<'a>) -> Option<Pursuit<'a>> {
        let is_planned = |attack: &Attack| plan.attacks.contains(&attack.name);
        if !is_planned(&TRACKER) || scene.workload.journeys.is_empty() {
            return None;
        }
        let kinds = plan.follows_kinds.then(|| Kinds::new(plan.questions));
        let is_followed = |user: UserId| match &kinds {
            Some(kinds) => kinds.mix.category(user) == RARE && scene.conditions.presence.asks(user),
            None => scene.targets.contains(user),
        };
        let is_model = |user: UserId| {
            let asks_alike = kinds.as_ref().is_none_or(|kinds| kinds.mix.category(user) == RARE);
            asks_alike && scene.conditions.presence.asks(user) && !scene.targets.contains(user)
        };
        let others = followed(scene.workload, is_model, OTHERS);
        let followed = followed(scene.workload, is_followed, plan.followed);
        let empty = RegionStream::new(scene.conditions.tick, 0..0);
        let first =
            |target: &Target<'_>| empty.tick_after(Time::from_millis(target.query.asked_at));
        let start = followed.iter().map(first).min().unwrap_or(0);
        let end = followed.iter().map(first).max().unwrap_or(0) + TICKS + 1;
        let stream = RegionStream::new(scene.conditions.tick, start..end);
        let lessons = Lessons { asked: asked(&scene, &stream), published: Vec::new() };
        let particles = plan.particles;
        Some(Pursuit { scene, followed, others, stream, lessons, kinds, particles })
    }

    /// Adds what a scheme publishes at a time.
    pub(super) fn add(&mut self, at: Time, state: &State, published: &Published) {
        let tick = self.stream.tick_after(at);
        if !self.stream.window().contains(&tick) {
            return;
        }
        let first = self.stream.regions(tick).len();
        let mut regions = Vec::new();
        for_each_region(state, published, |AskedRegion { asking, .. }| {
            let region = first + regions.len();
            regions.extend(asking.first().map(|(region, _)| region.clone().into_owned()));
            let others = asking.iter().map(|(_, query)| *query);
            let others = others.filter(|query| self.scene.is_other(query.user));
            let example = |query: &Query| Example {
                tick,
                region,
                street: query.position.street,
                dc: query.distance_constraint,
                waited: tick.saturating_sub(self.stream.tick_after(query.asked_at)),
            };
            if let Some(Kinds { mix, model, requested, rare }) = &mut self.kinds {
                requested.insert((tick, region), model.requested(&mix.categories(asking)));
                let asks_it = |query: &&Query| mix.category(query.user) == RARE;
                rare.extend(others.clone().filter(asks_it).map(example));
            }
            self.lessons.published.extend(others.map(example));
        });
        self.stream.add(at, regions);
    }

    /// Follows the targets.
    pub(super) fn score(self, checkpoint: &Checkpoint) -> AttackScores {
        let begun = Instant::now();
        let Scene { atlas, dependence, .. } = self.scene;
        let model = SchemeModel::learn(atlas, dependence, &self.stream, &self.lessons);
        let movement = LearnedMovement::new(&self.scene);
        let follower = Follower {
            map: atlas.map(),
            stream: &self.stream,
            model: &model,
            particles: self.particles,
        };
        let groups = self.groups(&model);
        let confidence = follower.confidence(&chases_of(&groups, &movement, |group| &group.others));
        let mut all = AttackScores::default();
        all.of(TRACKER.name).elapsed += begun.elapsed();
        let targets = chases_of(&groups, &movement, |group| &group.targets);
        let scored: Vec<AttackScores> = targets
            .par_iter()
            .map(|target| {
                checkpoint.pass();
                follower.follow(target, confidence)
            })
            .collect();
        scored.into_iter().for_each(|scores| all.join(scores));
        all
    }

    /// Groups targets and other users by dc, if it matters.
    fn groups(&self, model: &SchemeModel) -> Vec<Group<'_>> {
        let dc =
            |target: &Target<'_>| model.depends_on_dc().then_some(target.query.distance_constraint);
        let all: BTreeSet<Option<Length>> = self.followed.iter().map(dc).collect();
        let all: Vec<Option<Length>> = all.into_iter().collect();
        all.par_iter()
            .map(|&one| Group {
                associations: self.associations(one, model),
                targets: self.followed.iter().filter(|target| dc(target) == one).collect(),
                others: self.others.iter().filter(|target| dc(target) == one).collect(),
            })
            .collect()
    }

    /// Weighs the hypotheses for targets of one dc; `None`: the dc does not matter.
    fn associations(&self, dc: Option<Length>, model: &SchemeModel) -> Associations {
        let kind = |tick, region, members| match &self.kinds {
            Some(kinds) => kinds.factor(tick, region, members),
            None => 1.0,
        };
        let examples = self.kinds.as_ref().map_or(&self.lessons.published, |kinds| &kinds.rare);
        let is_alike = |one: &&Example| dc.is_none_or(|dc| one.dc == dc);
        let examples: Vec<Example> = examples.iter().filter(is_alike).copied().collect();
        Associations::new(model, &self.stream, dc, kind).calibrated(model, &examples)
    }
}

/// Users with the same associations.
struct Group<'a> {
    associations: Associations,
    targets: Vec<&'a Target<'a>>,
    others: Vec<&'a Target<'a>>,
}

/// Returns the chases of some users of all groups.
fn chases_of<'a>(
    groups: &'a [Group<'a>],
    movement: &'a LearnedMovement,
    users: fn(&'a Group<'a>) -> &'a [&'a Target<'a>],
) -> Vec<Chase<'a>> {
    let of_group = |group: &'a Group<'a>| {
        users(group).iter().map(move |target| Chase {
            target,
            movement: movement.of(target.query.speed),
            associations: &group.associations,
        })
    };
    groups.iter().flat_map(of_group).collect()
}

/// Number of queries of other users by street, in the ticks of a stream.
fn asked(scene: &Scene<'_>, stream: &RegionStream) -> Vec<u32> {
    let mut asked = vec![0; scene.atlas.map().street_count()];
    for query in &scene.workload.queries {
        let user = UserId(query.user.into());
        let tick = stream.tick_after(Time::from_millis(query.asked_at));
        let counts = scene.is_other(user) && scene.conditions.presence.asks(user);
        if counts && stream.window().contains(&tick) {
            asked[query.position.street.index()] += 1;
        }
    }
    asked
}

/// Targets with their first query, in order of time.
fn followed(
    workload: &Workload,
    is_followed: impl Fn(UserId) -> bool,
    count: usize,
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
        if found.len() == count {
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
