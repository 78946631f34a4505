//! ICliqueCloak enlarges rectangles until they can be reached, respects all boundaries, and leaves no
//! publishable clique waiting.

use crate::replay::{PublishedSet, Step, WarmAndCold, find, run};
use baselines::i_clique_cloak::{ICliqueCloak, ICliqueCloakSettings};
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
    /// Last rectangle of the user, and the largest distance in metres travelled since.
    fn last(&self, query: &Query) -> Option<(Rectangle, f64)> {
        let &(rectangle, at) = self.last.get(&query.user)?;
        let millis = query.asked_at.as_millis().abs_diff(at.as_millis());
        let range = query.speed.map(|speed| speed * Duration::from_millis(millis));
        Some((rectangle, range.unwrap_or(query.distance_constraint).as_metres()))
    }

    fn point(&self, query: &Query) -> Point {
        self.town.map.point(query.position)
    }

    /// Whether the user can be anywhere in `rectangle`.
    fn forward(&self, query: &Query, rectangle: Rectangle) -> bool {
        self.last(query).is_none_or(|(last, range)| is_within(rectangle, last, range))
    }

    /// Whether the user can have reached `rectangle` from every point of the last rectangle.
    fn backward(&self, query: &Query, rectangle: Rectangle) -> bool {
        self.last(query).is_none_or(|(last, range)| is_within(last, rectangle, range))
    }

    /// Whether two users can be published together.
    fn is_edge(&self, a: &Query, b: &Query) -> bool {
        let at = |query| Rectangle { min: self.point(query), max: self.point(query) };
        let (at_a, at_b) = (at(a), at(b));
        a.user != b.user
            && [a, b].iter().all(|query| self.forward(query, at_a) && self.forward(query, at_b))
    }

    /// Whether the set may be published with the rectangle.
    fn may_be_published(&self, members: &[&Query], rectangle: Rectangle) -> bool {
        let pairs = members.iter().flat_map(|a| members.iter().map(move |b| (a, b)));
        pairs.into_iter().all(|(a, b)| a.id == b.id || self.is_edge(a, b))
            && members.iter().all(|member| {
                member.k as usize <= members.len()
                    && rectangle.nearest(self.point(member)) == self.point(member)
                    && self.forward(member, rectangle)
                    && self.backward(member, rectangle)
            })
    }

    /// Smallest rectangle around the members and their last rectangles: it can be reached from
    /// everywhere.
    fn union(&self, members: &[&Query]) -> Rectangle {
        let last = members.iter().filter_map(|member| self.last(member));
        let points = members.iter().map(|member| self.point(member));
        let all = points.chain(last.flat_map(|(last, _)| [last.min, last.max]));
        Rectangle::around(all).expect("a set has members")
    }
}

/// Whether all of `inner` is at most `by` metres from `outer`.
fn is_within(inner: Rectangle, outer: Rectangle, by: f64) -> bool {
    let Rectangle { min, max } = inner;
    let corners = [min, max, Point::new(min.x, max.y), Point::new(max.x, min.y)];
    corners.into_iter().all(|corner| outer.nearest(corner).distance(corner) <= by + 1e-9)
}

fn rectangle(set: &PublishedSet) -> Rectangle {
    let Region::Rectangle(rectangle) = set.region else { panic!("no rectangle: {set:?}") };
    rectangle
}

fn check_sets(town: &Town, last: &LastRectangles, step: &Step<'_>) {
    let definition = Definition { town, last };
    for set in &step.sets {
        let members: Vec<&Query> = set.members.iter().map(|&id| find(&step.waiting, id)).collect();
        assert!(definition.may_be_published(&members, rectangle(set)), "{set:?}\n{town}");
        assert_eq!(set.served, set.members, "all members are served");
    }
}

/// Calls `check` with the members of all maximal cliques of at most 11 queries; returns how many.
fn each_clique(
    definition: &Definition<'_>,
    queries: &[&Query],
    check: impl Fn(&[&Query]),
) -> usize {
    if queries.len() > 11 {
        return 0;
    }
    let joined = |a: usize, b: usize| a == b || definition.is_edge(queries[a], queries[b]);
    let mut checked = 0;
    for subset in 1..1_u32 << queries.len() {
        let clique: Vec<usize> =
            (0..queries.len()).filter(|index| subset >> index & 1 == 1).collect();
        let extends = |index: usize| clique.iter().all(|&member| joined(index, member));
        if clique.iter().all(|&member| extends(member))
            && !(0..queries.len()).any(|index| !clique.contains(&index) && extends(index))
        {
            let members: Vec<&Query> = clique.iter().map(|&index| queries[index]).collect();
            check(&members);
            checked += 1;
        }
    }
    checked
}

/// Asserts that no maximal clique of the remaining queries can be published with the union of its
/// last rectangles, and that none of all queries was larger than the first published set; returns the
/// number of cliques checked.
fn check_rest(town: &Town, last: &LastRectangles, step: &Step<'_>) -> usize {
    let definition = Definition { town, last };
    let may_be_published =
        |members: &[&Query]| definition.may_be_published(members, definition.union(members));
    let served = |query: &Query| step.sets.iter().any(|set| set.members.contains(&query.id));
    let is_published = |user| step.waiting.iter().any(|query| query.user == user && served(query));
    let rest: Vec<&Query> = step.waiting.iter().filter(|query| !is_published(query.user)).collect();
    let remaining = each_clique(&definition, &rest, |members| {
        assert!(!may_be_published(members), "missed {members:?}\n{town}");
    });
    let Some(first) = step.sets.first() else { return remaining };
    let all: Vec<&Query> = step.waiting.iter().collect();
    remaining
        + each_clique(&definition, &all, |members| {
            let is_larger = members.len() > first.members.len();
            assert!(!is_larger || !may_be_published(members), "{first:?} {members:?}\n{town}");
        })
}

