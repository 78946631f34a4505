//! The refined answer is the one that the person would have got by asking from her own position,
//! whatever the kind of question, on random towns; and the service cannot tell who asked.

use super::*;
use crate::inquiry::Inquiry;
use crate::question::Category;
use crate::service::memory::Memory;
use crate::service::{BuiltIn, Plain, PlainSettings, Row, Service};
use meshcloak::distance::Atlas;
use meshcloak::map::{Extent, MapBuilder, RawPoi, StreetId, StreetMap};
use meshcloak::naive;
use meshcloak::region::Region;
use meshcloak::scheme::Disclosure;
use meshcloak::town::Town;
use meshcloak::units::{Point, Time};
use rand::RngExt as _;
use rand_pcg::Pcg64Mcg;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// A random town with things in it; many stand on one spot, on a terminal, or far from a street.
fn furnished(seed: u64) -> StreetMap {
    let town = Town::random(seed);
    let mut random = Town::generator(seed + 7_000);
    let mut builder = MapBuilder::from_map(&town.map);
    let mut last = Point::default();
    for number in 0..random.random_range(0..40) {
        let near = town.map.point(town.position(&mut random));
        let off = [0.0, 0.0, 5.0, 40.0, 300.0][random.random_range(0..5)];
        let new = Point::new(near.x + off, near.y - off / 2.0);
        last = if random.random_bool(0.3) { last } else { new };
        let category = ["cafe", "bar", "bank"][random.random_range(0..3)];
        // Ids in an order that is not the order of the rows.
        let label = format!("{}-{number}", random.random_range(0..9));
        builder.poi(RawPoi { label: &label, point: last, category, name: "" }).unwrap();
    }
    builder.build(Extent::Whole).unwrap().map
}

/// Some streets, mostly connected.
fn region(map: &StreetMap, random: &mut Pcg64Mcg) -> Vec<StreetId> {
    let first = StreetId(random.random_range(0..map.street_count() as u32));
    let mut region = vec![first];
    for _ in 0..random.random_range(0..5) {
        let from = map.street(region[random.random_range(0..region.len())]);
        let arms = map.leaving(if random.random_bool(0.5) { from.from } else { from.to });
        match arms {
            [] => region.push(StreetId(random.random_range(0..map.street_count() as u32))),
            arms => region.push(arms[random.random_range(0..arms.len())].street),
        }
    }
    region.sort();
    region.dedup();
    region
}

fn position_in(map: &StreetMap, region: &[StreetId], random: &mut Pcg64Mcg) -> Position {
    let street = region[random.random_range(0..region.len())];
    let part = [0.0, 1.0, random.random_range(0.0..1.0)][random.random_range(0..3)];
    Position { street, offset: map.street(street).length.part(part) }
}

fn question(random: &mut Pcg64Mcg) -> Question {
    let along = if random.random_bool(0.5) { Along::Streets } else { Along::Plane };
    let operation = if random.random_bool(0.5) {
        let most = [40.0, 250.0, 900.0, 2_000.0][random.random_range(0..4)];
        Operation::Within { radius: Length::metres(random.random_range(1.0..most)), along }
    } else {
        Operation::Nearest { count: random.random_range(1..=12), along }
    };
    let category = match random.random_range(0..4) {
        0 => Category::Any,
        number => Category::named(["cafe", "bar", "bank"][number - 1]).unwrap(),
    };
    Question { operation, category }
}

/// What asking from the position itself gives: ids and distances, by looking at everything.
fn truth(
    map: &StreetMap,
    position: Position,
    question: &Question,
    objects: &[Arc<Object>],
) -> Vec<(f64, String)> {
    let table = naive::terminal_distances(map);
    let here = map.point(position);
    let (along, most, radius) = match question.operation {
        Operation::Within { radius, along } => (along, usize::MAX, radius.as_metres()),
        Operation::Nearest { count, along } => (along, count as usize, f64::INFINITY),
    };
    let metres = |object: &Object| match along {
        Along::Plane => Some(here.distance(object.point)),
        Along::Streets => {
            naive::distance(map, &table, position, object.position?).map(Length::as_metres)
        }
    };
    let wanted = objects.iter().filter(|object| question.category.holds(&object.category));
    let mut all: Vec<(f64, String)> =
        wanted.filter_map(|object| Some((metres(object)?, object.id.clone()))).collect();
    all.retain(|&(metres, _)| metres <= radius);
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
    all.truncate(most);
    all
}

/// What comes of a future that never has to wait.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("nothing here waits"),
    }
}

fn inquiry(map: &StreetMap, region: &[StreetId], questions: &[&Question]) -> Inquiry {
    let region = Region::Mesh(region.to_vec().into());
    let disclosure = Disclosure { at: Time::from_millis(0), region };
    let mut inquiries = Inquiry::of(map, &disclosure, questions.iter().copied()).unwrap();
    assert_eq!(inquiries.len(), 1);
    inquiries.remove(0)
}

/// How often something lay outside the region, and how often an answer was not exact.
#[derive(Default)]
struct Tally {
    cases: usize,
    outside: usize,
    inexact: usize,
}

