//! Six faults, one for each check, each injected into a turn and each caught.

use super::*;
use crate::distance::Atlas;
use crate::engine::{Batch, turn};
use crate::map::StreetId;
use crate::query::UserId;
use crate::scheme::{Description, Observer, Pace, Scheme};
use crate::town::{Town, town};
use crate::units::{Speed, Time};
use std::time::Duration;

/// Publishes what it is told to, after a look by the guard.
struct Faulty {
    map: StreetMap,
    promise: Promise,
    guard: Guard,
    /// Members and region of each set, by place in the waiting list.
    sets: Vec<(Vec<usize>, Vec<StreetId>)>,
    /// Who is served by which of them.
    served: Vec<(u32, u32)>,
    published: Published,
    faults: Vec<(u32, Violation)>,
}

impl Scheme for Faulty {
    fn name(&self) -> &'static str {
        "faulty"
    }

    fn describe(&self) -> Description {
        Description { setting: "", cliques: "", constraint: "", pace: Pace::Batch }
    }

    fn history_horizon(&self) -> Option<Duration> {
        Some(Duration::from_secs(600))
    }

    fn cloak(&mut self, state: &State, _: Time, _: &mut dyn Observer) -> &Published {
        let Faulty { map, promise, guard, sets, served, published, faults } = self;
        published.clear();
        for (members, region) in sets {
            let ids = members.iter().map(|&place| state.waiting[place].id);
            published.add_mesh(ids, |mesh| mesh.extend_from_slice(region));
        }
        for &(place, set) in &*served {
            published.serve(place, set);
        }
        *faults = guard.inspect(map, *promise, state, published).to_vec();
        published
    }
}

/// A  0 ── 1 ── 2 ──────── 3     four streets of 100 m and one of 1,000 m
fn road() -> Town {
    town("A 0,0  B 100,0  C 200,0  D 300,0  E 1300,0 | A-B B-C C-D D-E")
}

/// Three people on the first three streets, and one far away.
fn people(town: &Town) -> Vec<Query> {
    let at = [("A-B", 50.0), ("B-C", 50.0), ("C-D", 50.0), ("D-E", 900.0)];
    let query = |(number, (street, metres)): (usize, (&str, f64))| Query {
        id: QueryId(number as u64 + 10),
        user: UserId(number as u64),
        asked_at: Time::from_millis(10_000),
        position: town.at(street, metres),
        k: 3,
        temporal_tolerance: Duration::from_secs(3),
        distance_constraint: Length::metres(300.0),
        speed: Some(Speed::metres_per_second(20.0)),
    };
    at.into_iter().enumerate().map(query).collect()
}

fn faulty(guarantee: Guarantee) -> Faulty {
    let town = road();
    Faulty {
        promise: Promise { guarantee, coverage: Coverage::Own },
        guard: Guard::default(),
        sets: vec![(vec![0, 1, 2], town.map.streets().collect())],
        served: vec![(0, 0), (1, 0), (2, 0)],
        published: Published::default(),
        faults: Vec::new(),
        map: town.map,
    }
}

/// How many are served, how many sets were held back, and what was wrong with them.
fn run(mut scheme: Faulty, people: Vec<Query>, before: &[Query]) -> (usize, usize, Vec<Violation>) {
    let mut state = State::default();
    before.iter().for_each(|query| state.history.arrive(query));
    let all = people.len();
    let batch = Batch { now: Time::from_millis(11_000), arrivals: people, cancelled: Vec::new() };
    let done = turn(&mut scheme, &mut state, batch, &mut ());
    let (served, held_back) = (done.served.len(), done.published.stats.rejected);
    assert_eq!(served + state.waiting.len(), all, "whoever is not served goes on waiting");
    (served, held_back, scheme.faults.into_iter().map(|fault| fault.1).collect())
}

#[test]
fn a_set_that_keeps_every_promise_passes() {
    for guarantee in [Guarantee::Paper, Guarantee::Reciprocal, Guarantee::History] {
        let people = people(&road());
        assert_eq!(run(faulty(guarantee), people, &[]), (3, 0, vec![]), "{guarantee:?}");
    }
}

#[test]
fn a_set_that_holds_somebody_twice_is_held_back() {
    let mut people = people(&road());
    people[2].user = people[0].user;
    let found = run(faulty(Guarantee::Reciprocal), people, &[]);
    assert_eq!(found, (0, 1, vec![Violation::SamePerson]));
}

