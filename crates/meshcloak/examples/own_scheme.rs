//! A scheme of one's own behind the trait: people on one street hide among each other, and the
//! service is asked about that street. Waiting and expiry are the engine's.
//!
//! `cargo run -p meshcloak --example own_scheme`

use meshcloak::engine::{Batch, turn};
use meshcloak::map::StreetId;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::region::Region;
use meshcloak::scheme::{Description, Observer, Pace, Published, Scheme, Stage, State};
use meshcloak::town::town;
use meshcloak::units::{Length, Time};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Everyone on a street is one set.
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
            setting: "map",
            cliques: "everyone on a street",
            constraint: "the street",
            pace: Pace::Batch,
        }
    }

    fn cloak(&mut self, state: &State, _: Time, watch: &mut dyn Observer) -> &mut Published {
        watch.stage(Stage::Cliques);
        let mut on: BTreeMap<StreetId, Vec<&Query>> = BTreeMap::new();
        let mut users = BTreeSet::new();
        for query in &state.waiting {
            if users.insert(query.user) {
                on.entry(query.position.street).or_default().push(query);
            }
        }
        watch.stage(Stage::Mesh);
        self.published.clear();
        let mut set_of = BTreeMap::new();
        for (&street, people) in &on {
            let content = people.iter().filter(|query| query.k as usize <= people.len());
            if content.clone().count() == 0 {
                continue; // a set that serves nobody must not be asked about
            }
            let set = self
                .published
                .add(people.iter().map(|query| query.id), &Region::Mesh(vec![street].into()));
            set_of.extend(content.map(|query| (query.id, set)));
        }
        for (place, query) in state.waiting.iter().enumerate() {
            if let Some(&set) = set_of.get(&query.id) {
                self.published.serve(place as u32, set);
            }
        }
        &mut self.published
    }
}

fn main() {
    let town = town("A 0,0  B 300,0  C 600,0 | A-B B-C");
    let ask = |(number, street, metres, k): (u64, &str, f64, u32)| Query {
        id: QueryId(number),
        user: UserId(number),
        asked_at: Time::from_millis(1_000),
        position: town.at(street, metres),
        k,
        temporal_tolerance: Duration::ZERO,
        distance_constraint: Length::metres(100.0),
        speed: None,
    };
    let asked = [(0, "A-B", 10.0, 2), (1, "A-B", 290.0, 3), (2, "B-C", 5.0, 2), (3, "A-B", 9.0, 2)];
    let arrivals: Vec<Query> = asked.into_iter().map(ask).collect();
    let mut scheme = SameStreet::default();
    let mut state = State::default();
    let batch = Batch { now: Time::from_millis(1_000), arrivals, cancelled: Vec::new() };
    let done = turn(&mut scheme, &mut state, batch, &mut ());
    assert_eq!(done.published.disclosures(Time::from_millis(1_000)).len(), 1, "one request");
    let numbers: Vec<u64> = done.served.iter().map(|(query, _)| query.id.0).collect();
    assert_eq!(numbers, [0, 1, 3], "three on one street; whoever is alone on hers waits");
    let batch = Batch { now: Time::from_millis(2_000), ..Batch::default() };
    let done = turn(&mut scheme, &mut state, batch, &mut ());
    assert_eq!((done.served.len(), done.expired.len()), (0, 1), "and then her patience is over");
    println!("{}: {} of 4 served", scheme.name(), numbers.len());
}
