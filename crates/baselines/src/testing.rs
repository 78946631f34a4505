//! Batches on random towns, and what a scheme should publish in them.

use meshcloak::distance::Atlas;
use meshcloak::query::{Query, QueryId};
use meshcloak::region::Region;
use meshcloak::scheme::{Scheme, State};
use meshcloak::town::Town;
use meshcloak::units::{Length, Time};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A town and who waits in it.
pub(crate) struct Scene {
    pub(crate) seed: u64,
    pub(crate) town: Town,
    pub(crate) atlas: Arc<Atlas>,
    pub(crate) state: State,
}

impl Scene {
    /// A random one that grows with its seed.
    pub(crate) fn random(seed: u64) -> Scene {
        let town = Town::random(seed);
        let people = 1 + seed as usize % 60;
        let state = State::with_waiting(town.random_queries(&mut Town::generator(seed), people));
        let atlas = Arc::new(Atlas::new(town.map.clone(), Length::metres(100.0)));
        Scene { seed, town, atlas, state }
    }

    /// Random towns, enough of them.
    pub(crate) fn many() -> impl Iterator<Item = Scene> {
        (0..400).map(Scene::random)
    }

    /// The first query of each user.
    pub(crate) fn people(&self) -> Vec<&Query> {
        let mut users = BTreeSet::new();
        self.state.waiting.iter().filter(|query| users.insert(query.user)).collect()
    }

    /// What the scheme publishes for each query: members and region.
    pub(crate) fn cloaked(
        &self,
        scheme: &mut dyn Scheme,
    ) -> Vec<Option<(Vec<QueryId>, Region<'static>)>> {
        let published = scheme.cloak(&self.state, Time::from_millis(1_000), &mut ());
        let mut cloaked = vec![None; self.state.waiting.len()];
        assert!(published.served().is_sorted_by(|a, b| a.index < b.index));
        for served in published.served() {
            let set = published.set(served.set);
            let sets = (set.members.to_vec(), set.region.into_owned());
            cloaked[served.index as usize] = Some(sets);
        }
        cloaked
    }

    /// The scheme publishes for the first query of each user what `expected` says, and nothing for
    /// her other queries. Gives how many were served.
    pub(crate) fn expect(
        &self,
        scheme: &mut dyn Scheme,
        expected: impl Fn(&[&Query], &Query) -> Option<(Vec<QueryId>, Region<'static>)>,
    ) -> usize {
        let people = self.people();
        let cloaked = self.cloaked(scheme);
        for (query, found) in self.state.waiting.iter().zip(&cloaked) {
            let first = people.iter().any(|person| person.id == query.id);
            let mut should = expected(&people, query).filter(|_| first);
            if let Some((members, _)) = &mut should {
                members.sort_unstable();
            }
            assert_eq!(*found, should, "seed {} {query:?}\n{}", self.seed, self.town);
        }
        cloaked.iter().flatten().count()
    }
}