/// Compares `rounds` answers on one town with the truth.
fn compare(
    (seed, rounds): (u64, usize),
    walker: &Walker,
    (service, objects): (&dyn Service, &[Arc<Object>]),
    tally: &mut Tally,
) {
    let map = walker.map();
    let mut random = Town::generator(seed + 1);
    for round in 0..rounds {
        let region = region(map, &mut random);
        let position = position_in(map, &region, &mut random);
        let (question, other) = (question(&mut random), question(&mut random));
        let mut questions = vec![&question];
        if other.kind() == question.kind() {
            questions.push(&other);
        }
        let answered = now(service.ask(&inquiry(map, &region, &questions))).unwrap();
        let answer = refine(walker, position, &question, &answered);
        let found = answer.found.iter().map(|found| (found.metres, found.object.id.clone()));
        let expected = truth(map, position, &question, objects);
        tally.cases += 1;
        tally.inexact += usize::from(!answer.exact);
        if answer.exact {
            let found: Vec<_> = found.collect();
            assert_eq!(found, expected, "seed {seed}.{round} {question:?} {region:?} {position:?}");
        }
        tally.outside += usize::from(answer.found.iter().any(|found| {
            let street = found.object.position.map(|position| position.street);
            street.is_none_or(|street| !region.contains(&street))
        }));
    }
}

fn walker(seed: u64) -> Arc<Walker> {
    Arc::new(Walker::new(Arc::new(Atlas::new(furnished(seed), Length::metres(300.0)))))
}

#[test]
fn the_built_in_service_gives_everyone_the_answer_from_her_own_position() {
    let mut tally = Tally::default();
    for seed in 0..400 {
        let walker = walker(seed);
        let mut service = BuiltIn::new(walker.clone());
        // Few objects are answered as they are; here they are searched for as well.
        service.few_enough = if seed.is_multiple_of(4) { 1024 } else { 0 };
        let objects = Object::all_of(walker.map());
        compare((seed, 25), &walker, (&service, &objects), &mut tally);
    }
    assert_eq!(tally.inexact, 0);
    let Tally { cases, outside, .. } = tally;
    assert!(outside * 3 > cases, "only {outside} of {cases} needed an object outside");
}

#[test]
fn a_plain_service_with_a_limit_gives_everyone_the_answer_from_her_own_position() {
    let mut tally = Tally::default();
    for seed in 0..400 {
        let walker = walker(seed);
        let farthest_from_street = if seed.is_multiple_of(2) { 5_000.0 } else { 60.0 };
        let (service, objects) = plain(&walker, farthest_from_street, 3 + seed as usize % 40);
        compare((seed, 25), &walker, (&service, &objects), &mut tally);
    }
    let Tally { cases, outside, inexact } = tally;
    assert!(outside * 3 > cases, "only {outside} of {cases} needed an object outside");
    assert!(inexact * 3 < cases && inexact > 0, "{inexact} of {cases} were not exact");
}

/// A plain service of the map's things, and these as it sees them.
fn plain(
    walker: &Arc<Walker>,
    farthest_from_street: f64,
    limit: usize,
) -> (Plain<Memory>, Vec<Arc<Object>>) {
    let mut objects = Object::all_of(walker.map());
    let rows = objects.iter().map(|object| {
        let Object { id, name, category, point, .. } = Object::clone(object);
        Row { id, name, category, point }
    });
    let memory = Memory::new(rows.collect(), limit);
    for object in &mut objects {
        let snapped = walker.map().snap(object.point, Some(farthest_from_street));
        Arc::make_mut(object).position = snapped.map(|snapped| snapped.position);
    }
    let settings = PlainSettings { farthest_from_street, ..PlainSettings::default() };
    (Plain::new(walker.clone(), memory, settings), objects)
}

#[test]
fn a_limit_that_is_never_reached_leaves_nothing_inexact() {
    let mut tally = Tally::default();
    for seed in 0..100 {
        let walker = walker(seed);
        let (service, objects) = plain(&walker, 5_000.0, 1_000);
        compare((seed, 10), &walker, (&service, &objects), &mut tally);
    }
    assert_eq!(tally.inexact, 0);
}

#[test]
fn a_service_hears_the_same_bytes_wherever_in_the_region_people_are() {
    let mut different = 0;
    for seed in 0..200 {
        let walker = walker(seed);
        let map = walker.map();
        let mut random = Town::generator(seed + 2);
        let region = region(map, &mut random);
        let question = question(&mut random);
        let mut listen = || {
            let (service, _) = plain(&walker, 100.0, 12);
            let people: Vec<Position> =
                (0..4).map(|_| position_in(map, &region, &mut random)).collect();
            let answered = now(service.ask(&inquiry(map, &region, &[&question; 4]))).unwrap();
            let answers =
                people.iter().map(|&person| refine(&walker, person, &question, &answered));
            let answers: Vec<Answer> = answers.collect();
            (service.service().heard(), answers)
        };
        let (first, second) = (listen(), listen());
        assert!(!first.0.is_empty());
        assert_eq!(first.0, second.0, "seed {seed}");
        different += usize::from(first.1 != second.1);
    }
    assert!(different > 40, "only {different} times the people got other answers");
}
