//! Costs of MeshCloak itself per answered question, to compare with systems without a gateway.

use crate::cache::{AnswerSize, ContentGrid};
use crate::statistics::Average;
use meshcloak::engine::Engine;
use meshcloak::map::{PoiId, StreetId, StreetMap};
use meshcloak::query::Query;
use meshcloak::units::{Point, Rectangle, Time};
use rustc_hash::FxHashMap;
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
    /// Time of the engine.
    pub engine: Duration,
}

impl GatewayCost {
    /// Time of the engine per answered question, in milliseconds; `None` if none is answered.
    pub fn engine_ms_per_answer(&self) -> Option<f64> {
        let answered = self.user_upload.count();
        (answered > 0).then(|| self.engine.as_secs_f64() * 1000.0 / answered as f64)
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
    let mut cost = GatewayCost::default();
    let mut asked = 0_u64;
    // Regions repeat: cells are fixed.
    let mut known: FxHashMap<Vec<StreetId>, RegionBytes> = FxHashMap::default();
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
            let streets = disclosure.region.streets(atlas.map()).into_owned();
            let region = known
                .entry(streets)
                .or_insert_with_key(|streets| questions.region_bytes(atlas.map(), streets));
            let users: Vec<&Query> = turn.recipients(&disclosure).collect();
            let share = 1.0 / users.len().max(1) as f64;
            for user in &users {
                let answer = questions.answer_bytes(atlas.map(), atlas.map().point(user.position));
                cost.user_upload.add(QUESTION_BYTES as f64);
                cost.user_download.add(answer as f64);
                cost.service_upload.add(share * region.request as f64);
                cost.service_download.add(share * region.answer as f64);
            }
        }
    }
    let answered = cost.user_upload.count();
    (0..asked).for_each(|index| cost.answered.add_share(index < answered));
    cost
}

/// Bytes of one request and its answer.
struct RegionBytes {
    request: u64,
    answer: u64,
}

impl RangeQuestions<'_> {
    /// Request and answer about all objects within the range of a region.
    fn region_bytes(&self, map: &StreetMap, streets: &[StreetId]) -> RegionBytes {
        let points: u64 = streets.iter().map(|&street| map.shape(street).len() as u64).sum();
        let objects = self.objects_near(map, streets);
        let answer = objects.iter().map(|&poi| self.size.object(map, poi)).sum::<u64>();
        RegionBytes {
            request: REQUEST_BYTES + POINT_BYTES * points,
            answer: self.size.empty + answer,
        }
    }

    /// Objects within the range of any of the streets.
    fn objects_near(&self, map: &StreetMap, streets: &[StreetId]) -> Vec<PoiId> {
        let all = streets.iter().flat_map(|&street| map.shape(street).iter().copied());
        let Some(bounds) = Rectangle::around(all) else { return Vec::new() };
        let radius = bounds.width().hypot(bounds.height()) / 2.0 + self.range;
        let cells = self.grid.within(bounds.centre(), radius);
        let is_near = |poi: &PoiId| {
            let point = map.poi(*poi).point;
            streets.iter().any(|&street| distance(map.shape(street), point) <= self.range)
        };
        cells.flat_map(|cell| self.grid.objects(cell).iter().copied()).filter(is_near).collect()
    }

    /// Answer to a user at a point.
    fn answer_bytes(&self, map: &StreetMap, point: Point) -> u64 {
        let objects = self.grid.within(point, self.range).flat_map(|cell| self.grid.objects(cell));
        let near = objects.filter(|&&poi| map.poi(poi).point.distance(point) <= self.range);
        self.size.empty + near.map(|&poi| self.size.object(map, poi)).sum::<u64>()
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
    use meshcloak::mesh_cloak::Settings;
    use meshcloak::units::Length;
    use std::cell::Cell;
    use std::sync::Arc;
    use traffic::{Profile, Simulation, SimulationSettings};

    #[test]
    fn regions_cost_more_than_single_answers_and_are_shared() {
        let source = "city:500:2".parse().unwrap();
        let map = import::read_map(&source, &import::Options::default(), &()).unwrap().map;
        let size = AnswerSize { empty: 100, object: Some(50) };
        let grid = ContentGrid::new(&map, 300.0, size).unwrap();
        let profile = Profile::named("p1").unwrap();
        let settings =
            SimulationSettings { users: 600, k: (2, 2), ..SimulationSettings::default() };
        let seconds = Simulation::new(&map, &profile, settings).record();
        let atlas = Arc::new(Atlas::new(map, Length::metres(2_000.0)));
        let mut engine = Engine::new(Arc::clone(&atlas), Settings::default());
        let questions = RangeQuestions { grid: &grid, size, range: 400.0 };
        let begun = Cell::new(Duration::ZERO);
        let clock = || begun.replace(begun.get() + Duration::from_millis(1));
        let cost = measure(&mut engine, &seconds, &questions, &clock);
        assert_eq!(cost.answered.count(), 600 * 11);
        // The clock advances by 1 ms between two calls: one for each batch.
        let batches = begun.get().as_secs_f64() * 1000.0 / 2.0;
        let answers = cost.answered.value().unwrap() * 6_600.0;
        let expected = batches / answers;
        let found = cost.engine_ms_per_answer().unwrap();
        assert!((found - expected).abs() < 1e-9 && answers < 6_000.0, "{found} {expected}");
        assert!(cost.answered.value().unwrap() > 0.2, "{cost:?}");
        let per_answer = |average: Average| average.value().unwrap();
        assert!(per_answer(cost.user_download) >= 100.0);
        assert!(per_answer(cost.service_upload) > 60.0, "{cost:?}");
        // Every object of every user's answer was in the answer of the service to the set.
        let (user, service) = (per_answer(cost.user_download), per_answer(cost.service_download));
        assert!(service * 30.0 > user, "{cost:?}");
    }

    #[test]
    fn objects_within_the_range_of_a_region_contain_those_of_its_users() {
        let source = "city:500:5".parse().unwrap();
        let map = import::read_map(&source, &import::Options::default(), &()).unwrap().map;
        let size = AnswerSize { empty: 0, object: Some(1) };
        let grid = ContentGrid::new(&map, 200.0, size).unwrap();
        let questions = RangeQuestions { grid: &grid, size, range: 350.0 };
        for street in map.streets().step_by(7) {
            let objects = questions.objects_near(&map, &[street]);
            for &point in map.shape(street) {
                let near = map.pois().filter(|&poi| map.poi(poi).point.distance(point) <= 350.0);
                let near: Vec<PoiId> = near.collect();
                assert_eq!(questions.answer_bytes(&map, point), near.len() as u64);
                assert!(near.iter().all(|poi| objects.contains(poi)), "{street:?}");
            }
        }
    }
}
