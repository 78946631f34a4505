//! Points of interest as a service holds them, and the check that answers are exact.

use crate::town::{inquiry, position_in, question, region};
use gateway::question::{Along, Operation};
use gateway::refine::{Answer, refine};
use gateway::service::{
    Completeness, Object, Objects, Service, ServiceClient, ServiceClientSettings,
};
use gateway::walk::Walker;
use meshcloak::town::Town;
use meshcloak::units::LonLat;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// A point of interest.
#[derive(Clone, Debug)]
pub struct Thing {
    pub id: String,
    pub name: String,
    pub category: String,
    /// Degrees with seven decimals.
    pub lon: f64,
    pub lat: f64,
}

/// Returns the points of interest of a map; `id` makes an id of a number.
pub fn things(walker: &Walker, id: impl Fn(usize) -> String) -> Vec<Thing> {
    let map = walker.map();
    let rounded = |degrees: f64| (degrees * 1e7).round() / 1e7;
    let thing = |(number, object): (usize, &Arc<Object>)| {
        let LonLat { lon, lat } = map.frame().unwrap().lon_lat(object.point);
        let (name, category) = (object.name.clone(), object.category.clone());
        Thing { id: id(number), name, category, lon: rounded(lon), lat: rounded(lat) }
    };
    Object::all_of(map).iter().enumerate().map(thing).collect()
}

pub fn categories(things: &[Thing]) -> BTreeSet<String> {
    things.iter().map(|thing| thing.category.clone()).collect()
}

/// Returns all points of interest as objects on the map.
pub fn everything(walker: &Walker, things: &[Thing]) -> Objects {
    let map = walker.map();
    let object = |thing: &Thing| {
        let Thing { id, name, category, lon, lat } = thing.clone();
        let point = map.frame().unwrap().point(LonLat { lon, lat });
        let position = map.snap(point, Some(200.0)).map(|snapped| snapped.position);
        Arc::new(Object { id, name, category, point, position })
    };
    Objects::new(things.iter().map(object).collect(), Completeness::Complete)
}

/// Builds a client with a long time-out.
pub fn client(service: Box<dyn Service>) -> ServiceClient {
    let settings = ServiceClientSettings {
        timeout: Duration::from_secs(600),
        ..ServiceClientSettings::default()
    };
    ServiceClient::new(service, settings)
}

/// Counts of a check.
#[derive(Debug, Default)]
pub struct CheckCounts {
    pub asked: usize,
    pub exact: usize,
    pub found: usize,
    /// Answers with an object outside the region.
    pub outside: usize,
}

/// Sends `count` random questions of each kind about random regions, and compares the answers of
/// three users in each with the answers from all points of interest.
pub async fn check(
    walker: &Walker,
    client: &ServiceClient,
    things: &[Thing],
    count: usize,
) -> CheckCounts {
    let map = walker.map();
    let all = everything(walker, things);
    let mut random = Town::generator(count as u64);
    let mut left: BTreeMap<(bool, Along), usize> = BTreeMap::new();
    for nearest in [false, true] {
        for along in [Along::Streets, Along::Plane] {
            left.insert((nearest, along), count);
        }
    }
    let mut seen = CheckCounts::default();
    while left.values().any(|&left| left > 0) {
        let question = question(map, &mut random);
        let kind = match question.operation {
            Operation::Within { along, .. } => (false, along),
            Operation::Nearest { along, .. } => (true, along),
        };
        match left.get_mut(&kind) {
            Some(left) if *left > 0 => *left -= 1,
            _ => continue,
        }
        let region = region(map, &mut random);
        let objects = client.ask(&inquiry(map, &region, &question)).await.unwrap();
        for _ in 0..3 {
            let position = position_in(map, &region, &mut random);
            let answer = refine(walker, position, &question, &objects);
            seen.asked += 1;
            if !answer.exact {
                continue;
            }
            let truth = refine(walker, position, &question, &all);
            assert_eq!(texts(&answer), texts(&truth), "{question:?}");
            seen.exact += 1;
            seen.found += answer.found.len();
            seen.outside += usize::from(answer.found.iter().any(|found| {
                found.object.position.is_none_or(|position| !region.contains(&position.street))
            }));
        }
    }
    seen
}

fn texts(answer: &Answer) -> Vec<String> {
    let text = |found: &gateway::refine::FoundObject| {
        let Object { id, name, category, .. } = &*found.object;
        format!("{id} {name} {category} {:.3}", found.metres)
    };
    answer.found.iter().map(text).collect()
}
