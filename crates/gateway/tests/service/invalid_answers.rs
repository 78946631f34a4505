//! A planar service that returns invalid answers.

use crate::fixture::{inquiry, questions, walker};
use gateway::refine::refine;
use gateway::service::{
    Planar, PlanarService, PlanarSettings, RangeAnswer, RangeRequest, RawObject, RequestPolicy,
    ServiceClient, ServiceClientSettings, ServiceError, ServiceFuture,
};
use meshcloak::map::{Position, StreetId};
use meshcloak::units::{Length, Point};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Kind of invalid answer.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// Invalid or distant points, other categories, one id for several objects.
    InvalidObjects,
    /// Always truncated, always with new objects.
    Endless,
    /// Always truncated, always with the same objects.
    Repeating,
    /// No objects.
    Nothing,
}

/// A service with one kind of answer, and the number of its requests.
struct InvalidService(Fault, Arc<AtomicUsize>);

impl PlanarService for InvalidService {
    fn name(&self) -> &'static str {
        "invalid"
    }

    fn range<'a>(
        &'a self,
        _: RangeRequest<'a>,
        _: &'a RequestPolicy,
    ) -> ServiceFuture<'a, RangeAnswer> {
        let requests = self.1.fetch_add(1, Ordering::Relaxed);
        let page = match self.0 {
            Fault::InvalidObjects => RangeAnswer { objects: invalid_objects(), truncated: false },
            Fault::Endless => RangeAnswer {
                objects: (0..500).map(|row| at(requests * 500 + row)).collect(),
                truncated: true,
            },
            Fault::Repeating => RangeAnswer { objects: vec![at(1), at(2)], truncated: true },
            Fault::Nothing => RangeAnswer::default(),
        };
        Box::pin(async { Ok(page) })
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        Box::pin(async { Err(ServiceError::Down) })
    }
}

fn object(id: &str, category: &str, x: f64, y: f64) -> RawObject {
    let (id, category) = (id.to_owned(), category.to_owned());
    RawObject { id, name: String::new(), category, point: Point::new(x, y) }
}

fn at(number: usize) -> RawObject {
    object(&number.to_string(), "cafe", number as f64 % 300.0, 10.0)
}

fn invalid_objects() -> Vec<RawObject> {
    vec![
        object("nan", "cafe", f64::NAN, 0.0),
        object("infinite", "cafe", 0.0, f64::INFINITY),
        object("far", "cafe", 4e7, -4e7),
        object("farther", "cafe", 1e300, 1e300),
        object("", "cafe", 100.0, 0.0),
        object("other", "bank", 110.0, 0.0),
        object("twice", "cafe", 120.0, 0.0),
        object("twice", "cafe", 250.0, 0.0),
    ]
}

async fn each(fault: Fault, mut check: impl FnMut(Result<Vec<String>, ServiceError>, bool, usize)) {
    let walker = walker();
    for question in questions() {
        let count = Arc::new(AtomicUsize::new(0));
        let settings = PlanarSettings { max_objects: 20_000, ..PlanarSettings::default() };
        let planar = Planar::new(walker.clone(), InvalidService(fault, count.clone()), settings);
        let client = ServiceClient::new(Box::new(planar), ServiceClientSettings::default());
        let position = Position { street: StreetId(0), offset: Length::metres(100.0) };
        let answer = client.ask(&inquiry(&walker, &question)).await;
        let answer = answer.map(|objects| refine(&walker, position, &question, &objects));
        let exact = answer.as_ref().is_ok_and(|answer| answer.exact);
        let ids = answer.map(|answer| answer.found.iter().map(|f| f.object.id.clone()).collect());
        check(ids, exact, count.load(Ordering::Relaxed));
    }
}

#[tokio::test]
async fn invalid_objects_are_dropped_and_distances_computed() {
    each(Fault::InvalidObjects, |ids, exact, _| {
        let ids = ids.unwrap();
        assert!(exact);
        assert_eq!(ids[0], "", "at the user's position: {ids:?}");
        assert_eq!(ids.iter().filter(|id| *id == "twice").count(), 1);
        assert!(!ids.contains(&"nan".to_owned()) && !ids.contains(&"infinite".to_owned()));
    })
    .await;
}

#[tokio::test]
async fn an_endless_service_causes_an_error_or_an_inexact_answer() {
    each(Fault::Endless, |ids, exact, requests| {
        assert!(!exact);
        assert!(requests <= 400, "{requests} requests");
        assert!(ids.is_ok() || ids == Err(ServiceError::TooManyObjects(20_000)), "{ids:?}");
    })
    .await;
    each(Fault::Repeating, |ids, exact, requests| {
        let mut ids = ids.unwrap();
        ids.sort();
        assert_eq!(ids, ["1", "2"]);
        assert!(!exact && requests <= 400, "{requests} requests");
    })
    .await;
}

#[tokio::test]
async fn an_empty_answer_is_exact_and_the_search_ends() {
    each(Fault::Nothing, |ids, exact, requests| {
        assert_eq!(ids, Ok(Vec::new()));
        assert!(exact && requests < 10, "{requests} requests");
    })
    .await;
}
