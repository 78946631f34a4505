//! ICliqueCloak respects movement and arrival boundaries, and leaves no publishable set waiting.

use crate::replay::{PublishedSet, Step, WarmAndCold, find, run};
use baselines::i_clique_cloak::ICliqueCloak;
use meshcloak::distance::{Atlas, MAX_DC_MAX};
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::region::Region;
use meshcloak::scheme::Scheme;
use meshcloak::town::{Town, town};
use meshcloak::units::{Length, Point, Rectangle, Speed, Time};
use rand::RngExt as _;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Last published rectangle of each user and the time of its query.
type LastRectangles = BTreeMap<UserId, (Rectangle, Time)>;

/// Reference implementation of the definitions.
struct Definition<'a> {
    town: &'a Town,
    last: &'a LastRectangles,
}

impl Definition<'_> {
    /// Largest distance in metres that the user can have travelled.
    fn range(&self, query: &Query) -> f64 {
        let millis = query.asked_at.as_millis().abs_diff(self.last[&query.user].1.as_millis());
        let range = query.speed.map(|speed| speed * Duration::from_millis(millis));
        range.unwrap_or(query.distance_constraint).as_metres()
    }

    /// Whether the user can be anywhere in `rectangle`.
    fn forward(&self, query: &Query, rectangle: Rectangle) -> bool {
        self.last
            .get(&query.user)
            .is_none_or(|&(previous, _)| within(rectangle, previous, self.range(query)))
    }

    /// Whether the user can have reached `rectangle` from every point of the last rectangle.
    fn backward(&self, query: &Query, rectangle: Rectangle) -> bool {
        self.last
            .get(&query.user)
            .is_none_or(|&(previous, _)| within(previous, rectangle, self.range(query)))
    }

    fn rectangle(&self, members: &[&Query]) -> Rectangle {
        let points = members.iter().map(|member| self.town.map.point(member.position));
        Rectangle::around(points).expect("a set has members")
    }

    fn may_be_published(&self, members: &[&Query]) -> bool {
        let rectangle = self.rectangle(members);
        let mut users: Vec<UserId> = members.iter().map(|member| member.user).collect();
        users.sort_unstable();
        users.dedup();
        users.len() == members.len()
            && members.iter().all(|member| {
                member.k as usize <= members.len()
                    && self.forward(member, rectangle)
                    && self.backward(member, rectangle)
            })
    }
}

/// Whether `inner` lies within `outer` enlarged by `by` metres on every side.
fn within(inner: Rectangle, outer: Rectangle, by: f64) -> bool {
    let Rectangle { min: Point { x: left, y: bottom }, max: Point { x: right, y: top } } = outer;
    left - by <= inner.min.x
        && bottom - by <= inner.min.y
        && inner.max.x <= right + by
        && inner.max.y <= top + by
}

fn check_sets(town: &Town, last: &LastRectangles, step: &Step<'_>) {
    let definition = Definition { town, last };
    for set in &step.sets {
        let members: Vec<&Query> = set.members.iter().map(|&id| find(&step.waiting, id)).collect();
        assert!(definition.may_be_published(&members), "{set:?}");
        assert_eq!(set.served, set.members, "all members are served");
        assert_eq!(set.region, Region::Rectangle(definition.rectangle(&members)));
    }
}

/// Asserts that no set of the remaining queries is publishable, if at most 11 remain; returns
/// whether that was checked.
fn check_rest(town: &Town, last: &LastRectangles, step: &Step<'_>) -> bool {
    let definition = Definition { town, last };
    let served = |query: &Query| step.sets.iter().any(|set| set.members.contains(&query.id));
    let is_published = |user| step.waiting.iter().any(|query| query.user == user && served(query));
    let rest: Vec<&Query> = step.waiting.iter().filter(|query| !is_published(query.user)).collect();
    let is_checked = rest.len() <= 11;
    if is_checked {
        for subset in 1..1_u32 << rest.len() {
            let inside = |index: &usize| subset >> index & 1 == 1;
            let members: Vec<&Query> =
                (0..rest.len()).filter(inside).map(|index| rest[index]).collect();
            assert!(!definition.may_be_published(&members), "{members:?} was missed\n{town}");
        }
    }
    is_checked
}

fn record(last: &mut LastRectangles, step: &Step<'_>) {
    for PublishedSet { members, region, .. } in &step.sets {
        let Region::Rectangle(rectangle) = *region else { panic!("no rectangle: {region:?}") };
        for &id in members {
            let query = find(&step.waiting, id);
            last.insert(query.user, (rectangle, query.asked_at));
        }
    }
}

