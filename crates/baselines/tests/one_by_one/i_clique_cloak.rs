//! ICliqueCloak shows nobody where she cannot be or cannot have come from, and leaves nobody
//! waiting who could be published.

use crate::feed::{Set, Step, WarmAndCold, find, run};
use baselines::i_clique_cloak::ICliqueCloak;
use meshcloak::distance::{Atlas, LARGEST_DC_MAX};
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::region::Region;
use meshcloak::scheme::Scheme;
use meshcloak::town::{Town, town};
use meshcloak::units::{Length, Point, Rectangle, Speed, Time};
use rand::RngExt as _;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// What was last shown of each user, and when the query was asked.
type Shown = BTreeMap<UserId, (Rectangle, Time)>;

/// The definitions, written once more.
struct Definition<'a> {
    town: &'a Town,
    shown: &'a Shown,
}

impl Definition<'_> {
    fn far(&self, query: &Query) -> f64 {
        let millis = query.asked_at.as_millis().abs_diff(self.shown[&query.user].1.as_millis());
        let far = query.speed.map(|speed| speed * Duration::from_millis(millis));
        far.unwrap_or(query.distance_constraint).as_metres()
    }

    /// Whether all of `rectangle` is where she can be.
    fn forward(&self, query: &Query, rectangle: Rectangle) -> bool {
        self.shown
            .get(&query.user)
            .is_none_or(|&(last, _)| within(rectangle, last, self.far(query)))
    }

    /// Whether she can have come into `rectangle` from everywhere she was shown.
    fn backward(&self, query: &Query, rectangle: Rectangle) -> bool {
        self.shown
            .get(&query.user)
            .is_none_or(|&(last, _)| within(last, rectangle, self.far(query)))
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

/// Whether `inner` lies within `outer` grown by some metres on every side.
fn within(inner: Rectangle, outer: Rectangle, by: f64) -> bool {
    let Rectangle { min: Point { x: left, y: bottom }, max: Point { x: right, y: top } } = outer;
    left - by <= inner.min.x
        && bottom - by <= inner.min.y
        && inner.max.x <= right + by
        && inner.max.y <= top + by
}

fn check_sets(town: &Town, shown: &Shown, step: &Step<'_>) {
    let definition = Definition { town, shown };
    for set in &step.sets {
        let members: Vec<&Query> = set.members.iter().map(|&id| find(&step.waiting, id)).collect();
        assert!(definition.may_be_published(&members), "{set:?}");
        assert_eq!(set.served, set.members, "all of it is published");
        assert_eq!(set.region, Region::Rectangle(definition.rectangle(&members)));
    }
}

/// Tries every set of those who still wait, if they are few. Gives whether they were.
fn check_rest(town: &Town, shown: &Shown, step: &Step<'_>) -> bool {
    let definition = Definition { town, shown };
    let served = |query: &Query| step.sets.iter().any(|set| set.members.contains(&query.id));
    let again = |user| step.waiting.iter().any(|query| query.user == user && served(query));
    let rest: Vec<&Query> = step.waiting.iter().filter(|query| !again(query.user)).collect();
    let few = rest.len() <= 11;
    if few {
        for subset in 1..1_u32 << rest.len() {
            let inside = |at: &usize| subset >> at & 1 == 1;
            let members: Vec<&Query> = (0..rest.len()).filter(inside).map(|at| rest[at]).collect();
            assert!(!definition.may_be_published(&members), "{members:?} was missed\n{town}");
        }
    }
    few
}

fn remember(shown: &mut Shown, step: &Step<'_>) {
    for Set { members, region, .. } in &step.sets {
        let Region::Rectangle(rectangle) = *region else { panic!("no rectangle: {region:?}") };
        for &id in members {
            let query = find(&step.waiting, id);
            shown.insert(query.user, (rectangle, query.asked_at));
        }
    }
}

/// People who ask again and again, some without saying how fast they are.
fn crowd(town: &Town, seed: u64) -> Vec<Query> {
    let mut random = Town::generator(seed);
    let mut crowd = town.random_queries(&mut random, 5 + seed as usize % 70);
    let users = 2 + crowd.len() as u64 / 4;
    for query in &mut crowd {
        query.user = UserId(random.random_range(0..users));
        query.asked_at = Time::from_millis(random.random_range(0..15_000));
        query.k = random.random_range(2..=4);
        let speed = Speed::metres_per_second(random.random_range(20.0..200.0));
        query.speed = random.random_bool(0.8).then_some(speed);
    }
    crowd
}

#[test]
fn rectangles_keep_to_everyones_boundaries_and_no_possible_set_is_missed() {
    let (mut served, mut looked_at, mut bounded) = (0, 0, 0);
    for seed in 0..200 {
        let town = Town::random(seed * 3);
        let crowd = crowd(&town, seed);
        let atlas = Arc::new(Atlas::new(town.map.clone(), LARGEST_DC_MAX));
        let fresh = || Box::new(ICliqueCloak::new(Arc::clone(&atlas))) as Box<dyn Scheme>;
        let mut shown = Shown::new();
        served += run(&mut WarmAndCold::new(fresh), &crowd, |step| {
            let known = |id: &QueryId| shown.contains_key(&find(&step.waiting, *id).user);
            bounded += step.sets.iter().flat_map(|set| &set.members).filter(|id| known(id)).count();
            check_sets(&town, &shown, step);
            looked_at += usize::from(check_rest(&town, &shown, step));
            remember(&mut shown, step);
            assert!(!step.truncated);
        });
    }
    assert!(served > 2_000 && bounded > 500 && looked_at > 3_000, "{served} {bounded} {looked_at}");
}

/// People at places of a street of 2 km who ask at whole seconds and want to be two.
fn street(people: &[(u64, u64, f64)]) -> (Town, Vec<Query>) {
    let town = town("A 0,0  B 2000,0 | A-B");
    let query = |(id, &(user, second, metres)): (u64, &(u64, u64, f64))| Query {
        id: QueryId(id),
        user: UserId(user),
        asked_at: Time::from_millis(second * 1_000),
        position: town.at("A-B", metres),
        k: 2,
        temporal_tolerance: Duration::from_secs(1),
        distance_constraint: Length::metres(100.0),
        speed: Some(Speed::metres_per_second(10.0)),
    };
    let crowd = (0..).zip(people).map(query).collect();
    (town, crowd)
}

#[test]
fn somebody_is_not_shown_with_who_is_where_she_cannot_be_nor_where_she_cannot_come_from() {
    // Users 1 and 2 are shown at 0–200 m; ten seconds later each can have come 100 m farther.
    let served = |later: &[(u64, u64, f64)]| {
        let (town, crowd) = street(&[&[(1, 0, 0.0), (2, 0, 200.0)], later].concat());
        let atlas = Arc::new(Atlas::new(town.map.clone(), LARGEST_DC_MAX));
        run(&mut ICliqueCloak::new(atlas), &crowd, |_| ()) - 2
    };
    assert_eq!(served(&[(1, 10, 90.0), (3, 10, 300.0)]), 2, "90–300 m is within −100–300 m");
    assert_eq!(served(&[(1, 10, 90.0), (3, 10, 301.0)]), 0, "301 m is not");
    assert_eq!(served(&[(1, 10, 100.0), (3, 10, 150.0)]), 2, "100–150 m can be reached from all");
    assert_eq!(served(&[(1, 10, 101.0), (3, 10, 150.0)]), 0, "101–150 m not from 0 m");
    assert_eq!(served(&[(3, 10, 1_900.0), (4, 10, 0.0)]), 2, "who is new may be anywhere");
}

#[test]
fn where_cliques_are_too_many_a_set_is_found_within_a_budget() {
    // Two queries each of thirty people, all adjacent to everyone else: 2^30 maximal cliques.
    let (town, mut crowd) =
        street(&(0..60).map(|n| (n / 2, 0, n as f64 * 10.0)).collect::<Vec<_>>());
    let atlas = Arc::new(Atlas::new(town.map.clone(), LARGEST_DC_MAX));
    for (k, possible) in [(31, false), (30, true), (20, true)] {
        crowd.iter_mut().for_each(|query| query.k = k);
        let fresh = || Box::new(ICliqueCloak::new(Arc::clone(&atlas))) as Box<dyn Scheme>;
        let (mut shown, mut truncated) = (Shown::new(), false);
        let served = run(&mut WarmAndCold::new(fresh), &crowd, |step| {
            check_sets(&town, &shown, step);
            remember(&mut shown, step);
            truncated |= step.truncated;
        });
        assert!((served > 0) == possible && (truncated || possible), "{k}: {served} served");
    }
}