#[test]
fn a_set_that_is_no_clique_is_held_back() {
    let mut scheme = faulty(Guarantee::Reciprocal);
    scheme.sets[0].0.push(3);
    scheme.served.push((3, 0));
    assert_eq!(run(scheme, people(&road()), &[]), (0, 1, vec![Violation::NoClique]));
    let mut short = people(&road());
    short[1].distance_constraint = Length::metres(99.0);
    let found = run(faulty(Guarantee::Reciprocal), short, &[]);
    assert_eq!(found, (0, 1, vec![Violation::NoClique]));
}

#[test]
fn a_set_smaller_than_somebodys_k_is_held_back() {
    let mut people = people(&road());
    people[1].k = 4;
    let found = run(faulty(Guarantee::Reciprocal), people.clone(), &[]);
    assert_eq!(found, (0, 1, vec![Violation::TooFew]));
    let mut scheme = faulty(Guarantee::Paper);
    scheme.served = vec![(0, 0), (2, 0)];
    assert_eq!(run(scheme, people, &[]), (2, 0, vec![]), "she does not publish it");
}

#[test]
fn a_set_that_not_all_its_members_publish_is_held_back() {
    for served in [vec![(0, 0), (2, 0)], vec![(0, 0), (1, 0), (2, 0), (3, 0)], vec![]] {
        let mut scheme = faulty(Guarantee::Reciprocal);
        scheme.served = served;
        let found = run(scheme, people(&road()), &[]);
        assert_eq!(found, (0, 1, vec![Violation::NotOneRegion]));
    }
    let mut scheme = faulty(Guarantee::Reciprocal);
    scheme.sets.push(scheme.sets[0].clone());
    scheme.served = vec![(0, 0), (1, 0), (2, 1)];
    let found = run(scheme, people(&road()), &[]);
    assert_eq!(
        found,
        (0, 2, vec![Violation::NotOneRegion, Violation::NotOneRegion]),
        "sets overlap"
    );
}

#[test]
fn a_set_with_a_member_outside_its_region_is_held_back() {
    for guarantee in [Guarantee::Paper, Guarantee::Reciprocal] {
        let mut scheme = faulty(guarantee);
        scheme.sets[0].1 = vec![StreetId(0), StreetId(1)];
        assert_eq!(run(scheme, people(&road()), &[]), (0, 1, vec![Violation::Outside]));
    }
}

#[test]
fn a_set_too_few_of_which_can_have_come_is_held_back() {
    // She was at the left end 6 s ago, 20 m/s fast: 120 m, which is short of the third by 130 m.
    let town = road();
    let mut before = people(&town);
    before.truncate(1);
    before[0].id = QueryId(1);
    before[0].asked_at = Time::from_millis(4_000);
    before[0].position = town.at("A-B", 0.0);
    let found = run(faulty(Guarantee::History), people(&town), &before);
    assert_eq!(found, (0, 1, vec![Violation::History]));
    let found = run(faulty(Guarantee::Reciprocal), people(&town), &before);
    assert_eq!(found, (3, 0, vec![]), "was not promised");
    before[0].asked_at = Time::default();
    let found = run(faulty(Guarantee::History), people(&town), &before);
    assert_eq!(found, (0, 1, vec![Violation::History]), "200 m are too few as well");
}

#[test]
fn the_guard_has_nothing_to_say_about_what_the_scheme_publishes() {
    use crate::mesh_cloak::{MeshCloak, Settings};
    let mut served = 0;
    for seed in 0..120 {
        let town = Town::random(seed * 3);
        let atlas = std::sync::Arc::new(Atlas::new(town.map.clone(), Length::metres(2_000.0)));
        let crowd = town.random_queries(&mut Town::generator(seed), 40);
        for guarantee in [Guarantee::Paper, Guarantee::Reciprocal, Guarantee::History] {
            for coverage in [Coverage::Own, Coverage::Both] {
                let settings = Settings { guarantee, coverage, ..Settings::default() };
                let mut scheme = MeshCloak::new(std::sync::Arc::clone(&atlas), settings);
                let state = State::with_waiting(crowd.clone());
                let mut published = scheme.cloak(&state, Time::default(), &mut ()).clone();
                assert_eq!(published.stats.rejected, 0, "seed {seed}\n{town}");
                let promise = Promise { guarantee, coverage };
                let faults =
                    Guard::default().inspect(&town.map, promise, &state, &mut published).len();
                assert_eq!(faults, 0, "seed {seed} {promise:?}\n{town}");
                served += published.served().len();
            }
        }
    }
    assert!(served > 2_000, "only {served} were served");
}
