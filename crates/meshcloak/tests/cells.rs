//! Regions made of cells (docs/SPEC.md §7) under every guarantee: sets do not depend on the region,
//! every member is inside, and a region depends only on the members' cells.

use meshcloak::cells::{CellId, Cells};
use meshcloak::constraint_graph::Coverage;
use meshcloak::distance::{Atlas, MAX_DC_MAX};
use meshcloak::guarantee::{Guarantee, HistoryClock};
use meshcloak::guard::{Guard, Inspected, Promise, Violation};
use meshcloak::map::StreetId;
use meshcloak::mesh_cloak::{MeshCloak, RegionRule, Settings};
use meshcloak::presence::PresenceRule;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::scheme::{Published, Scheme, State};
use meshcloak::town::Town;
use meshcloak::units::{Length, Speed, Time};
use std::collections::BTreeSet;
use std::sync::Arc;

const GUARANTEES: [Guarantee; 3] = [Guarantee::Paper, Guarantee::Reciprocal, Guarantee::History];

fn random_state(town: &Town, seed: u64) -> State {
    let mut queries = town.random_queries(&mut Town::generator(seed), 5 + seed as usize % 60);
    for query in &mut queries {
        query.speed = Some(Speed::metres_per_second(20.0));
    }
    State::with_waiting(queries)
}

fn cloak(atlas: &Arc<Atlas>, settings: Settings, state: &State) -> Published {
    MeshCloak::new(Arc::clone(atlas), settings).cloak(state, Time::default(), &mut ()).clone()
}

fn cells_of(cells: &Cells, streets: impl Iterator<Item = StreetId>) -> BTreeSet<CellId> {
    streets.map(|street| cells.of(street)).collect()
}

#[test]
fn a_region_consists_of_the_members_cells_and_sets_are_unchanged() {
    let mut sets = 0;
    for seed in 0..150 {
        let town = Town::random(seed * 4);
        let state = random_state(&town, seed);
        let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
        let length = Length::metres(300.0);
        let cells = Cells::new(&town.map, length);
        for guarantee in GUARANTEES {
            let reach = Settings { guarantee, ..Settings::default() };
            let settings = Settings { region: RegionRule::Cells(length), ..reach };
            let (expected, found) = (cloak(&atlas, reach, &state), cloak(&atlas, settings, &state));
            assert_eq!(found.served(), expected.served(), "seed {seed}\n{town}");
            for number in 0..found.set_count() as u32 {
                let (set, other) = (found.set(number), expected.set(number));
                assert_eq!(set.members, other.members, "seed {seed}\n{town}");
                let of = |id: &QueryId| &state.waiting[id.0 as usize];
                let members: Vec<&Query> = set.members.iter().map(of).collect();
                assert!(members.iter().all(|q| set.region.contains(&town.map, q.position)));
                let occupied = cells_of(&cells, members.iter().map(|query| query.position.street));
                let streets = set.region.streets(&town.map);
                let published = cells_of(&cells, streets.iter().copied());
                assert_eq!(published, occupied, "seed {seed}\n{town}");
                let whole =
                    town.map.streets().filter(|&street| published.contains(&cells.of(street)));
                assert_eq!(*streets, whole.collect::<Vec<_>>(), "seed {seed}\n{town}");
                sets += 1;
            }
        }
    }
    assert!(sets > 1_000, "only {sets} sets");
}

#[test]
fn regions_do_not_depend_on_the_number_of_threads() {
    let town = Town::random(520);
    let state = State::with_waiting(town.random_queries(&mut Town::generator(3), 400));
    let answer = |threads: usize, guarantee: Guarantee| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
            let region = RegionRule::Cells(Length::metres(400.0));
            cloak(&atlas, Settings { guarantee, region, ..Settings::default() }, &state)
        })
    };
    for guarantee in [Guarantee::Paper, Guarantee::Reciprocal] {
        let one = answer(1, guarantee);
        assert!(!one.served().is_empty());
        assert_eq!(one, answer(2, guarantee));
        assert_eq!(one, answer(8, guarantee));
    }
}

#[test]
fn the_guard_rejects_a_set_whose_cells_miss_a_member() {
    let mut rejected = 0;
    for seed in 0..300 {
        let town = Town::random(seed * 2);
        let mut state = random_state(&town, seed);
        // One waiting query per user.
        state.waiting.iter_mut().for_each(|query| query.user = UserId(query.id.0));
        let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
        let promise = Promise {
            guarantee: Guarantee::Reciprocal,
            history_clock: HistoryClock::Asked,
            coverage: Coverage::Own,
            across_accounts: false,
            presence: PresenceRule::default(),
            cells: None,
            atlas: Arc::clone(&atlas),
        };
        let settings = Settings { guarantee: Guarantee::Reciprocal, ..Settings::default() };
        let cells = Cells::new(&town.map, Length::metres(100.0));
        let correct = cloak(&atlas, settings, &state);
        let mut wrong = Published::default();
        let mut outside = 0;
        for number in 0..correct.set_count() as u32 {
            // The cells of all members except the last one.
            let members = correct.set(number).members.iter();
            let streets = members.map(|id| state.waiting[id.0 as usize].position.street);
            let streets: Vec<StreetId> = streets.collect();
            let published = cells_of(&cells, streets[..streets.len() - 1].iter().copied());
            outside += usize::from(!published.contains(&cells.of(streets[streets.len() - 1])));
            wrong.add_mesh(correct.set(number).members.iter().copied(), |mesh| {
                mesh.extend(town.map.streets().filter(|&s| published.contains(&cells.of(s))));
            });
        }
        for served in correct.served() {
            wrong.serve(served.index, served.set);
        }
        let mut guard = Guard::default();
        let State { waiting, history, accounts, .. } = &state;
        let inspected = Inspected { waiting, history, accounts, now: Time::default() };
        let violations = guard.inspect(&promise, inspected, &mut wrong);
        assert!(
            violations.iter().all(|rejection| rejection.violation == Violation::OutsideRegion),
            "seed {seed}: {violations:?}"
        );
        assert_eq!(violations.len(), outside, "seed {seed}\n{town}");
        rejected += outside;
    }
    assert!(rejected > 50, "only {rejected} sets were rejected");
}
