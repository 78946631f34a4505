//! Small towns on which the printed method discloses users and the guarantees do not.

use attacks::inversion::Inversion;
use attacks::reachability::Reachability;
use attacks::{
    Attack as _, KnownPosition, LinkedDisclosure, Posterior, SchemeRerun, Snapshot, Target, View,
};
use meshcloak::distance::{Atlas, MAX_DC_MAX};
use meshcloak::engine::{Batch, turn};
use meshcloak::guarantee::Guarantee;
use meshcloak::history::LastPositions;
use meshcloak::map::Position;
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::region::Region;
use meshcloak::scheme::{Description, Observer, Pace, Published, RegionDependence, Scheme, State};
use meshcloak::town::{Town, town};
use meshcloak::units::{Length, Speed, Time};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

fn at(seconds: u64) -> Time {
    Time::from_millis(seconds * 1_000)
}

/// Creates a query at 10 s with speed 10 m/s and dt 5 s.
fn person(number: u64, position: Position, k: u32, dc: f64) -> Query {
    Query::builder(UserId(number), position)
        .id(QueryId(number + 100))
        .at(at(10))
        .k(k)
        .dt(Duration::from_secs(5))
        .dc(Length::metres(dc))
        .speed(Speed::metres_per_second(10.0))
        .build_unchecked()
}

/// Submits the earlier positions without serving them, then publishes the batch at 10 s.
fn served(
    town: &Town,
    guarantee: Guarantee,
    before: Vec<Query>,
    now: Vec<Query>,
) -> (Vec<(Query, Vec<QueryId>)>, Vec<Region<'static>>) {
    let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
    let settings = Settings { guarantee, ..Settings::default() };
    let mut scheme = MeshCloak::new(atlas, settings);
    let mut state = State::default();
    let mut positions = LastPositions::new(settings.horizon);
    positions.record_all(&before, &mut state.history);
    turn(
        &mut scheme,
        &mut state,
        Batch { now: at(0), arrivals: before, ..Batch::default() },
        &mut (),
    );
    positions.record_all(&now, &mut state.history);
    let done = turn(
        &mut scheme,
        &mut state,
        Batch { now: at(10), arrivals: now, ..Batch::default() },
        &mut (),
    );
    let sets = done.served.iter().map(|(query, set)| {
        let cloaking = done.published.set(*set);
        ((query.clone(), cloaking.members.to_vec()), cloaking.region.into_owned())
    });
    sets.unzip()
}

#[test]
fn on_a_straight_road_one_of_three_members_is_possible() {
    // A moved from 0 to 100; B is at 180 and C at 190. With dc = 100 they are a clique of 3, but from
    // 0 only 100 m are possible in 10 s.
    let town = town("a -200,0  b 0,0  c 150,0  d 400,0 | a-b b-c c-d");
    let place = |metres: f64| match metres {
        x if x <= 150.0 => town.at("b-c", x),
        x => town.at("c-d", x - 150.0),
    };
    let now: Vec<Query> = [(0, 100.0), (1, 180.0), (2, 190.0)]
        .map(|(number, x)| person(number, place(x), 3, 100.0))
        .to_vec();
    let earlier = |number: u64, x: f64| {
        let mut query = person(number, place(x), 9, 100.0);
        (query.id, query.asked_at) = (QueryId(number), at(0));
        query.temporal_tolerance = Duration::ZERO;
        query
    };
    let before = vec![earlier(0, 0.0)];
    let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
    for guarantee in [Guarantee::Paper, Guarantee::Reciprocal] {
        let (sets, regions) = served(&town, guarantee, before.clone(), now.clone());
        assert_eq!(sets.len(), 3, "{guarantee:?}: all three are served");
        let shown = [LinkedDisclosure::new(at(10), at(10), Arc::new(regions[0].clone()))];
        let left = known_point(&atlas, &shown, before[0].position);
        let possible = now.iter().filter(|query| left.holds(query.position)).count();
        assert_eq!(possible, 1, "{guarantee:?}: A alone");
    }
    let (sets, _) = served(&town, Guarantee::History, before, now);
    assert!(sets.is_empty(), "history publishes nothing here");
}

fn known_point(atlas: &Arc<Atlas>, shown: &[LinkedDisclosure], before: Position) -> Posterior {
    let view = View {
        atlas,
        rule: RegionDependence::Fixed,
        target: Target { dc: Length::metres(100.0), speed: Some(Speed::metres_per_second(10.0)) },
        disclosures: shown,
        attacked: 0,
        previous: Some(KnownPosition { at: at(0), position: before }),
        crowd: None,
        named: &[],
        prior: None,
    };
    Reachability::FROM_A_KNOWN_POINT.attack(&view).expect("a past")
}

/// Publishes all waiting queries as one set.
#[derive(Default)]
struct Everyone(Published);

impl Scheme for Everyone {
    fn name(&self) -> &'static str {
        "everyone"
    }

    fn describe(&self) -> Description {
        Description {
            label: "Everyone",
            summary: "",
            setting: "map",
            cliques: "",
            constraint: "",
            pace: Pace::Batch,
            regions: RegionDependence::Fixed,
        }
    }

    fn cloak(&mut self, state: &State, _: Time, _: &mut dyn Observer) -> &mut Published {
        self.0.clear();
        let mut streets: Vec<_> = state.waiting.iter().map(|query| query.position.street).collect();
        streets.sort_unstable();
        streets.dedup();
        let members = state.waiting.iter().map(|query| query.id);
        let set = self.0.add(members, &Region::Mesh(streets.into()));
        (0..state.waiting.len() as u32).for_each(|place| self.0.serve(place, set));
        &mut self.0
    }
}

