//! On random towns the refined answer equals the answer from the user's exact position, for every
//! kind of question, and the bytes sent to the service do not depend on positions.

use super::*;
use crate::inquiry::Inquiry;
use crate::question::Category;
use crate::service::in_memory::InMemoryService;
use crate::service::{BuiltIn, Planar, PlanarSettings, RawObject, Service};
use meshcloak::distance::Atlas;
use meshcloak::map::{Extent, MapBuilder, RawPoi, StreetId, StreetMap};
use meshcloak::naive;
use meshcloak::region::Region;
use meshcloak::scheme::Disclosure;
use meshcloak::town::Town;
use meshcloak::units::{Point, Time};
use rand::RngExt as _;
use rand_pcg::Pcg64Mcg;
use tokio::runtime::{Builder, Runtime};

/// A random town with objects; some share a point, are at a terminal, or far from every street.
fn town_with_objects(seed: u64) -> StreetMap {
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
        // The order of ids differs from the order of insertion.
        let label = format!("{}-{number}", random.random_range(0..9));
        builder.poi(RawPoi { label: &label, point: last, category, name: "" }).unwrap();
    }
    builder.build(Extent::Whole).unwrap().map
}

/// Returns some streets, mostly connected.
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
        let max = [40.0, 250.0, 900.0, 2_000.0][random.random_range(0..4)];
        Operation::Within { radius: Length::metres(random.random_range(1.0..max)), along }
    } else {
        Operation::Nearest { count: random.random_range(1..=12), along }
    };
    let category = match random.random_range(0..4) {
        0 => Category::Any,
        number => Category::named(["cafe", "bar", "bank"][number - 1]).unwrap(),
    };
    Question { operation, category }
}

/// Answers a question from the exact position by linear search: distances and ids.
fn exact_answer(
    map: &StreetMap,
    position: Position,
    question: &Question,
    objects: &[Arc<Object>],
) -> Vec<(f64, String)> {
    let table = naive::terminal_distances(map);
    let here = map.point(position);
    let (along, max_count, radius) = match question.operation {
        Operation::Within { radius, along } => (along, usize::MAX, radius.as_metres()),
        Operation::Nearest { count, along } => (along, count as usize, f64::INFINITY),
    };
    let metres = |object: &Object| match along {
        Along::Plane => Some(here.distance(object.point)),
        Along::Streets => {
            naive::distance(map, &table, position, object.position?).map(Length::as_metres)
        }
    };
    let wanted = objects.iter().filter(|object| question.category.includes(&object.category));
    let mut all: Vec<(f64, String)> =
        wanted.filter_map(|object| Some((metres(object)?, object.id.clone()))).collect();
    all.retain(|&(metres, _)| metres <= radius);
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
    all.truncate(max_count);
    all
}

/// Returns the result of a future.
fn ready<T>(future: impl Future<Output = T>) -> T {
    thread_local! {
        static RUNTIME: Runtime = Builder::new_current_thread().build().unwrap();
    }
    RUNTIME.with(|runtime| runtime.block_on(future))
}

fn inquiry(map: &StreetMap, region: &[StreetId], questions: &[&Question]) -> Inquiry {
    let region = Region::Mesh(region.to_vec().into());
    let disclosure = Disclosure { at: Time::from_millis(0), region };
    let mut inquiries = Inquiry::of(map, &disclosure, questions.iter().copied()).unwrap();
    assert_eq!(inquiries.len(), 1);
    inquiries.remove(0)
}

/// Counts of compared answers.
#[derive(Default)]
struct Tally {
    cases: usize,
    /// Answers with an object outside the region.
    outside: usize,
    inexact: usize,
}

/// A service with the objects it holds, on the map of a walker.
struct Case<'a> {
    walker: &'a Walker,
    service: &'a dyn Service,
    objects: &'a [Arc<Object>],
}

