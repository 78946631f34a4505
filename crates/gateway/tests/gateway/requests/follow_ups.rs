//! Every request of a connector, follow-ups included, is a function of region, question and the
//! answers of the service: it does not depend on positions of members, on their order, or on how
//! many ask.

use crate::fixture::{generous, place, post, query, walker};
use futures_util::future::join_all;
use gateway::answers::answer_round;
use gateway::batch::BatchEngine;
use gateway::city::CityParts;
use gateway::clock::Clock;
use gateway::config::Mode;
use gateway::gateway::{Gateway, Parts};
use gateway::server::app;
use gateway::service::{
    Object, Planar, PlanarService, PlanarSettings, RangeAnswer, RangeRequest, RawObject,
    RequestPolicy, ServiceFuture,
};
use meshcloak::town::Town;
use rand::RngExt as _;
use rand::seq::SliceRandom as _;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// A planar service that records every range, and truncates long answers.
struct RecordingRanges {
    objects: Vec<Arc<Object>>,
    limit: usize,
    ranges: Arc<Mutex<Vec<String>>>,
}

impl PlanarService for RecordingRanges {
    fn name(&self) -> &'static str {
        "recording"
    }

    fn range<'a>(
        &'a self,
        range: RangeRequest<'a>,
        _: &'a RequestPolicy,
    ) -> ServiceFuture<'a, RangeAnswer> {
        self.ranges.lock().unwrap().push(format!("{range:?}"));
        let is_inside = |object: &&Arc<Object>| {
            let near =
                range.around.is_none_or(|area| area.lines.distance(object.point) <= area.metres);
            near && range.category.includes(&object.category)
        };
        let raw = |object: &Arc<Object>| RawObject {
            id: object.id.clone(),
            name: object.name.clone(),
            category: object.category.clone(),
            point: object.point,
        };
        let inside: Vec<RawObject> = self.objects.iter().filter(is_inside).map(raw).collect();
        let truncated = inside.len() > self.limit;
        let objects = inside.into_iter().take(self.limit).collect();
        Box::pin(async move { Ok(RangeAnswer { objects, truncated }) })
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        let mut names: Vec<String> = self.objects.iter().map(|o| o.category.clone()).collect();
        names.sort();
        names.dedup();
        Box::pin(async { Ok(names) })
    }
}

/// A member of the set: place on the street from 0 to 1, and question.
type Member = (f64, Value);

/// Returns all ranges that the service gets for one set on a street, sorted by inquiry.
async fn ranges(street: u32, limit: usize, members: &[Member]) -> Vec<String> {
    let ranges = Arc::new(Mutex::new(Vec::new()));
    let objects = Object::all_of(walker().map());
    let recording = RecordingRanges { objects, limit, ranges: Arc::clone(&ranges) };
    let service = Box::new(Planar::new(walker(), recording, PlanarSettings::default()));
    let mut config = generous();
    // One slot: the ranges of one inquiry are not mixed with those of another.
    config.service.concurrency = 1;
    let (mode, clock) = (Mode::Demo, Clock::manual());
    let parts = Parts { config, mode, cities: vec![CityParts::only(walker(), service)], clock };
    let gateway = Arc::new(Gateway::new(parts).unwrap());
    gateway.refresh_categories().await.unwrap();
    let posts = members.iter().enumerate().map(|(number, (part, question))| {
        let name = format!("user {number}");
        let mut body = query(&name, &name, street);
        let (lon, lat) = place(street, *part);
        (body["lon"], body["lat"]) = (json!(lon), json!(lat));
        (body["k"], body["dc"]) = (json!(members.len()), json!(2000));
        body["question"] = question.clone();
        post(app(Arc::clone(&gateway)), body)
    });
    let batch = async {
        tokio::task::yield_now().await;
        gateway.clock().advance(1000);
        let round = BatchEngine::new(Arc::clone(&gateway)).turn(gateway.clock().now());
        answer_round(Arc::clone(&gateway), round).await;
    };
    let (ends, ()) = futures_util::join!(join_all(posts), batch);
    assert!(ends.iter().all(|(_, end)| end["outcome"] == "answered"), "{ends:?}");
    let mut ranges = std::mem::take(&mut *ranges.lock().unwrap());
    ranges.sort();
    ranges
}

#[tokio::test]
async fn requests_with_follow_ups_depend_on_region_question_and_answers_only() {
    let mut follow_ups = 0;
    let two_way = |street: &u32| !walker().map().street(meshcloak::map::StreetId(*street)).one_way;
    for seed in 0..24 {
        let mut random = Town::generator(seed);
        let street = (random.random_range(0..400)..).find(two_way).unwrap();
        let limit = random.random_range(4..60);
        let question = |number: u32| match number % 4 {
            0 => json!({"find": "nearest", "count": 30 - number * 7, "along": "streets"}),
            1 => json!({"find": "nearest", "count": 3, "along": "plane"}),
            2 => json!({"find": "nearest", "count": 1, "along": "streets", "category": "cafe"}),
            _ => json!({"find": "within", "radius": 200 + number, "along": "streets"}),
        };
        let questions: Vec<Value> = (0..random.random_range(2..7)).map(question).collect();
        let mut seen = Vec::new();
        for _ in 0..3 {
            // Other positions on the street, and other users for the questions; one more user
            // with a question that is asked already.
            let mut members: Vec<Member> =
                questions.iter().map(|q| (random.random_range(0.01..0.99), q.clone())).collect();
            if random.random_bool(0.5) {
                members.push((random.random_range(0.01..0.99), questions[0].clone()));
            }
            members.shuffle(&mut random);
            seen.push(ranges(street, limit, &members).await);
        }
        assert_eq!(seen[0], seen[1], "seed {seed}");
        assert_eq!(seen[0], seen[2], "seed {seed}");
        follow_ups += seen[0].len().saturating_sub(questions.len());
    }
    assert!(follow_ups > 100, "{follow_ups} follow-ups");
}
