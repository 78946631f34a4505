//! Batches on random towns, and comparison of schemes with reference implementations.

use meshcloak::distance::Atlas;
use meshcloak::map::{Extent, MapBuilder, RawPoi, StreetMap};
use meshcloak::query::{Query, QueryId};
use meshcloak::region::Region;
use meshcloak::scheme::{Scheme, State};
use meshcloak::town::Town;
use meshcloak::units::{Length, Time};
use rand::RngExt as _;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A town and its waiting queries.
pub(crate) struct Scene {
    pub(crate) seed: u64,
    pub(crate) town: Town,
    pub(crate) atlas: Arc<Atlas>,
    pub(crate) state: State,
}

impl Scene {
    /// Creates a random scene that grows with its seed.
    pub(crate) fn random(seed: u64) -> Scene {
        let town = Town::random(seed);
        let queries = 1 + seed as usize % 60;
        let state = State::with_waiting(town.random_queries(&mut Town::generator(seed), queries));
        let atlas = Arc::new(Atlas::new(town.map.clone(), Length::metres(100.0)));
        Scene { seed, town, atlas, state }
    }

    /// The same scene on a map with points of interest, about one for each street.
    pub(crate) fn with_pois(mut self) -> Scene {
        let map = with_pois(&self.town, self.seed);
        self.town.map = map;
        self.atlas = Arc::new(Atlas::new(self.town.map.clone(), Length::metres(100.0)));
        self
    }

    /// 400 random scenes.
    pub(crate) fn many() -> impl Iterator<Item = Scene> {
        (0..400).map(Scene::random)
    }

    /// First query of each user.
    pub(crate) fn first_queries(&self) -> Vec<&Query> {
        let mut users = BTreeSet::new();
        self.state.waiting.iter().filter(|query| users.insert(query.user)).collect()
    }

    /// Members and region that the scheme publishes for each query.
    pub(crate) fn cloaked(
        &self,
        scheme: &mut dyn Scheme,
    ) -> Vec<Option<(Vec<QueryId>, Region<'static>)>> {
        let published = scheme.cloak(&self.state, Time::from_millis(1_000), &mut ());
        let mut cloaked = vec![None; self.state.waiting.len()];
        assert!(published.served().is_sorted_by(|a, b| a.index < b.index));
        for served in published.served() {
            let set = published.set(served.set);
            let published = (set.members.to_vec(), set.region.into_owned());
            cloaked[served.index as usize] = Some(published);
        }
        cloaked
    }

    /// Asserts that the scheme publishes `expected` for the first query of each user and nothing for
    /// other queries. Returns the number of served queries.
    pub(crate) fn assert_publishes(
        &self,
        scheme: &mut dyn Scheme,
        expected: impl Fn(&[&Query], &Query) -> Option<(Vec<QueryId>, Region<'static>)>,
    ) -> usize {
        let first_queries = self.first_queries();
        let cloaked = self.cloaked(scheme);
        for (query, found) in self.state.waiting.iter().zip(&cloaked) {
            let is_first = first_queries.iter().any(|first| first.id == query.id);
            let mut expected = expected(&first_queries, query).filter(|_| is_first);
            if let Some((members, _)) = &mut expected {
                members.sort_unstable();
            }
            assert_eq!(*found, expected, "seed {} {query:?}\n{}", self.seed, self.town);
        }
        cloaked.iter().flatten().count()
    }
}

/// Returns the map of a town with points of interest, about one for each street.
pub(crate) fn with_pois(town: &Town, seed: u64) -> StreetMap {
    const CATEGORIES: [&str; 7] = ["atm", "bakery", "bank", "cafe", "doctors", "school", "hotel"];
    let mut random = Town::generator(seed);
    let mut builder = MapBuilder::from_map(&town.map);
    for _ in 0..town.map.street_count() {
        let point = town.map.point(town.position(&mut random));
        let category = CATEGORIES[random.random_range(0..CATEGORIES.len())];
        let added = builder.poi(RawPoi { label: "", point, category, name: "" });
        added.expect("a point of the map");
    }
    builder.build(Extent::Whole).expect("the map has streets").map
}
