//! Small towns on which the printed method discloses users and the guarantees do not.

use attacks::inversion::INVERSION;
use attacks::reachability::FROM_A_KNOWN_POINT;
use attacks::{KnownPosition, LinkedDisclosure, Posterior, SchemeRerun, Snapshot, Target, View};
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
fn query(number: u64, position: Position, k: u32, dc: f64) -> Query {
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
    let position = |metres: f64| match metres {
        x if x <= 150.0 => town.at("b-c", x),
        x => town.at("c-d", x - 150.0),
    };
    let now: Vec<Query> = [(0, 100.0), (1, 180.0), (2, 190.0)]
        .map(|(number, x)| query(number, position(x), 3, 100.0))
        .to_vec();
    let earlier = |number: u64, x: f64| {
        let mut query = query(number, position(x), 9, 100.0);
        (query.id, query.asked_at) = (QueryId(number), at(0));
        query.temporal_tolerance = Duration::ZERO;
        query
    };
    let before = vec![earlier(0, 0.0)];
    let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
    for guarantee in [Guarantee::Paper, Guarantee::Reciprocal] {
        let (sets, regions) = served(&town, guarantee, before.clone(), now.clone());
        assert_eq!(sets.len(), 3, "{guarantee:?}: all three are served");
        let disclosures = [LinkedDisclosure::new(at(10), at(10), Arc::new(regions[0].clone()))];
        let posterior = attack_from(&atlas, &disclosures, before[0].position);
        let possible = now.iter().filter(|query| posterior.holds(query.position)).count();
        assert_eq!(possible, 1, "{guarantee:?}: A alone");
    }
    let (sets, _) = served(&town, Guarantee::History, before, now);
    assert!(sets.is_empty(), "history publishes nothing here");
}

/// Runs the reachability attack with a known position at time 0.
fn attack_from(
    atlas: &Arc<Atlas>,
    disclosures: &[LinkedDisclosure],
    before: Position,
) -> Posterior {
    let view = View {
        atlas,
        rule: RegionDependence::Fixed,
        target: Target { dc: Length::metres(100.0), speed: Some(Speed::metres_per_second(10.0)) },
        disclosures,
        attacked: 0,
        previous: Some(KnownPosition { at: at(0), position: before }),
        set: None,
        snapshot: None,
        candidate_sets: &[],
        prior: None,
    };
    FROM_A_KNOWN_POINT.attack(&view).expect("a known position")
}

/// Publishes all waiting queries as one set.
#[derive(Default)]
struct OneSet(Published);

impl Scheme for OneSet {
    fn name(&self) -> &'static str {
        "one-set"
    }

    fn describe(&self) -> Description {
        Description::unlisted(Pace::Batch, RegionDependence::Fixed)
    }

    fn cloak(&mut self, state: &State, _: Time, _: &mut dyn Observer) -> &mut Published {
        self.0.clear();
        let mut streets: Vec<_> = state.waiting.iter().map(|query| query.position.street).collect();
        streets.sort_unstable();
        streets.dedup();
        let members = state.waiting.iter().map(|query| query.id);
        let set = self.0.add(members, &Region::Mesh(streets.into()));
        (0..state.waiting.len() as u32).for_each(|index| self.0.serve(index, set));
        &mut self.0
    }
}

/// Returns for each served query its k and the candidates that inversion leaves.
fn inverted(
    atlas: &Arc<Atlas>,
    make: &(dyn Fn() -> Box<dyn Scheme> + Sync),
    queries: &[Query],
) -> Vec<(u32, usize)> {
    let state = State::with_waiting(queries.to_vec());
    let mut scheme = make();
    let published = scheme.cloak(&state, at(10), &mut ());
    let candidates = SchemeRerun::candidates(&state);
    let rerun = SchemeRerun { make, state: &state, now: at(10) };
    let snapshot = Snapshot::new(&candidates, &rerun);
    let mut counts = Vec::new();
    for served in published.served() {
        let target = &state.waiting[served.index as usize];
        let region = Arc::new(published.set(served.set).region.into_owned());
        let disclosures = [LinkedDisclosure::new(at(10), at(10), region)];
        let view = View {
            atlas,
            rule: RegionDependence::Fixed,
            target: Target { dc: target.distance_constraint, speed: target.speed },
            disclosures: &disclosures,
            attacked: 0,
            previous: None,
            set: None,
            snapshot: Some(&snapshot),
            candidate_sets: &[],
            prior: None,
        };
        let found = INVERSION.attack(&view).and_then(|found| found.candidates);
        let found = found.expect("a snapshot");
        assert!(found.contains(&target.user), "the target is a candidate");
        counts.push((target.k, found.len()));
    }
    counts
}

#[test]
fn two_queries_of_one_user_count_once() {
    // dt ≥ interval: A has two waiting queries, B one, each with k = 3.
    let town = town("a 0,0  b 200,0 | a-b");
    let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
    let mut queries: Vec<Query> =
        [0, 1, 2].map(|number| query(number, town.at("a-b", 50.0), 3, 100.0)).to_vec();
    queries[1].user = queries[0].user;
    // A scheme that counts queries serves all three and leaves two candidates.
    let careless = inverted(&atlas, &|| Box::new(OneSet::default()), &queries);
    assert_eq!(careless, [(3, 2), (3, 2), (3, 2)]);
    for guarantee in [Guarantee::Paper, Guarantee::Reciprocal, Guarantee::History] {
        let settings = Settings { guarantee, ..Settings::default() };
        let make = || -> Box<dyn Scheme> { Box::new(MeshCloak::new(Arc::clone(&atlas), settings)) };
        assert!(inverted(&atlas, &make, &queries).is_empty(), "{guarantee:?} counts users");
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
    let positions = (0..count).map(first).collect();
    (town, positions)
}

#[test]
fn printed_sets_on_a_ring_road_overlap_and_disclose_users() {
    // Twelve users on a ring of 1,200 m, each adjacent to all but the opposite one: 2^6 maximal
    // cliques of six.
    let (town, positions) = ring(12);
    let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
    let queries: Vec<Query> = (0..)
        .zip(&positions)
        .map(|(number, &position)| query(number, position, 6, 550.0))
        .collect();
    let run = |guarantee, queries: &[Query]| {
        let settings = Settings { guarantee, ..Settings::default() };
        let make = || -> Box<dyn Scheme> { Box::new(MeshCloak::new(Arc::clone(&atlas), settings)) };
        inverted(&atlas, &make, queries)
    };
    // All regions are the whole ring here. With a shorter dc the region reveals the clique.
    assert!(run(Guarantee::Paper, &queries).iter().all(|&(_, count)| count == 12));
    for guarantee in [Guarantee::Reciprocal, Guarantee::History] {
        let counts = run(guarantee, &queries);
        assert_eq!(counts.len(), 12, "two disjoint cliques of six serve all");
        assert!(counts.iter().all(|&(k, count)| count >= k as usize), "{counts:?}");
    }
    let shorter: Vec<Query> = queries
        .iter()
        .cloned()
        .map(|mut query| {
            (query.k, query.distance_constraint) = (3, Length::metres(250.0));
            query
        })
        .collect();
    let paper = run(Guarantee::Paper, &shorter);
    assert!(paper.iter().any(|&(k, count)| count < k as usize), "{paper:?}");
    for guarantee in [Guarantee::Reciprocal, Guarantee::History] {
        let counts = run(guarantee, &shorter);
        assert!(
            !counts.is_empty() && counts.iter().all(|&(k, count)| count >= k as usize),
            "{counts:?}"
        );
    }
}
