//! Maps with objects, random regions, positions and questions.

use gateway::inquiry::Inquiry;
use gateway::question::{Along, Category, Operation, Question};
use gateway::service::Object;
use gateway::service::postgis::{LoadedObjects, PostgisSettings, load};
use gateway::walk::Walker;
use import::{MapSource, Options};
use meshcloak::distance::Atlas;
use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::region::Region;
use meshcloak::scheme::Disclosure;
use meshcloak::units::{Length, Time};
use rand::RngExt as _;
use rand_pcg::Pcg64Mcg;
use std::sync::Arc;

/// Bad Hersfeld if `MESHCLOAK_MAPS` is set, else a part of the built-in city.
pub fn walker() -> Arc<Walker> {
    let source = match std::env::var("MESHCLOAK_MAPS") {
        Ok(folder) => format!("{folder}/bad-hersfeld/bad-hersfeld.osm.xml.gz"),
        Err(_) => "city:4000:7".to_owned(),
    };
    read(&source)
}

/// The smallest built-in city.
pub fn hamlet() -> Arc<Walker> {
    read("city:500:1")
}

fn read(source: &str) -> Arc<Walker> {
    let source: MapSource = source.parse().unwrap();
    let map = import::read_map(&source, &Options::default(), &()).unwrap().map;
    Arc::new(Walker::new(Arc::new(Atlas::new(map, Length::metres(100.0)))))
}

/// Loads the objects of the map into the database.
pub async fn load_objects(walker: &Walker, settings: &PostgisSettings) {
    let objects = Object::all_of(walker.map());
    let frame = walker.map().frame().unwrap();
    load(&settings.url, &settings.table, LoadedObjects { objects: &objects, frame }, |_| ())
        .await
        .unwrap();
}

/// Returns a street, mostly one with an object, and streets around it.
pub fn region(map: &StreetMap, random: &mut Pcg64Mcg) -> Vec<StreetId> {
    let pois: Vec<_> = map.pois().collect();
    let first = if random.random_bool(0.7) {
        map.poi(pois[random.random_range(0..pois.len())]).position.street
    } else {
        StreetId(random.random_range(0..map.street_count() as u32))
    };
    let mut region = vec![first];
    for _ in 0..random.random_range(0..40) {
        let street = map.street(region[random.random_range(0..region.len())]);
        let end = if random.random_bool(0.5) { street.from } else { street.to };
        let arms = map.leaving(end);
        if !arms.is_empty() {
            region.push(arms[random.random_range(0..arms.len())].street);
        }
    }
    region.sort();
    region.dedup();
    region
}

pub fn position_in(map: &StreetMap, region: &[StreetId], random: &mut Pcg64Mcg) -> Position {
    let street = region[random.random_range(0..region.len())];
    Position { street, offset: map.street(street).length.part(random.random_range(0.0..=1.0)) }
}

pub fn question(map: &StreetMap, random: &mut Pcg64Mcg) -> Question {
    let along = if random.random_bool(0.4) { Along::Streets } else { Along::Plane };
    let operation = if random.random_bool(0.6) {
        let radius = [80.0, 200.0, 450.0, 1_000.0, 1_900.0][random.random_range(0..5)];
        Operation::Within { radius: Length::metres(radius), along }
    } else {
        Operation::Nearest { count: random.random_range(1..=30), along }
    };
    let pois: Vec<_> = map.pois().collect();
    let category = match random.random_range(0..3) {
        0 => Category::Any,
        _ => {
            let poi = pois[random.random_range(0..pois.len())];
            Category::named(map.category(poi)).unwrap()
        }
    };
    Question { operation, category }
}

pub fn inquiry(map: &StreetMap, region: &[StreetId], question: &Question) -> Inquiry {
    let region = Region::Mesh(region.to_vec().into());
    let disclosure = Disclosure { at: Time::from_millis(0), region };
    Inquiry::of(map, &disclosure, vec![question.asked().unwrap()]).remove(0)
}
