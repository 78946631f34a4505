//! Costs of MeshCloak itself per answered question, to compare with systems without a gateway.

use crate::cache::{AnswerSize, ContentGrid};
use crate::statistics::Average;
use meshcloak::engine::Engine;
use meshcloak::map::{PoiId, StreetId, StreetMap};
use meshcloak::query::Query;
use meshcloak::units::{Point, Rectangle, Time};
use rustc_hash::FxHashSet;
use std::time::Duration;

/// Bytes of a question of a user: a JSON object with position, k, dt and the question.
const QUESTION_BYTES: u64 = 160;
/// Bytes of a request without its streets.
const REQUEST_BYTES: u64 = 120;
/// Bytes of a point of a street in a request: longitude and latitude with six decimals.
const POINT_BYTES: u64 = 22;

/// Bytes and time of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GatewayCost {
    /// Share of questions that are answered.
    pub answered: Average,
    /// Bytes from a user to the gateway, per answered question.
    pub user_upload: Average,
    /// Bytes from the gateway to a user, per answered question.
    pub user_download: Average,
    /// Bytes from the gateway to the service, per answered question.
    pub service_upload: Average,
    /// Bytes from the service to the gateway, per answered question.
    pub service_download: Average,
    /// Requests to the service: one for each region that is published.
    pub requests: u64,
    /// CPU time of the engine: cloaking.
    pub engine: Duration,
    /// CPU time of the service: search of the objects near each requested region.
    pub search: Duration,
    /// CPU time of the gateway: the part of each answer of the service that a user asked for.
    pub refinement: Duration,
}

impl GatewayCost {
    /// CPU time of gateway and service: engine, search and refinement.
    pub fn server(&self) -> Duration {
        self.engine + self.search + self.refinement
    }

    /// One of the times per answered question, in milliseconds; `None` if none is answered.
    pub fn ms_per_answer(&self, time: Duration) -> Option<f64> {
        let answered = self.user_upload.count();
        (answered > 0).then(|| time.as_secs_f64() * 1000.0 / answered as f64)
    }
}

/// Questions of a run: objects within a range.
pub struct RangeQuestions<'a> {
    /// Objects by cells.
    pub grid: &'a ContentGrid,
    /// Sizes of answers.
    pub size: AnswerSize,
    /// Range in metres.
    pub range: f64,
}

/// Runs the engine over the queries of each second, until none waits. Every query asks for the
/// objects within the range. `clock` returns the CPU time so far.
pub fn measure(
    engine: &mut Engine,
    seconds: &[Vec<Query>],
    questions: &RangeQuestions<'_>,
    clock: &dyn Fn() -> Duration,
) -> GatewayCost {
    let atlas = engine.atlas().clone();
    let service = Service { map: atlas.map(), questions, clock };
    let mut cost = GatewayCost::default();
    let mut asked = 0_u64;
    for second in 0.. {
        let arrivals = seconds.get(second);
        if arrivals.is_none() && engine.waiting().is_empty() {
            break;
        }
        for query in arrivals.into_iter().flatten() {
            asked += 1;
            // Refused queries count as not answered.
            engine.submit(query.clone()).ok();
        }
        let begin = clock();
        let turn = engine.tick(Time::from_millis(second as u64 * 1000));
        cost.engine += clock().saturating_sub(begin);
        for disclosure in turn.disclosures() {
            let streets = disclosure.region.streets(service.map).into_owned();
            let users: Vec<Point> =
                turn.recipients(&disclosure).map(|user| service.map.point(user.position)).collect();
            cost.add_request(service, &streets, &users);
        }
    }
    let answered = cost.user_upload.count();
    (0..asked).for_each(|index| cost.answered.add_share(index < answered));
    cost
}

/// Service that answers requests, and the clock that times it.
#[derive(Clone, Copy)]
struct Service<'a> {
    map: &'a StreetMap,
    questions: &'a RangeQuestions<'a>,
    clock: &'a dyn Fn() -> Duration,
}

impl GatewayCost {
    /// Adds a request about a region that is published for users at these points. The gateway keeps no
    /// answers: a region that was requested before is searched again.
    fn add_request(&mut self, service: Service<'_>, streets: &[StreetId], users: &[Point]) {
        let Service { map, questions, clock } = service;
        self.requests += 1;
        let begin = clock();
        let objects = questions.objects_near(map, streets);
        self.search += clock().saturating_sub(begin);
        let begin = clock();
        let refine = |&user: &Point| questions.refine(map, &objects, user);
        let answers: Vec<Vec<PoiId>> = users.iter().map(refine).collect();
        self.refinement += clock().saturating_sub(begin);
        let share = 1.0 / users.len().max(1) as f64;
        let request = share * request_bytes(map, streets) as f64;
        let found = share * questions.answer_bytes(map, &objects) as f64;
        for answer in &answers {
            self.user_upload.add(QUESTION_BYTES as f64);
            self.user_download.add(questions.answer_bytes(map, answer) as f64);
            self.service_upload.add(request);
            self.service_download.add(found);
        }
    }
}

/// Bytes of a request about streets.
fn request_bytes(map: &StreetMap, streets: &[StreetId]) -> u64 {
    let points: u64 = streets.iter().map(|&street| map.shape(street).len() as u64).sum();
    REQUEST_BYTES + POINT_BYTES * points
}