/// Compares `rounds` random answers with linear search.
fn compare(seed: u64, rounds: usize, case: &Case<'_>, tally: &mut Tally) {
    let &Case { walker, service, objects } = case;
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
        let answered = ready(service.ask(&inquiry(map, &region, &questions))).unwrap();
        let answer = refine(walker, position, &question, &answered);
        let found = answer.found.iter().map(|found| (found.metres, found.object.id.clone()));
        let expected = exact_answer(map, position, &question, objects);
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
    Arc::new(Walker::new(Arc::new(Atlas::new(town_with_objects(seed), Length::metres(300.0)))))
}

#[test]
fn the_built_in_service_gives_every_user_the_exact_answer() {
    let mut tally = Tally::default();
    for seed in 0..400 {
        let walker = walker(seed);
        let mut service = BuiltIn::new(walker.clone());
        // With 0, objects are searched for even in small categories.
        service.max_unfiltered = if seed.is_multiple_of(4) { 1024 } else { 0 };
        let objects = Object::all_of(walker.map());
        let case = Case { walker: &walker, service: &service, objects: &objects };
        compare(seed, 25, &case, &mut tally);
    }
    assert_eq!(tally.inexact, 0);
    let Tally { cases, outside, .. } = tally;
    assert!(outside * 3 > cases, "only {outside} of {cases} had an object outside the region");
}

#[test]
fn a_planar_service_with_a_limit_gives_every_user_the_exact_answer() {
    let mut tally = Tally::default();
    for seed in 0..400 {
        let walker = walker(seed);
        let max_street_distance = if seed.is_multiple_of(2) { 5_000.0 } else { 60.0 };
        let (service, objects) = planar(&walker, max_street_distance, 3 + seed as usize % 40);
        let case = Case { walker: &walker, service: &service, objects: &objects };
        compare(seed, 25, &case, &mut tally);
    }
    let Tally { cases, outside, inexact } = tally;
    assert!(outside * 3 > cases, "only {outside} of {cases} had an object outside the region");
    assert!(inexact * 3 < cases && inexact > 0, "{inexact} of {cases} were not exact");
}

/// Returns a planar service of the map's objects, and the objects as snapped by it.
fn planar(
    walker: &Arc<Walker>,
    max_street_distance: f64,
    limit: usize,
) -> (Planar<InMemoryService>, Vec<Arc<Object>>) {
    let mut objects = Object::all_of(walker.map());
    let rows = objects.iter().map(|object| {
        let Object { id, name, category, point, .. } = Object::clone(object);
        RawObject { id, name, category, point }
    });
    let service = InMemoryService::new(rows.collect(), limit);
    for object in &mut objects {
        let snapped = walker.map().snap(object.point, Some(max_street_distance));
        Arc::make_mut(object).position = snapped.map(|snapped| snapped.position);
    }
    let settings = PlanarSettings { max_street_distance, ..PlanarSettings::default() };
    (Planar::new(walker.clone(), service, settings), objects)
}

#[test]
fn without_truncation_every_answer_is_exact() {
    let mut tally = Tally::default();
    for seed in 0..100 {
        let walker = walker(seed);
        let (service, objects) = planar(&walker, 5_000.0, 1_000);
        let case = Case { walker: &walker, service: &service, objects: &objects };
        compare(seed, 10, &case, &mut tally);
    }
    assert_eq!(tally.inexact, 0);
}

#[test]
fn requests_do_not_depend_on_the_positions_in_the_region() {
    let mut different = 0;
    for seed in 0..200 {
        let walker = walker(seed);
        let map = walker.map();
        let mut random = Town::generator(seed + 2);
        let region = region(map, &mut random);
        let question = question(&mut random);
        let mut run = || {
            let (service, _) = planar(&walker, 100.0, 12);
            let positions: Vec<Position> =
                (0..4).map(|_| position_in(map, &region, &mut random)).collect();
            let answered = ready(service.ask(&inquiry(map, &region, &[&question; 4]))).unwrap();
            let answers =
                positions.iter().map(|&position| refine(&walker, position, &question, &answered));
            let answers: Vec<Answer> = answers.collect();
            (service.service().requests(), answers)
        };
        let (first, second) = (run(), run());
        assert!(!first.0.is_empty());
        assert_eq!(first.0, second.0, "seed {seed}");
        different += usize::from(first.1 != second.1);
    }
    assert!(different > 40, "the answers differed in only {different} cases");
}