/// Repeated queries of a few users, some without a speed.
fn random_queries(town: &Town, seed: u64) -> Vec<Query> {
    let mut random = Town::generator(seed);
    let mut queries = town.random_queries(&mut random, 5 + seed as usize % 70);
    let users = 2 + queries.len() as u64 / 4;
    for query in &mut queries {
        query.user = UserId(random.random_range(0..users));
        query.asked_at = Time::from_millis(random.random_range(0..15_000));
        query.k = random.random_range(2..=4);
        let speed = Speed::metres_per_second(random.random_range(20.0..200.0));
        query.speed = random.random_bool(0.8).then_some(speed);
    }
    queries
}

#[test]
fn rectangles_respect_all_boundaries_and_no_publishable_set_is_missed() {
    let (mut served, mut checked, mut bounded) = (0, 0, 0);
    for seed in 0..200 {
        let town = Town::random(seed * 3);
        let queries = random_queries(&town, seed);
        let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
        let fresh = || Box::new(ICliqueCloak::new(Arc::clone(&atlas))) as Box<dyn Scheme>;
        let mut last = LastRectangles::new();
        served += run(&mut WarmAndCold::new(fresh), &queries, |step| {
            let known = |id: &QueryId| last.contains_key(&find(&step.waiting, *id).user);
            bounded += step.sets.iter().flat_map(|set| &set.members).filter(|id| known(id)).count();
            check_sets(&town, &last, step);
            checked += usize::from(check_rest(&town, &last, step));
            record(&mut last, step);
            assert!(!step.truncated);
        });
    }
    assert!(served > 2_000 && bounded > 500 && checked > 3_000, "{served} {bounded} {checked}");
}

/// Queries with k = 2 on a street of 2 km: user, second, metres from its start.
fn street(entries: &[(u64, u64, f64)]) -> (Town, Vec<Query>) {
    let town = town("A 0,0  B 2000,0 | A-B");
    let query = |(id, &(user, second, metres)): (u64, &(u64, u64, f64))| {
        Query::builder(UserId(user), town.at("A-B", metres))
            .id(QueryId(id))
            .at(Time::from_millis(second * 1_000))
            .k(2)
            .dt(Duration::from_secs(1))
            .dc(Length::metres(100.0))
            .speed(Speed::metres_per_second(10.0))
            .build_unchecked()
    };
    let queries = (0..).zip(entries).map(query).collect();
    (town, queries)
}

#[test]
fn sets_beyond_the_movement_or_arrival_boundary_are_not_published() {
    // Users 1 and 2 are published at 0–200 m; ten seconds later each can be 100 m farther.
    let served = |later: &[(u64, u64, f64)]| {
        let (town, queries) = street(&[&[(1, 0, 0.0), (2, 0, 200.0)], later].concat());
        let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
        run(&mut ICliqueCloak::new(atlas), &queries, |_| ()) - 2
    };
    assert_eq!(served(&[(1, 10, 90.0), (3, 10, 300.0)]), 2, "90–300 m is within −100–300 m");
    assert_eq!(served(&[(1, 10, 90.0), (3, 10, 301.0)]), 0, "301 m is not");
    assert_eq!(served(&[(1, 10, 100.0), (3, 10, 150.0)]), 2, "100–150 m can be reached from all");
    assert_eq!(served(&[(1, 10, 101.0), (3, 10, 150.0)]), 0, "101–150 m not from 0 m");
    assert_eq!(served(&[(3, 10, 1_900.0), (4, 10, 0.0)]), 2, "a new user may be anywhere");
}

#[test]
fn with_too_many_cliques_a_set_is_found_within_the_budget() {
    // Two queries of each of 30 users, all adjacent to those of other users: 2^30 maximal cliques.
    let (town, mut queries) =
        street(&(0..60).map(|n| (n / 2, 0, n as f64 * 10.0)).collect::<Vec<_>>());
    let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
    for (k, possible) in [(31, false), (30, true), (20, true)] {
        queries.iter_mut().for_each(|query| query.k = k);
        let fresh = || Box::new(ICliqueCloak::new(Arc::clone(&atlas))) as Box<dyn Scheme>;
        let (mut last, mut truncated) = (LastRectangles::new(), false);
        let served = run(&mut WarmAndCold::new(fresh), &queries, |step| {
            check_sets(&town, &last, step);
            record(&mut last, step);
            truncated |= step.truncated;
        });
        assert!((served > 0) == possible && (truncated || possible), "{k}: {served} served");
    }
}
