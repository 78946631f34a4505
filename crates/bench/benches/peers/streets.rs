//! Exact questions along streets, from terminals about objects at terminals, which all programs can
//! represent, on a map without one-way streets.
//!
//! Answers: metres to all found objects; number of found objects.

use crate::matrix::arcs;
use crate::table::Table;
use gateway::inquiry::Inquiry;
use gateway::question::{Along, Category, Operation, Question};
use gateway::refine::refine;
use gateway::service::{BuiltIn, Objects, Service as _};
use gateway::walk::Walker;
use meshcloak::distance::Atlas;
use meshcloak::map::{Extent, MapBuilder, Position, RawPoi, StreetMap, TerminalId};
use meshcloak::units::Length;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;
use std::sync::Arc;

const OBJECTS: usize = 1_000;
const COUNT: u32 = 10;
const RADIUS: f64 = 1_000.0;

pub fn measure(table: &mut Table) {
    let mut builder = MapBuilder::from_map(&bench::oldenburg());
    let places = add_objects(&mut builder);
    let map = builder.build(Extent::LargestPart).expect("the map is valid").map;
    let tasks =
        ["10 nearest along streets, from all terminals", "objects within 1000 m along streets"];
    let head = [map.terminal_count() as u32, places.len() as u32, COUNT];
    let objects = places.iter().map(|&place| [place, 0, 0]);
    let all = std::iter::once(head).chain(objects).chain(arcs(&map));
    table.write("streets.u32", all.flatten().map(u32::to_le_bytes));
    let points = map.terminals().map(|terminal| map.terminal(terminal));
    table.write("streets.f64", points.flat_map(|p| [p.x, p.y]).map(f64::to_le_bytes));
    let walker = Arc::new(Walker::new(Arc::new(Atlas::new(map, Length::metres(2_000.0)))));
    let along = Along::Streets;
    let operations = [
        Operation::Nearest { count: COUNT, along },
        Operation::Within { radius: Length::metres(RADIUS), along },
    ];
    for (task, operation) in tasks.into_iter().zip(operations) {
        let question = Question { operation, category: Category::Any };
        let objects = all_objects(&walker, &question);
        table.measure(task, || answer_all(&walker, &question, &objects));
    }
}

/// Adds objects at random distinct terminals and returns the terminals.
fn add_objects(builder: &mut MapBuilder) -> Vec<u32> {
    let mut random = Pcg64Mcg::seed_from_u64(2);
    let mut places: Vec<u32> = (0..builder.terminal_count() as u32).collect();
    for index in 0..OBJECTS {
        let other = random.random_range(index..places.len());
        places.swap(index, other);
    }
    places.truncate(OBJECTS);
    for &place in &places {
        let point = builder.terminal_point(TerminalId(place)).expect("the terminal exists");
        let label = format!("{place:06}");
        let poi = RawPoi { label: &label, point, category: "place", name: "" };
        builder.poi(poi).expect("the object is valid");
    }
    places
}

/// Asks the built-in service, which returns all objects of a small category.
fn all_objects(walker: &Arc<Walker>, question: &Question) -> Objects {
    let rung = question.rung().expect("the question is on the ladder");
    let region: Vec<_> = walker.map().streets().take(1).collect();
    let inquiry = Inquiry::new(region.into(), question.kind(), rung);
    let service = BuiltIn::new(Arc::clone(walker));
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(service.ask(&inquiry)).expect("the built-in service answers")
}

/// Answers the question from every terminal.
fn answer_all(walker: &Walker, question: &Question, objects: &Objects) -> f64 {
    let map = walker.map();
    let positions = map.terminals().filter_map(|terminal| position_at(map, terminal));
    let answers = positions.map(|position| refine(walker, position, question, objects).found);
    match question.operation {
        Operation::Nearest { .. } => answers.flatten().map(|found| found.metres).sum(),
        Operation::Within { .. } => answers.map(|found| found.len() as f64).sum(),
    }
}

/// Returns the position of a terminal on a street that leaves it.
fn position_at(map: &StreetMap, terminal: TerminalId) -> Option<Position> {
    let street = map.leaving(terminal).first()?.street;
    let is_start = map.street(street).from == terminal;
    let offset = if is_start { Length::ZERO } else { map.street(street).length };
    Some(Position { street, offset })
}
