//! Who is hidden with whom on a town, as a scheme itself says.

use meshcloak::distance::Atlas;
use meshcloak::engine::{Batch, turn};
use meshcloak::history::LastPositions;
use meshcloak::query::Query;
use meshcloak::region::Region;
use meshcloak::scheme::{Pace, Scheme, State};
use picture::scene::{Asks, Person, Scene};
use std::sync::Arc;

/// A set that a scheme published.
pub(in crate::report) struct Hidden {
    pub asks: Asks,
    /// Places among the people of the scene, ascending.
    pub members: Vec<usize>,
    pub region: Region<'static>,
}

/// All sets that the scheme of that name publishes, each once, in the order of time.
pub(in crate::report) fn ask(scene: &Scene, atlas: &Arc<Atlas>, name: &str) -> Vec<Hidden> {
    let Some(mut scheme) = crate::schemes::by_name(atlas, name) else { return Vec::new() };
    let (mut state, mut all) = (State::default(), Vec::new());
    let mut positions = scheme.history_horizon().map(LastPositions::new);
    for asks in [Asks::Now, Asks::Later] {
        let own = |query: &Query| scene.people[query.id.0 as usize].asks == asks;
        let arrivals: Vec<Query> = scene.queries().into_iter().filter(own).collect();
        let batches = match scheme.describe().pace {
            Pace::Batch => vec![arrivals],
            Pace::Sequential => arrivals.into_iter().map(|query| vec![query]).collect(),
        };
        for arrivals in batches {
            if let Some(positions) = &mut positions {
                positions.record_all(&arrivals, &mut state.history);
            }
            all.extend(published(scheme.as_mut(), &mut state, arrivals, asks));
        }
    }
    all
}

fn published(
    scheme: &mut dyn Scheme,
    state: &mut State,
    arrivals: Vec<Query>,
    asks: Asks,
) -> Vec<Hidden> {
    let Some(now) = arrivals.iter().map(|query| query.asked_at).max() else { return Vec::new() };
    let turn = turn(scheme, state, Batch { now, arrivals, ..Batch::default() }, &mut ());
    let mut sets: Vec<u32> = turn.served.iter().map(|(_, set)| *set).collect();
    sets.sort_unstable();
    sets.dedup();
    let hidden = |set: &u32| {
        let cloaking = turn.published.set(*set);
        let members = cloaking.members.iter().map(|id| id.0 as usize).collect();
        Hidden { asks, members, region: cloaking.region.into_owned() }
    };
    sets.iter().map(hidden).collect()
}

/// A person's name as it is drawn. Where nobody asks twice, everyone has moved already.
pub(in crate::report) fn label(scene: &Scene, person: &Person) -> String {
    let name = person.name.replace('\'', "′");
    let twice = scene.people.iter().any(|person| person.asks == Asks::Later);
    if twice { name } else { name + "′" }
}

/// Sets in words.
pub(in crate::report) fn together<'a>(
    scene: &Scene,
    sets: impl Iterator<Item = &'a Hidden>,
) -> String {
    let mut words: Vec<String> = Vec::new();
    for set in sets {
        let names: Vec<String> =
            set.members.iter().map(|&place| label(scene, &scene.people[place])).collect();
        let said = match &names[..] {
            [first @ .., last] if !first.is_empty() => {
                format!("{} and {last} in one set", first.join(", "))
            }
            _ => format!("{} alone", names.concat()),
        };
        if !words.contains(&said) {
            words.push(said);
        }
    }
    if words.is_empty() { "nobody is joined".to_owned() } else { words.join("; ") }
}