impl RangeQuestions<'_> {
    /// Bytes of an answer with these objects.
    fn answer_bytes(&self, map: &StreetMap, objects: &[PoiId]) -> u64 {
        self.size.empty + objects.iter().map(|&poi| self.size.object(map, poi)).sum::<u64>()
    }

    /// Objects within the range of any of the streets, ascending. Each street searches the cells around
    /// it.
    fn objects_near(&self, map: &StreetMap, streets: &[StreetId]) -> Vec<PoiId> {
        let mut found = FxHashSet::default();
        for &street in streets {
            let shape = map.shape(street);
            let Some(bounds) = Rectangle::around(shape.iter().copied()) else { continue };
            let radius = bounds.width().hypot(bounds.height()) / 2.0 + self.range;
            for cell in self.grid.within(bounds.centre(), radius) {
                for &poi in self.grid.objects(cell) {
                    if !found.contains(&poi) && distance(shape, map.poi(poi).point) <= self.range {
                        found.insert(poi);
                    }
                }
            }
        }
        let mut found: Vec<PoiId> = found.into_iter().collect();
        found.sort_unstable();
        found
    }

    /// Objects of an answer of the service within the range of a user.
    fn refine(&self, map: &StreetMap, objects: &[PoiId], user: Point) -> Vec<PoiId> {
        let is_near = |poi: &PoiId| map.poi(*poi).point.distance(user) <= self.range;
        objects.iter().copied().filter(is_near).collect()
    }
}

/// Distance of a point from a polyline, in metres.
fn distance(line: &[Point], point: Point) -> f64 {
    let to = |pair: &[Point]| {
        let nearest = pair[0].towards(pair[1], point.nearest_fraction(pair[0], pair[1]));
        nearest.distance(point)
    };
    line.windows(2).map(to).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::distance::Atlas;
    use meshcloak::mesh_cloak::{RegionRule, Settings};
    use meshcloak::units::Length;
    use std::cell::Cell;
    use std::sync::Arc;
    use traffic::{Profile, Simulation, SimulationSettings};

    /// Costs of 600 users under a region rule, and the clock at the end. The clock advances by 1 ms with
    /// every call.
    fn run(region: RegionRule) -> (GatewayCost, Duration) {
        let source = "city:500:2".parse().unwrap();
        let map = import::read_map(&source, &import::Options::default(), &()).unwrap().map;
        let size = AnswerSize { empty: 100, object: Some(50) };
        let grid = ContentGrid::new(&map, 300.0, size).unwrap();
        let profile = Profile::named("p1").unwrap();
        let settings =
            SimulationSettings { users: 600, k: (2, 2), ..SimulationSettings::default() };
        let seconds = Simulation::new(&map, &profile, settings).record();
        let atlas = Arc::new(Atlas::new(map, Length::metres(2_000.0)));
        let settings = Settings { region, ..Settings::default() };
        let mut engine = Engine::new(Arc::clone(&atlas), settings);
        let questions = RangeQuestions { grid: &grid, size, range: 400.0 };
        let begun = Cell::new(Duration::ZERO);
        let clock = || begun.replace(begun.get() + Duration::from_millis(1));
        let cost = measure(&mut engine, &seconds, &questions, &clock);
        (cost, begun.get())
    }

    #[test]
    fn regions_cost_more_than_single_answers_and_are_shared() {
        let (cost, _) = run(RegionRule::default());
        assert_eq!(cost.answered.count(), 600 * 11);
        assert!(cost.answered.value().unwrap() > 0.2, "{cost:?}");
        let per_answer = |average: Average| average.value().unwrap();
        assert!(per_answer(cost.user_download) >= 100.0);
        assert!(per_answer(cost.service_upload) > 60.0, "{cost:?}");
        // Every object of every user's answer was in the answer of the service to the set.
        let (user, service) = (per_answer(cost.user_download), per_answer(cost.service_download));
        assert!(service * 30.0 > user, "{cost:?}");
    }

    #[test]
    fn batches_searches_and_refinements_are_timed_and_divided_by_answers() {
        // A cell is searched again with every request.
        for region in [RegionRule::default(), RegionRule::Cell(Length::metres(1_000.0))] {
            let (cost, begun) = run(region);
            // Two calls of the clock for each batch, four for each request.
            let requests = Duration::from_millis(cost.requests);
            assert!(cost.requests > 100, "{cost:?}");
            assert_eq!((cost.search, cost.refinement), (requests, requests));
            assert_eq!(cost.server(), begun / 2);
            assert!(cost.engine > Duration::from_millis(10), "{cost:?}");
            let answers = cost.answered.value().unwrap() * 6_600.0;
            let expected = begun.as_secs_f64() * 1000.0 / 2.0 / answers;
            let found = cost.ms_per_answer(cost.server()).unwrap();
            assert!((found - expected).abs() < 1e-9 && answers < 6_000.0, "{found} {expected}");
        }
    }

    #[test]
    fn objects_within_the_range_of_a_region_are_found_and_contain_those_of_its_users() {
        let source = "city:500:5".parse().unwrap();
        let map = import::read_map(&source, &import::Options::default(), &()).unwrap().map;
        let size = AnswerSize { empty: 0, object: Some(1) };
        let grid = ContentGrid::new(&map, 200.0, size).unwrap();
        let questions = RangeQuestions { grid: &grid, size, range: 350.0 };
        for street in map.streets().step_by(7) {
            let streets = [street, StreetId((street.0 + 40) % map.street_count() as u32)];
            let objects = questions.objects_near(&map, &streets);
            let is_near = |poi: &PoiId| {
                let point = map.poi(*poi).point;
                streets.iter().any(|&street| distance(map.shape(street), point) <= 350.0)
            };
            assert_eq!(objects, map.pois().filter(is_near).collect::<Vec<PoiId>>(), "{street:?}");
            for &point in map.shape(street) {
                let near = map.pois().filter(|&poi| map.poi(poi).point.distance(point) <= 350.0);
                let near: Vec<PoiId> = near.collect();
                assert_eq!(questions.refine(&map, &objects, point), near, "{street:?}");
            }
        }
    }
}
