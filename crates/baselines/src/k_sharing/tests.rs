use super::*;
use meshcloak::engine::{Batch, turn};
use meshcloak::query::QueryId;
use meshcloak::town::{Town, town};
use meshcloak::units::Length;
use rand::RngExt as _;
use std::collections::BTreeMap;

/// Users of each set of a batch and the rectangle, by query.
type Shown = BTreeMap<UserId, (Vec<UserId>, Region<'static>)>;

/// Runs a batch each second; returns what is published for each user.
fn run(town: &Town, queries: &[Query], min_area: f64) -> Vec<Shown> {
    let atlas = Arc::new(Atlas::new(town.map.clone(), Length::metres(500.0)));
    let mut scheme = KSharing::new(atlas, min_area);
    let mut state = State::default();
    let user_of: BTreeMap<QueryId, UserId> = queries.iter().map(|q| (q.id, q.user)).collect();
    let batches = (1..=30).map(|second| {
        let now = Time::from_millis(second * 1_000);
        let is_due = |query: &&Query| {
            query.asked_at <= now && query.asked_at.as_millis() + 1_000 > now.as_millis()
        };
        let arrivals = queries.iter().filter(is_due).cloned().collect();
        let done =
            turn(&mut scheme, &mut state, Batch { now, arrivals, cancelled: vec![] }, &mut ());
        let mut shown = Shown::new();
        for (query, set) in &done.served {
            let set = done.published.set(*set);
            let mut users: Vec<UserId> = set.members.iter().map(|id| user_of[id]).collect();
            users.sort_unstable();
            assert!(users.len() >= query.k as usize);
            assert!(set.region.contains(&town.map, query.position));
            assert!(set.region.area().is_some_and(|area| area >= min_area));
            shown.insert(query.user, (users, set.region.into_owned()));
        }
        shown
    });
    batches.collect()
}

#[test]
fn members_share_a_region_and_stay_together() {
    let mut kept = 0;
    for seed in 0..120 {
        let town = Town::random(seed * 3);
        let mut random = Town::generator(seed);
        let mut queries = town.random_queries(&mut random, 80);
        for query in &mut queries {
            query.user = UserId(random.random_range(0..15));
            query.asked_at = Time::from_millis(random.random_range(1..20_000));
            query.temporal_tolerance = Duration::from_secs(random.random_range(0..5));
        }
        queries.sort_by_key(|query| query.asked_at);
        let mut last: BTreeMap<UserId, Vec<UserId>> = BTreeMap::new();
        for shown in run(&town, &queries, if seed % 2 == 0 { 0.0 } else { 5_000.0 }) {
            for (user, (users, region)) in &shown {
                // k-sharing: every member publishes the same users and the same region.
                let shares =
                    |other: &UserId| shown.get(other) == Some(&(users.clone(), region.clone()));
                assert!(users.contains(user) && users.iter().all(shares), "seed {seed}\n{town}");
                // Memorisation: companions of the last time are companions again.
                for other in last.get(user).into_iter().flatten() {
                    if shown.contains_key(other) && last.get(other) == last.get(user) {
                        assert!(users.contains(other), "seed {seed}: {user:?} {other:?}\n{town}");
                        kept += usize::from(user != other);
                    }
                }
            }
            last.extend(shown.into_iter().map(|(user, (users, _))| (user, users)));
        }
    }
    assert!(kept > 1_000, "{kept}");
}

/// Queries with k = 2 on a street of 2 km: user, second, metres from its start.
fn street(entries: &[(u64, u64, f64)]) -> (Town, Vec<Query>) {
    let town = town("A 0,0  B 2000,0 | A-B");
    let query = |(id, &(user, second, metres)): (u64, &(u64, u64, f64))| {
        Query::builder(UserId(user), town.at("A-B", metres))
            .id(QueryId(id))
            .at(Time::from_millis(second * 1_000))
            .k(2)
            .dt(Duration::from_secs(0))
            .dc(Length::metres(100.0))
            .build_unchecked()
    };
    let queries = (0..).zip(entries).map(query).collect();
    (town, queries)
}

fn users(shown: &Shown, user: u64) -> Vec<u64> {
    shown.get(&UserId(user)).map_or(vec![], |(users, _)| users.iter().map(|user| user.0).collect())
}

#[test]
fn users_join_the_nearest_group_and_leave_with_their_last_query() {
    let entries = [
        // Two pairs form.
        (1, 1, 0.0),
        (2, 1, 100.0),
        (3, 1, 1_000.0),
        (4, 1, 1_100.0),
        // Pairs stay together, also when nearer users are present; 5 joins the nearer pair.
        (1, 2, 0.0),
        (2, 2, 900.0),
        (3, 2, 910.0),
        (4, 2, 1_100.0),
        (5, 2, 1_200.0),
        // 2 has left: 1 joins the group of 5.
        (1, 3, 0.0),
        (3, 3, 910.0),
        (4, 3, 1_100.0),
        (5, 3, 1_200.0),
        // Alone, 1 is not served.
        (1, 4, 0.0),
    ];
    let (town, queries) = street(&entries);
    let shown = run(&town, &queries, 0.0);
    assert_eq!((users(&shown[0], 1), users(&shown[0], 4)), (vec![1, 2], vec![3, 4]));
    assert_eq!((users(&shown[1], 2), users(&shown[1], 5)), (vec![1, 2], vec![3, 4, 5]));
    assert_eq!(users(&shown[2], 1), [1, 3, 4, 5]);
    assert_eq!(users(&shown[3], 1), Vec::<u64>::new());
}

#[test]
fn users_whose_k_exceeds_the_crowd_keep_waiting() {
    let (town, mut queries) = street(&[(1, 1, 0.0), (2, 1, 100.0), (3, 1, 200.0)]);
    queries[2].k = 4;
    let shown = run(&town, &queries, 0.0);
    assert_eq!((users(&shown[0], 1), users(&shown[0], 3)), (vec![1, 2], vec![]));
}
