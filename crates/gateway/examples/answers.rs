//! Measures answers: every kind of question on regions of a map, from the built-in service or, if
//! the environment variable `DATABASE` is the URL of a database filled by `meshcloak pois load`,
//! from PostGIS.
//!
//! `cargo run --release -p gateway --example answers -- [MAP]`

#![expect(clippy::unwrap_used, reason = "an example ends at the first error")]

use gateway::inquiry::Inquiry;
use gateway::question::{Along, Category, Operation, Question};
use gateway::refine::refine;
use gateway::service::postgis::{Postgis, PostgisSettings};
use gateway::service::{BuiltIn, Service};
use gateway::walk::Walker;
use import::{MapSource, Options};
use meshcloak::distance::Atlas;
use meshcloak::map::{Position, StreetId};
use meshcloak::mesh::{MeshBuilder, MeshKey, MeshRule};
use meshcloak::region::Region;
use meshcloak::scheme::Disclosure;
use meshcloak::units::{Length, Time};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Number of regions per question.
const REGIONS: u32 = 300;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let source: MapSource =
        std::env::args().nth(1).map_or(MapSource::default(), |map| map.parse().unwrap());
    let map = import::read_map(&source, &Options::default(), &()).unwrap().map;
    let atlas = Arc::new(Atlas::new(map, Length::metres(500.0)));
    let walker = Arc::new(Walker::new(atlas));
    println!("{} streets, {} objects", walker.map().street_count(), walker.map().pois().len());
    let service: Box<dyn Service> = match std::env::var("DATABASE") {
        Ok(url) => Box::new(Postgis::service(walker.clone(), &PostgisSettings::new(&url)).unwrap()),
        Err(_) => Box::new(BuiltIn::new(walker.clone())),
    };
    println!("{:30} {:>8} {:>10} {:>12}", "question", "objects", "ask us", "refine us");
    for question in questions() {
        let (mut ask_time, mut refine_time, mut objects) = (Duration::ZERO, Duration::ZERO, 0);
        for street in streets(&walker) {
            let inquiry = inquiry(&walker, street, &question);
            let start = Instant::now();
            let answered = service.ask(&inquiry).await.unwrap();
            ask_time += start.elapsed();
            objects += answered.objects().len();
            let offset = walker.map().street(street).length.part(0.3);
            let start = Instant::now();
            std::hint::black_box(refine(
                &walker,
                Position { street, offset },
                &question,
                &answered,
            ));
            refine_time += start.elapsed();
        }
        let mean = |total: Duration| total.as_secs_f64() * 1e6 / f64::from(REGIONS);
        let objects = objects / REGIONS as usize;
        println!(
            "{:30} {objects:8} {:10.0} {:12.0}",
            name(&question),
            mean(ask_time),
            mean(refine_time)
        );
    }
}

/// Returns streets spread over the map.
fn streets(walker: &Walker) -> impl Iterator<Item = StreetId> {
    let count = walker.map().street_count() as u64;
    (0..u64::from(REGIONS)).map(move |number| StreetId((number * 7_919 % count) as u32))
}

/// Builds an inquiry about the mesh of a user with a distance constraint of 300 m.
fn inquiry(walker: &Walker, street: StreetId, question: &Question) -> Inquiry {
    let member = MeshKey { street, dc: Length::metres(300.0) };
    let mut mesh = Vec::new();
    MeshBuilder::new(walker.atlas().clone(), MeshRule::Reach)
        .cloaking_mesh([member].into_iter(), &mut mesh);
    let region = Region::Mesh(mesh.into());
    let disclosure = Disclosure { at: Time::from_millis(0), region };
    Inquiry::of(walker.map(), &disclosure, vec![question.asked().unwrap()]).remove(0)
}

fn questions() -> Vec<Question> {
    let mut questions = Vec::new();
    for category in [Category::Any, Category::named("restaurant").unwrap()] {
        for along in [Along::Streets, Along::Plane] {
            let within = [200.0, 1_000.0].map(Length::metres);
            let within = within.map(|radius| Operation::Within { radius, along });
            let nearest = [3, 30].map(|count| Operation::Nearest { count, along });
            let operations = within.into_iter().chain(nearest);
            questions.extend(
                operations.map(|operation| Question { operation, category: category.clone() }),
            );
        }
    }
    questions
}

fn name(question: &Question) -> String {
    let category = question.category.name().unwrap_or("any");
    match question.operation {
        Operation::Within { radius, along } => format!("{radius} {along} {category}"),
        Operation::Nearest { count, along } => format!("{count} nearest {along} {category}"),
    }
}
