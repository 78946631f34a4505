use super::side::NO_EVIDENCE;
use super::*;
use import::{Options, read_map};
use meshcloak::query::Query;
use meshcloak::units::Length;
use traffic::{Profile, Simulation, SimulationSettings};

/// An arena in a small city, and recorded queries of its agents.
pub(super) fn recorded(users: u32) -> (Arena, Vec<RecordedSecond>) {
    let city = read_map(&"city:1000:3".parse().unwrap(), &Options::default(), &()).unwrap();
    let frame = city.map.frame().unwrap().clone();
    let atlas = Arc::new(Atlas::new(city.map, Length::metres(2_000.0)));
    let profile = Profile::from_toml(include_str!("../../profiles/demo.toml")).unwrap();
    let settings =
        SimulationSettings { users, temporal_tolerance: 4_000, ..SimulationSettings::default() };
    let mut simulation = Simulation::new(atlas.map(), &profile, settings);
    let mut ids = (1..).map(QueryId);
    let mut seconds = Vec::new();
    for _ in 0..50 {
        let batch = simulation.step().unwrap();
        let at = Time::from_millis(u64::from(batch.second) * 1000);
        let queries: Vec<Query> =
            batch.queries.iter().zip(&mut ids).map(|(query, id)| query.as_query(id)).collect();
        seconds.push(RecordedSecond { at, queries: Arc::new(queries) });
    }
    (Arena::new(Arc::clone(&atlas), frame), seconds)
}

fn request(schemes: &[&str], attack: &str) -> CompareRequest {
    let schemes = schemes.iter().map(|&scheme| scheme.to_owned()).collect();
    CompareRequest { schemes, attack: attack.into(), ..CompareRequest::default() }
}

#[test]
fn every_scheme_can_be_attacked_by_every_attack() {
    let (arena, seconds) = recorded(1500);
    for scheme in SCHEMES.iter() {
        for attack in attack_choices() {
            let request = request(&[scheme.id], attack.id);
            let done = arena.compare(&request, || seconds.clone()).unwrap();
            let context = format!("{} under {}: {done:?}", scheme.id, attack.id);
            let target = done.victim.expect(&context);
            let side = &done.sides[0];
            assert!(side.why.is_none() && !side.streets.is_empty() && target.k >= 2, "{context}");
            assert!(side.kept.len() <= side.streets.len(), "{context}");
            assert!(side.metres_left <= side.metres + 1e-6, "{context}");
        }
    }
}

#[test]
fn every_offered_attack_applies_to_some_target() {
    let (arena, seconds) = recorded(400);
    // Timing needs a second in which only one user asks, which is rare.
    for attack in attack_choices().iter().filter(|attack| attack.id != "timing") {
        let mut request = request(&["reciprocal"], attack.id);
        let applies = (0..100).any(|_| {
            let done = arena.compare(&request, || seconds.clone()).unwrap();
            let target = done.victim.expect("the scheme published a user");
            (request.moment, request.after) = (Some(done.moment), Some(target.number));
            done.sides[0].told != NO_EVIDENCE
        });
        assert!(applies, "{}", attack.id);
    }
}

#[test]
fn reciprocal_keeps_k_under_inversion_where_the_paper_does_not() {
    let (arena, seconds) = recorded(400);
    let mut below = [0, 0];
    let mut request = request(&["paper", "reciprocal"], "inversion");
    for _ in 0..60 {
        let done = arena.compare(&request, || seconds.clone()).unwrap();
        let target = done.victim.expect("both schemes published a user");
        for (below, side) in below.iter_mut().zip(&done.sides) {
            *below += usize::from(side.k_left < Some(target.k as usize));
        }
        (request.moment, request.after) = (Some(done.moment), Some(target.number));
    }
    assert!(below[0] > 0 && below[1] == 0, "{below:?}");
}

#[test]
fn noise_alone_gives_no_anonymity_set() {
    let (arena, seconds) = recorded(400);
    let request = request(&["planar-laplace", "reciprocal"], "known-point");
    let done = arena.compare(&request, || seconds.clone()).unwrap();
    assert!(done.sides[0].k_left <= Some(1), "{done:?}");
    assert!(done.sides[0].outline.is_some() && done.sides[1].outline.is_none());
}

#[test]
fn invalid_requests_are_refused() {
    let (arena, seconds) = recorded(50);
    let compare = |request: &CompareRequest| arena.compare(request, || seconds.clone()).err();
    assert_eq!(compare(&request(&["magic"], "centre")), Some(ArenaError::Scheme));
    assert_eq!(compare(&request(&[], "centre")), Some(ArenaError::Scheme));
    assert_eq!(compare(&request(&["paper"], "magic")), Some(ArenaError::Attack));
    let soon = arena.compare(&request(&["paper"], "centre"), Vec::new);
    assert_eq!(soon.err(), Some(ArenaError::TooSoon));
}
