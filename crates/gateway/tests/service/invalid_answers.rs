//! A plain service that says what is not so.

use crate::fixture::{inquiry, questions, walker};
use gateway::refine::refine;
use gateway::service::{
    Planar, PlanarService, PlanarSettings, RangeAnswer, RangeRequest, RawObject, ServiceClient,
    ServiceClientSettings, ServiceError, ServiceFuture,
};
use meshcloak::map::{Position, StreetId};
use meshcloak::units::{Length, Point};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How a service lies.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lie {
    /// Places that are none, or far away, or of another category; one id for many things.
    Nonsense,
    /// There is always more, and it is always something else.
    Endless,
    /// There is always more, and it is always the same.
    Stuck,
    /// There is nothing.
    Nothing,
}

struct Liar(Lie, Arc<AtomicUsize>);

impl PlanarService for Liar {
    fn name(&self) -> &'static str {
        "liar"
    }

    fn range<'a>(&'a self, _: RangeRequest<'a>) -> ServiceFuture<'a, RangeAnswer> {
        let asked = self.1.fetch_add(1, Ordering::Relaxed);
        let page = match self.0 {
            Lie::Nonsense => RangeAnswer { objects: nonsense(), truncated: false },
            Lie::Endless => RangeAnswer {
                objects: (0..500).map(|row| at(asked * 500 + row)).collect(),
                truncated: true,
            },
            Lie::Stuck => RangeAnswer { objects: vec![at(1), at(2)], truncated: true },
            Lie::Nothing => RangeAnswer::default(),
        };
        Box::pin(async { Ok(page) })
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        Box::pin(async { Err(ServiceError::Down) })
    }
}

fn row(id: &str, category: &str, (x, y): (f64, f64)) -> RawObject {
    let (id, category) = (id.to_owned(), category.to_owned());
    RawObject { id, name: String::new(), category, point: Point::new(x, y) }
}

fn at(number: usize) -> RawObject {
    row(&number.to_string(), "cafe", (number as f64 % 300.0, 10.0))
}

fn nonsense() -> Vec<RawObject> {
    vec![
        row("nan", "cafe", (f64::NAN, 0.0)),
        row("infinite", "cafe", (0.0, f64::INFINITY)),
        row("far", "cafe", (4e7, -4e7)),
        row("farther", "cafe", (1e300, 1e300)),
        row("", "cafe", (100.0, 0.0)),
        row("other", "bank", (110.0, 0.0)),
        row("twice", "cafe", (120.0, 0.0)),
        row("twice", "cafe", (250.0, 0.0)),
    ]
}

async fn each(lie: Lie, mut see: impl FnMut(Result<Vec<String>, ServiceError>, bool, usize)) {
    let walker = walker();
    for question in questions() {
        let count = Arc::new(AtomicUsize::new(0));
        let settings = PlanarSettings { max_objects: 20_000, ..PlanarSettings::default() };
        let planar = Planar::new(walker.clone(), Liar(lie, count.clone()), settings);
        let client = ServiceClient::new(Box::new(planar), ServiceClientSettings::default());
        let position = Position { street: StreetId(0), offset: Length::metres(100.0) };
        let answer = client.ask(&inquiry(&walker, &question)).await;
        let answer = answer.map(|objects| refine(&walker, position, &question, &objects));
        let exact = answer.as_ref().is_ok_and(|answer| answer.exact);
        let ids = answer.map(|answer| answer.found.iter().map(|f| f.object.id.clone()).collect());
        see(ids, exact, count.load(Ordering::Relaxed));
    }
}

#[tokio::test]
async fn what_is_no_object_is_left_out_and_the_rest_is_measured_by_us() {
    each(Lie::Nonsense, |ids, exact, _| {
        let ids = ids.unwrap();
        assert!(exact);
        assert_eq!(ids[0], "", "at the person's own place: {ids:?}");
        assert_eq!(ids.iter().filter(|id| *id == "twice").count(), 1);
        assert!(!ids.contains(&"nan".to_owned()) && !ids.contains(&"infinite".to_owned()));
    })
    .await;
}

#[tokio::test]
async fn a_service_without_end_costs_an_error_or_is_called_not_exact() {
    each(Lie::Endless, |ids, exact, asked| {
        assert!(!exact);
        assert!(asked <= 400, "{asked} requests");
        assert!(ids.is_ok() || ids == Err(ServiceError::TooManyObjects(20_000)), "{ids:?}");
    })
    .await;
    each(Lie::Stuck, |ids, exact, asked| {
        let mut ids = ids.unwrap();
        ids.sort();
        assert_eq!(ids, ["1", "2"]);
        assert!(!exact && asked <= 400, "{asked} requests");
    })
    .await;
}

#[tokio::test]
async fn nothing_is_an_answer_and_the_search_for_more_ends() {
    each(Lie::Nothing, |ids, exact, asked| {
        assert_eq!(ids, Ok(Vec::new()));
        assert!(exact && asked < 10, "{asked} requests");
    })
    .await;
}