fn record(last: &mut LastRectangles, step: &Step<'_>) {
    for set in &step.sets {
        for &id in &set.members {
            let query = find(&step.waiting, id);
            last.insert(query.user, (rectangle(set), query.asked_at));
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
fn rectangles_respect_all_boundaries_and_no_publishable_clique_is_missed() {
    let (mut served, mut checked, mut bounded) = (0, 0, 0);
    for seed in 0..200 {
        let town = Town::random(seed * 3);
        let queries = random_queries(&town, seed);
        let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
        let min_area = if seed % 2 == 0 { 0.0 } else { 20_000.0 };
        let settings = ICliqueCloakSettings { min_area };
        let fresh = || Box::new(ICliqueCloak::new(Arc::clone(&atlas), settings)) as Box<dyn Scheme>;
        let mut last = LastRectangles::new();
        served += run(&mut WarmAndCold::new(fresh), &queries, |step| {
            let known = |id: &QueryId| last.contains_key(&find(&step.waiting, *id).user);
            bounded += step.sets.iter().flat_map(|set| &set.members).filter(|id| known(id)).count();
            check_sets(&town, &last, step);
            if min_area == 0.0 {
                checked += check_rest(&town, &last, step);
            }
            let areas = step.sets.iter().filter_map(|set| set.region.area());
            assert!(areas.into_iter().all(|area| area >= min_area));
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

/// Start and end in metres of the rectangles that are published after a first one.
fn later_rectangles(entries: &[(u64, u64, f64)], first: usize) -> Vec<(f64, f64)> {
    let (town, queries) = street(entries);
    let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
    let mut found = Vec::new();
    run(&mut ICliqueCloak::new(atlas, Default::default()), &queries, |step| {
        let ends = |set| [rectangle(set).min.x, rectangle(set).max.x].map(f64::round);
        found.extend(step.sets.iter().map(|set| (ends(set)[0], ends(set)[1])));
    });
    found.split_off(first)
}

#[test]
fn a_rectangle_is_enlarged_until_it_can_be_reached_from_the_last_one() {
    // Users 1 and 2 are published at 0–200 m; ten seconds later each can be 100 m farther.
    let found = |later: &[(u64, u64, f64)]| {
        later_rectangles(&[&[(1, 0, 0.0), (2, 0, 200.0)], later].concat(), 1)
    };
    assert_eq!(found(&[(1, 10, 90.0), (3, 10, 300.0)]), [(90.0, 300.0)], "within −100–300 m");
    assert_eq!(found(&[(1, 10, 90.0), (3, 10, 301.0)]), [], "301 m is beyond");
    assert_eq!(found(&[(1, 10, 100.0), (3, 10, 150.0)]), [(100.0, 150.0)], "reachable from all");
    assert_eq!(found(&[(1, 10, 130.0), (3, 10, 150.0)]), [(100.0, 150.0)], "enlarged towards 0 m");
    assert_eq!(found(&[(1, 10, 20.0), (3, 10, 50.0)]), [(20.0, 100.0)], "enlarged towards 200 m");
    assert_eq!(found(&[(3, 10, 1_900.0), (4, 10, 0.0)]), [(0.0, 1_900.0)], "anywhere at first");
}

#[test]
fn users_whose_last_rectangles_no_rectangle_can_follow_are_not_published_together() {
    // Users 1 and 2 at 0–200 m, 3 and 4 at 1,000–1,200 m. A rectangle after 45 s must begin at or
    // before 450 m for user 1, and at or after 550 m for user 3.
    let first = [(1, 0, 0.0), (2, 0, 200.0), (3, 0, 1_000.0), (4, 0, 1_200.0)];
    let found = |later: [(u64, u64, f64); 2]| later_rectangles(&[&first[..], &later].concat(), 2);
    assert_eq!(found([(1, 45, 600.0), (3, 45, 600.0)]), []);
    assert_eq!(found([(1, 60, 700.0), (3, 60, 650.0)]), [(600.0, 700.0)]);
}

#[test]
fn with_too_many_cliques_a_set_is_found_within_the_budget() {
    // Two queries of each of 30 users, all adjacent to those of other users: 2^30 maximal cliques.
    let (town, mut queries) =
        street(&(0..60).map(|n| (n / 2, 0, n as f64 * 10.0)).collect::<Vec<_>>());
    let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
    for (k, possible) in [(31, false), (30, true), (20, true)] {
        queries.iter_mut().for_each(|query| query.k = k);
        let settings = ICliqueCloakSettings::default();
        let fresh = || Box::new(ICliqueCloak::new(Arc::clone(&atlas), settings)) as Box<dyn Scheme>;
        let (mut last, mut truncated) = (LastRectangles::new(), false);
        let served = run(&mut WarmAndCold::new(fresh), &queries, |step| {
            check_sets(&town, &last, step);
            record(&mut last, step);
            truncated |= step.truncated;
        });
        assert!((served > 0) == possible && (truncated || possible), "{k}: {served} served");
    }
}
