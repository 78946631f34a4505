use super::*;
use import::{Options, read_map};
use meshcloak::query::Query;
use meshcloak::units::Length;
use traffic::{Profile, SimulationSettings, Simulation};

/// An arena in a small city, and the first minute of its crowd.
fn minute(users: u32) -> (Arena, Vec<Asked>) {
    let city = read_map(&"city:1000:3".parse().unwrap(), &Options::default(), &()).unwrap();
    let frame = city.map.frame().unwrap().clone();
    let atlas = Arc::new(Atlas::new(city.map, Length::metres(2_000.0)));
    let profile = Profile::from_toml(include_str!("../../profiles/demo.toml")).unwrap();
    let settings = SimulationSettings { users, temporal_tolerance: 4_000, ..SimulationSettings::default() };
    let mut people = Simulation::new(atlas.map(), &profile, settings);
    let mut ids = (1..).map(QueryId);
    let mut minute = Vec::new();
    for _ in 0..50 {
        let batch = people.step().unwrap();
        let at = Time::from_millis(u64::from(batch.second) * 1000);
        let queries: Vec<Query> =
            batch.queries.iter().zip(&mut ids).map(|(query, id)| query.as_query(id)).collect();
        minute.push(Asked { at, queries: Arc::new(queries) });
    }
    (Arena::new(Arc::clone(&atlas), frame), minute)
}

fn wish(schemes: &[&str], attack: &str) -> Wish {
    let schemes = schemes.iter().map(|&scheme| scheme.to_owned()).collect();
    Wish { schemes, attack: attack.into(), ..Wish::default() }
}

#[test]
fn every_scheme_can_be_attacked_by_every_attack() {
    let (arena, minute) = minute(1500);
    for scheme in SCHEMES {
        for attack in attack_choices() {
            let wish = wish(&[scheme.id], attack.id);
            let done = arena.compare(&wish, || minute.clone()).unwrap();
            let told = format!("{} under {}: {done:?}", scheme.id, attack.id);
            let victim = done.victim.expect(&told);
            let side = &done.sides[0];
            assert!(side.why.is_none() && !side.streets.is_empty() && victim.k >= 2, "{told}");
            assert!(side.kept.len() <= side.streets.len(), "{told}");
            assert!(side.metres_left <= side.metres + 1e-6, "{told}");
        }
    }
}

#[test]
fn a_guarantee_keeps_k_where_the_paper_does_not() {
    let (arena, minute) = minute(400);
    let mut below = [0, 0];
    let mut wish = wish(&["paper", "reciprocal"], "inversion");
    for _ in 0..60 {
        let done = arena.compare(&wish, || minute.clone()).unwrap();
        let victim = done.victim.expect("both published somebody");
        for (below, side) in below.iter_mut().zip(&done.sides) {
            *below += usize::from(side.k_left < Some(victim.k as usize));
        }
        (wish.moment, wish.after) = (Some(done.moment), Some(victim.number));
    }
    assert!(below[0] > 0 && below[1] == 0, "{below:?}");
}

#[test]
fn noise_alone_hides_nobody_among_others() {
    let (arena, minute) = minute(400);
    let wish = wish(&["planar-laplace", "reciprocal"], "known-point");
    let done = arena.compare(&wish, || minute.clone()).unwrap();
    assert!(done.sides[0].k_left <= Some(1), "{done:?}");
    assert!(done.sides[0].outline.is_some() && done.sides[1].outline.is_none());
}

#[test]
fn a_wish_that_makes_no_sense_is_refused() {
    let (arena, minute) = minute(50);
    let compare = |wish: &Wish| arena.compare(wish, || minute.clone()).err();
    assert_eq!(compare(&wish(&["magic"], "centre")), Some(ArenaError::Scheme));
    assert_eq!(compare(&wish(&[], "centre")), Some(ArenaError::Scheme));
    assert_eq!(compare(&wish(&["paper"], "magic")), Some(ArenaError::Attack));
    let soon = arena.compare(&wish(&["paper"], "centre"), Vec::new);
    assert_eq!(soon.err(), Some(ArenaError::TooSoon));
}