/// Returns for each served query its k and the candidates that inversion leaves.
fn inverted(
    atlas: &Arc<Atlas>,
    make: &(dyn Fn() -> Box<dyn Scheme> + Sync),
    crowd: &[Query],
) -> Vec<(u32, usize)> {
    let state = State::with_waiting(crowd.to_vec());
    let mut scheme = make();
    let published = scheme.cloak(&state, at(10), &mut ());
    let everyone = SchemeRerun::people(&state);
    let again = SchemeRerun { make, state: &state, now: at(10) };
    let known = Snapshot::new(&everyone, &again);
    let mut all = Vec::new();
    for served in published.served() {
        let victim = &state.waiting[served.index as usize];
        let region = Arc::new(published.set(served.set).region.into_owned());
        let shown = [LinkedDisclosure::new(at(10), at(10), region)];
        let view = View {
            atlas,
            rule: RegionDependence::Fixed,
            target: Target { dc: victim.distance_constraint, speed: victim.speed },
            disclosures: &shown,
            attacked: 0,
            previous: None,
            crowd: Some(&known),
            named: &[],
            prior: None,
        };
        let left = Inversion.attack(&view).and_then(|left| left.people).expect("a crowd");
        assert!(left.contains(&victim.user), "the truth survives");
        all.push((victim.k, left.len()));
    }
    all
}

#[test]
fn two_queries_of_one_user_count_once() {
    // dt ≥ interval: A has two waiting queries, B one, each with k = 3.
    let town = town("a 0,0  b 200,0 | a-b");
    let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
    let mut crowd: Vec<Query> =
        [0, 1, 2].map(|number| person(number, town.at("a-b", 50.0), 3, 100.0)).to_vec();
    crowd[1].user = crowd[0].user;
    // A scheme that counts queries serves all three and leaves two candidates.
    let careless = inverted(&atlas, &|| Box::new(Everyone::default()), &crowd);
    assert_eq!(careless, [(3, 2), (3, 2), (3, 2)]);
    for guarantee in [Guarantee::Paper, Guarantee::Reciprocal, Guarantee::History] {
        let settings = Settings { guarantee, ..Settings::default() };
        let make = || -> Box<dyn Scheme> { Box::new(MeshCloak::new(Arc::clone(&atlas), settings)) };
        assert!(inverted(&atlas, &make, &crowd).is_empty(), "{guarantee:?} counts users");
    }
}

/// Creates a ring of `count` streets of 100 m with a user at the start of each.
fn ring(count: usize) -> (Town, Vec<Position>) {
    let mut text = String::new();
    for number in 0..count {
        // Coordinates do not matter: lengths are given.
        write!(text, "T{number} {},{} ", number % 2, number / 2).expect("a String takes any text");
    }
    text.push('|');
    for number in 0..count {
        write!(text, " T{number}-T{}:100", (number + 1) % count).expect("a String takes any text");
    }
    let town = town(&text);
    let first = |number| town.at(&format!("T{number}-T{}", (number + 1) % count), 0.0);
    let places = (0..count).map(first).collect();
    (town, places)
}

#[test]
fn printed_sets_on_a_ring_road_overlap_and_disclose_users() {
    // Twelve users on a ring of 1,200 m, each adjacent to all but the opposite one: 2^6 maximal
    // cliques of six.
    let (town, places) = ring(12);
    let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
    let crowd: Vec<Query> =
        (0..).zip(&places).map(|(number, &place)| person(number, place, 6, 550.0)).collect();
    let left = |guarantee| {
        let settings = Settings { guarantee, ..Settings::default() };
        let make = || -> Box<dyn Scheme> { Box::new(MeshCloak::new(Arc::clone(&atlas), settings)) };
        inverted(&atlas, &make, &crowd)
    };
    // All regions are the whole ring here. With a shorter dc the region reveals the clique.
    assert!(left(Guarantee::Paper).iter().all(|&(_, left)| left == 12));
    for guarantee in [Guarantee::Reciprocal, Guarantee::History] {
        let kept = left(guarantee);
        assert_eq!(kept.len(), 12, "two disjoint cliques of six serve all");
        assert!(kept.iter().all(|&(k, left)| left >= k as usize), "{kept:?}");
    }
    let shorter: Vec<Query> = crowd
        .iter()
        .cloned()
        .map(|mut query| {
            (query.k, query.distance_constraint) = (3, Length::metres(250.0));
            query
        })
        .collect();
    let settings = |guarantee| Settings { guarantee, ..Settings::default() };
    let run = |guarantee| {
        let make = || -> Box<dyn Scheme> {
            Box::new(MeshCloak::new(Arc::clone(&atlas), settings(guarantee)))
        };
        inverted(&atlas, &make, &shorter)
    };
    let paper = run(Guarantee::Paper);
    assert!(paper.iter().any(|&(k, left)| left < k as usize), "{paper:?}");
    for guarantee in [Guarantee::Reciprocal, Guarantee::History] {
        let kept = run(guarantee);
        assert!(!kept.is_empty() && kept.iter().all(|&(k, left)| left >= k as usize), "{kept:?}");
    }
}
