//! A scheme of your own: all users on one street form a set, and the region is that street.
//!
//! This is the example of CONTRIBUTING.md, "Add a scheme"; `make test` runs it.
//! `cargo run -p meshcloak --example own_scheme`

use meshcloak::scheme::{Description, Observer, Pace, Promise, Published, RegionDependence};
use meshcloak::scheme::{Scheme, Stage, State};
use meshcloak::town::town;
use meshcloak::{Atlas, Engine, Length, Query, Region, StreetId, SubmitError, Time, UserId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// All users on a street are one set.
#[derive(Default)]
struct SameStreet {
    published: Published,
}

impl Scheme for SameStreet {
    fn name(&self) -> &'static str {
        "same-street"
    }

    fn describe(&self) -> Description {
        Description {
            label: "Same street",
            summary: "All users on a street share it.",
            setting: "map",
            cliques: "all users on a street",
            constraint: "the street",
            pace: Pace::Batch,
            // The region is the same wherever the members are on the street.
            regions: RegionDependence::Fixed,
        }
    }

    /// Sets serve only some of their members, so neither `reciprocal` nor `history` is promised.
    fn promise(&self) -> Option<Promise> {
        None
    }

    fn cloak(&mut self, state: &State, _: Time, observer: &mut dyn Observer) -> &mut Published {
        observer.stage(Stage::Cliques);
        let mut on: BTreeMap<StreetId, Vec<&Query>> = BTreeMap::new();
        let mut users = BTreeSet::new();
        for query in &state.waiting {
            if users.insert(query.user) {
                on.entry(query.position.street).or_default().push(query);
            }
        }
        observer.stage(Stage::Mesh);
        self.published.clear();
        let mut set_of = BTreeMap::new();
        for (&street, members) in &on {
            let satisfied = members.iter().filter(|query| query.k as usize <= members.len());
            if satisfied.clone().count() == 0 {
                continue; // a set that serves no query must not be disclosed
            }
            let ids = members.iter().map(|query| query.id);
            let set = self.published.add(ids, &Region::Mesh(vec![street].into()));
            set_of.extend(satisfied.map(|query| (query.id, set)));
        }
        // By ascending index in the waiting list.
        for (index, query) in (0..).zip(&state.waiting) {
            if let Some(&set) = set_of.get(&query.id) {
                self.published.serve(index, set);
            }
        }
        &mut self.published
    }
}

fn main() -> Result<(), SubmitError> {
    let town = town("A 0,0  B 300,0  C 600,0 | A-B B-C");
    let atlas = Arc::new(Atlas::new(town.map.clone(), Length::metres(2_000.0)));
    let mut engine = Engine::with_scheme(Arc::clone(&atlas), SameStreet::default());
    let queries = [("A-B", 10.0, 2), ("A-B", 290.0, 3), ("B-C", 5.0, 2), ("A-B", 9.0, 2)];
    for (user, (street, metres, k)) in (0..).zip(queries) {
        let query = Query::builder(UserId(user), town.at(street, metres)).k(k);
        let query = query.at(Time::from_millis(1_000)).dc(Length::metres(100.0));
        engine.submit(query.build(atlas.dc_max())?)?;
    }
    let turn = engine.tick(Time::from_millis(1_000));
    assert_eq!(turn.disclosures().len(), 1, "one request");
    let served: Vec<u64> = turn.served.iter().map(|(query, _)| query.id.0).collect();
    assert_eq!(served, [0, 1, 3], "three users on one street; the fourth is alone and waits");
    let turn = engine.tick(Time::from_millis(2_000));
    assert_eq!((turn.served.len(), turn.expired.len()), (0, 1), "its tolerance has ended");
    println!("{}: {} of 4 served", engine.scheme().name(), served.len());
    Ok(())
}
