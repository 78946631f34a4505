//! Overpass QL connector: objects near polylines, requested in queries below the server's limits.
//! An answer with a remark was truncated, so its range is requested again in two halves.

mod answer;
mod element;
mod ql;
mod tags;

pub(crate) use tags::{KEYS as CATEGORY_KEYS, key_of_category};

use super::answer_memory::AnswerBody;
use super::category_names::CategoryNames;
use super::endpoint::Endpoint;
use super::remote::RemoteError;
use super::{
    PlanarService, RangeAnswer, RangeRequest, RawObject, RequestPolicy, ServiceError, ServiceFuture,
};
use crate::question::Category;
use answer::ParsedAnswer;
use element::{ElementFormat, TaggedElement};
use ql::QueryLimits;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use tags::Selector;

/// Settings of Overpass.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OverpassSettings {
    /// Largest size of a query in bytes, at least 1000. Older name: `most_query_bytes`.
    #[serde(alias = "most_query_bytes")]
    pub max_query_bytes: usize,
    /// Largest number of points of a polyline, at least 2. Older name: `most_points`.
    #[serde(alias = "most_points")]
    pub max_points: usize,
    /// Time-out in seconds, sent to the server; some servers refuse large values.
    pub server_timeout: u32,
    /// Memory limit in bytes, sent to the server.
    pub server_memory: u64,
}

impl Default for OverpassSettings {
    fn default() -> OverpassSettings {
        OverpassSettings {
            max_query_bytes: 32_000,
            max_points: 100,
            server_timeout: 10,
            server_memory: 64 << 20,
        }
    }
}

/// Connector to an Overpass server.
pub(crate) struct Overpass {
    endpoint: Endpoint,
    categories: Arc<BTreeMap<String, Vec<Selector>>>,
    format: Arc<ElementFormat>,
    limits: QueryLimits,
}

/// Overpass measures on a sphere whose meridian quadrant is 10,000 km. At the equator its metres
/// along a meridian are 0.5 % too many.
const SLACK: f64 = 1.006;

impl Overpass {
    /// Builds the connector. A category is one tag, `amenity=cafe`, or several separated by `|`;
    /// without settings, a list of common tags is used.
    pub(crate) fn new(
        endpoint: Endpoint,
        names: &CategoryNames,
        settings: &OverpassSettings,
    ) -> Result<Overpass, RemoteError> {
        let limits = QueryLimits::new(settings)?;
        let categories =
            if names.is_empty() { tags::common() } else { tags::parse_categories(names)? };
        let keys = tags::keys(&categories);
        let format = ElementFormat { keys, max_objects: endpoint.max_objects };
        let (categories, format) = (Arc::new(categories), Arc::new(format));
        Ok(Overpass { endpoint, categories, format, limits })
    }

    async fn fetch(
        &self,
        range: RangeRequest<'_>,
        policy: &RequestPolicy,
    ) -> Result<RangeAnswer, ServiceError> {
        let selectors = match range.category.name() {
            None => &[Selector::Any][..],
            Some(name) => match self.categories.get(name) {
                None => return Ok(RangeAnswer::default()),
                Some(selectors) => selectors,
            },
        };
        let projection = &self.endpoint.projection;
        let widened = projection.widen(&range, SLACK);
        let lines = projection.lines(&widened.lines);
        let (mut answer, mut received_bytes) = (RangeAnswer::default(), policy.received());
        let queries = self.limits.queries(selectors, &lines, widened.metres);
        for (index, query) in queries.enumerate() {
            if index == self.endpoint.max_requests {
                answer.truncated = true;
                break;
            }
            let received = policy.send(|| self.post(&query)).await?;
            let ParsedAnswer { objects, truncated } = self.parse(received, range.category).await?;
            answer.truncated |= truncated;
            self.endpoint.add(&mut answer, objects.into_iter(), &mut received_bytes)?;
        }
        Ok(answer)
    }

    /// Posts a query.
    async fn post(&self, query: &str) -> Result<AnswerBody, ServiceError> {
        let body =
            form_urlencoded::Serializer::new(String::new()).append_pair("data", query).finish();
        let content_type = "application/x-www-form-urlencoded";
        let url = self.endpoint.url.clone();
        self.endpoint.client.post(url, content_type, body).await
    }

    /// Returns the objects of the category asked for.
    async fn parse(
        &self,
        answer: AnswerBody,
        asked: &Category,
    ) -> Result<ParsedAnswer, ServiceError> {
        let (format, asked) = (Arc::clone(&self.format), asked.clone());
        let projection = Arc::clone(&self.endpoint.projection);
        let categories = Arc::clone(&self.categories);
        let to_object = move |element: &TaggedElement| {
            let category = tags::category(&element.tags, &asked, &categories)?;
            let point = projection.locate(&element.geometry)?;
            let (id, name) = (element.id.clone(), element.name.clone());
            Some(RawObject { id, name, category, point })
        };
        answer.parse(move |bytes| answer::parse(bytes, &format, to_object)).await
    }

    /// Checks that the server answers, by a query that is always the same.
    async fn probe(&self) -> Result<(), ServiceError> {
        let centre = [vec![self.endpoint.projection.centre()]];
        for query in self.limits.queries(&[Selector::Any], &centre, 1.0) {
            let answer = self.post(&query).await?;
            self.parse(answer, &Category::Any).await?;
        }
        Ok(())
    }
}

impl PlanarService for Overpass {
    fn name(&self) -> &'static str {
        "overpass"
    }

    fn range<'a>(
        &'a self,
        range: RangeRequest<'a>,
        policy: &'a RequestPolicy,
    ) -> ServiceFuture<'a, RangeAnswer> {
        Box::pin(self.fetch(range, policy))
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        Box::pin(async {
            self.probe().await?;
            Ok(self.categories.keys().cloned().collect())
        })
    }
}

/// Entry point of [`crate::fuzzing`]: reads an answer; what is kept is within its limits.
#[cfg(any(test, feature = "fuzzing"))]
pub fn fuzz_answer(bytes: &[u8]) -> bool {
    use meshcloak::units::Point;
    let categories = tags::common();
    let max_objects = super::fuzzing::MAX_OBJECTS;
    let format = ElementFormat { keys: tags::keys(&categories), max_objects };
    let parsed = answer::parse(bytes, &format, |element: &TaggedElement| {
        let project = |[x, y]: [f64; 2]| x.is_finite().then(|| Point::new(x, y));
        let point = element.geometry.representative_point(9.0, project)?;
        let category = tags::category(&element.tags, &Category::Any, &categories)?;
        Some(RawObject { id: element.id.clone(), name: element.name.clone(), category, point })
    });
    let Ok(ParsedAnswer { objects, .. }) = parsed else { return false };
    assert!(objects.len() <= max_objects);
    true
}
