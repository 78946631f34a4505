//! Sets that a scheme publishes for the users of a scene.

use crate::distinct::{distinct, sorted_distinct};
use meshcloak::distance::Atlas;
use meshcloak::engine::{Batch, RecordedPast, turn};
use meshcloak::query::Query;
use meshcloak::region::Region;
use meshcloak::scheme::{Pace, Scheme, State};
use picture::scene::{QueryStep, SceneUser, TownScene};
use std::sync::Arc;

/// An anonymity set that a scheme published.
pub(in crate::report) struct PublishedSet {
    pub step: QueryStep,
    /// Indices of users of the scene, ascending.
    pub members: Vec<usize>,
    pub region: Region<'static>,
}

/// Runs the scheme `name` on the queries of `scene` and returns every published set in order of time.
pub(in crate::report) fn publish(
    scene: &TownScene,
    atlas: &Arc<Atlas>,
    name: &str,
) -> Vec<PublishedSet> {
    let Ok(mut scheme) = crate::schemes::by_name(atlas, name) else { return Vec::new() };
    let (mut state, mut all) = (State::default(), Vec::new());
    let mut past = RecordedPast::new(scheme.as_ref());
    for step in [QueryStep::Now, QueryStep::Later] {
        let is_due = |query: &Query| scene.users[query.id.0 as usize].step == step;
        let arrivals: Vec<Query> = scene.queries().into_iter().filter(is_due).collect();
        let batches = match scheme.describe().pace {
            Pace::Batch => vec![arrivals],
            Pace::Sequential => arrivals.into_iter().map(|query| vec![query]).collect(),
        };
        for arrivals in batches {
            all.extend(run_batch(scheme.as_mut(), &mut state, &mut past, arrivals, step));
        }
    }
    all
}

/// Runs one batch and returns the distinct sets that were published.
fn run_batch(
    scheme: &mut dyn Scheme,
    state: &mut State,
    past: &mut RecordedPast,
    mut arrivals: Vec<Query>,
    step: QueryStep,
) -> Vec<PublishedSet> {
    let Some(now) = arrivals.iter().map(|query| query.asked_at).max() else { return Vec::new() };
    past.record(&mut arrivals, state);
    let turn = turn(scheme, state, Batch { now, arrivals, ..Batch::default() }, &mut ());
    past.leave(&turn.served);
    let sets = sorted_distinct(turn.served.iter().map(|(_, set)| *set));
    let published = |set: &u32| {
        let set = turn.published.set(*set);
        let members = set.members.iter().map(|id| id.0 as usize).collect();
        PublishedSet { step, members, region: set.region.into_owned() }
    };
    sets.iter().map(published).collect()
}

/// Returns the name as drawn. Positions after moving carry a prime; these are all positions if the
/// scene has a single step.
pub(in crate::report) fn label(scene: &TownScene, user: &SceneUser) -> String {
    let name = user.name.replace('\'', "′");
    let has_two_steps = scene.users.iter().any(|user| user.step == QueryStep::Later);
    if has_two_steps { name } else { name + "′" }
}

/// Describes sets in words, each distinct set once.
pub(in crate::report) fn describe_sets<'a>(
    scene: &TownScene,
    sets: impl Iterator<Item = &'a PublishedSet>,
) -> String {
    let describe = |set: &PublishedSet| {
        let names: Vec<String> =
            set.members.iter().map(|&index| label(scene, &scene.users[index])).collect();
        match &names[..] {
            [first @ .., last] if !first.is_empty() => {
                format!("{} and {last} in one set", first.join(", "))
            }
            _ => format!("{} alone", names.concat()),
        }
    };
    let descriptions = distinct(sets.map(describe));
    match descriptions.is_empty() {
        true => "no set".to_owned(),
        false => descriptions.join("; "),
    }
}
