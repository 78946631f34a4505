//! `history` against an adversary who knows everyone's past: places are assigned one to one, so a
//! place that no other user can have reached does not count towards k (docs/SPEC.md §6).

use meshcloak::history::{History, LastPositions};
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::scheme::{Scheme as _, State};
use meshcloak::town::town;
use meshcloak::units::{Length, Speed, Time};
use meshcloak::{Atlas, Guarantee};
use std::sync::Arc;
use std::time::Duration;

/// B and C exchange their places on a road within 5 s at 10 m/s. A, 120 m away, has no past.
///
/// ```text
/// 1000      1010      1020      1030                       1150
///  C  ◄───────────────  c
///             b  ──────────────►  B                          A
/// ```
fn sets(guarantee: Guarantee, k: [u32; 3]) -> Vec<Vec<u64>> {
    let road = town("0 0,0  1 2000,0 | 0-1");
    let at = |number: u64, metres: f64, seconds: u64| {
        Query::builder(UserId(number), road.at("0-1", metres))
            .id(QueryId(number + 10 * seconds))
            .at(Time::from_millis(seconds * 1_000))
            .k(k[number as usize])
            .dt(Duration::from_secs(3))
            .dc(Length::metres(200.0))
            .speed(Speed::metres_per_second(10.0))
            .build_unchecked()
    };
    let mut state =
        State::with_waiting(vec![at(0, 1_150.0, 5), at(1, 1_030.0, 5), at(2, 1_000.0, 5)]);
    let mut positions = LastPositions::new(Duration::from_secs(600));
    positions.record_all(&[at(1, 1_010.0, 0), at(2, 1_020.0, 0)], &mut History::default());
    positions.record_all(&state.waiting, &mut state.history);
    let settings = Settings { guarantee, ..Settings::default() };
    let atlas = Arc::new(Atlas::new(road.map, Length::metres(2_000.0)));
    let mut scheme = MeshCloak::new(atlas, settings);
    let published = scheme.cloak(&state, Time::from_millis(5_000), &mut ());
    let members = |set| published.set(set).members.iter().map(|id| id.0 % 10).collect();
    (0..published.set_count() as u32).map(members).collect()
}

#[test]
fn two_users_who_can_only_swap_places_do_not_hide_a_third() {
    assert_eq!(sets(Guarantee::Reciprocal, [3, 2, 2]), [[0, 1, 2]]);
    assert_eq!(sets(Guarantee::History, [3, 2, 2]), [[1, 2]], "A has one place only");
    // With k = 2 A needs one other place, which B and C cannot leave to it.
    assert_eq!(sets(Guarantee::History, [2, 2, 2]), [[1, 2]]);
    assert_eq!(sets(Guarantee::History, [2, 3, 3]), Vec::<Vec<u64>>::new());
}
