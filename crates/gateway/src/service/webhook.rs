//! GeoJSON webhook: lines and a radius are posted, points are returned. The contract is in
//! `docs/CONNECT.md`; `examples/webhook` is a server.

use super::answer_memory::AnswerBody;
use super::category_names::{CategoryNames, ServiceCategory};
use super::endpoint::Endpoint;
use super::fixed_lonlat::FixedLonLat;
use super::geojson::{FeatureCollection, FeatureFormat};
use super::lenient_json::{TextsOf, read_json};
use super::{PlanarService, RangeAnswer, RangeRequest, RequestPolicy, ServiceError, ServiceFuture};
use crate::question::Category;
use serde::Serialize;
use std::sync::Arc;

/// A service behind a webhook.
pub(crate) struct Webhook {
    endpoint: Endpoint,
    names: CategoryNames,
    format: Arc<FeatureFormat>,
}

/// Largest number of categories of a service.
const MAX_CATEGORIES: usize = 10_000;

/// Largest number of objects per page.
const PAGE_LIMIT: u32 = 10_000;

#[derive(Serialize)]
struct WebhookRequest<'a> {
    r#type: &'static str,
    geometry: WebhookGeometry<'a>,
    properties: &'a WebhookProperties<'a>,
}

#[derive(Serialize)]
struct WebhookGeometry<'a> {
    r#type: &'static str,
    coordinates: &'a [Vec<FixedLonLat>],
}

#[derive(Serialize)]
struct WebhookProperties<'a> {
    radius_m: f64,
    category: Option<&'a str>,
    limit: u32,
    after: Option<&'a str>,
}

impl Webhook {
    /// Builds the connector.
    pub(crate) fn new(endpoint: Endpoint, names: CategoryNames) -> Webhook {
        let (name, category) = ("name".to_owned(), "category".to_owned());
        let format = FeatureFormat { name, category, max_objects: endpoint.max_objects };
        Webhook { endpoint, names, format: Arc::new(format) }
    }

    async fn fetch(
        &self,
        range: RangeRequest<'_>,
        policy: &RequestPolicy,
    ) -> Result<RangeAnswer, ServiceError> {
        let category = match self.names.to_request(range.category) {
            ServiceCategory::Any => None,
            ServiceCategory::Named(name) => Some(name),
            ServiceCategory::Unknown => return Ok(RangeAnswer::default()),
        };
        let widened = self.endpoint.projection.widen(&range, 1.002);
        let coordinates = self.endpoint.projection.line_strings(&widened.lines);
        let radius_m = (widened.metres * 10.0).ceil() / 10.0;
        let (mut answer, mut received_bytes) = (RangeAnswer::default(), policy.received());
        let mut after: Option<String> = None;
        for _ in 0..self.endpoint.max_requests {
            let properties = WebhookProperties {
                radius_m,
                category,
                limit: PAGE_LIMIT,
                after: after.as_deref(),
            };
            let received = policy.send(|| self.post(&coordinates, &properties)).await?;
            let page = self.parse(received).await?;
            let is_complete =
                page.complete.ok_or(ServiceError::Malformed("it lacks the member `complete`"))?;
            let last = page.features.iter().map(|feature| feature.id.clone()).max();
            let objects = page.features.into_iter().filter_map(|feature| {
                feature.into_object(|name| self.names.category(name, range.category))
            });
            self.endpoint.add(&mut answer, objects, &mut received_bytes)?;
            if is_complete {
                return Ok(answer);
            }
            // A page without a larger id: the service has no paging, the range must be halved.
            if last <= after {
                break;
            }
            after = last;
        }
        answer.truncated = true;
        Ok(answer)
    }

    async fn post(
        &self,
        coordinates: &[Vec<FixedLonLat>],
        properties: &WebhookProperties<'_>,
    ) -> Result<AnswerBody, ServiceError> {
        let geometry = WebhookGeometry { r#type: "MultiLineString", coordinates };
        let request = WebhookRequest { r#type: "Feature", geometry, properties };
        let body = serde_json::to_string(&request).expect("numbers and texts serialise to JSON");
        let url = self.endpoint.url.clone();
        self.endpoint.client.post(url, "application/geo+json", body).await
    }

    async fn parse(&self, answer: AnswerBody) -> Result<FeatureCollection, ServiceError> {
        let (format, projection) = (self.format.clone(), self.endpoint.projection.clone());
        let locate = move |geometry: &_| projection.locate(geometry);
        answer.parse(move |bytes| FeatureCollection::parse(bytes, &format, locate)).await
    }

    async fn fetch_categories(&self) -> Result<Vec<String>, ServiceError> {
        if !self.names.is_empty() {
            return Ok(self.names.categories());
        }
        let answer = self.endpoint.client.get(self.endpoint.url.clone()).await?;
        let malformed = "it is not a list of categories";
        let list = TextsOf { name: "categories", max: MAX_CATEGORIES };
        let names = answer.parse(move |bytes| read_json(bytes, list, malformed)).await?;
        let mut names = names.ok_or(ServiceError::Malformed(malformed))?;
        names.retain(|name| Category::named(name).is_ok());
        names.sort();
        names.dedup();
        Ok(names)
    }
}

impl PlanarService for Webhook {
    fn name(&self) -> &'static str {
        "webhook"
    }

    fn range<'a>(
        &'a self,
        range: RangeRequest<'a>,
        policy: &'a RequestPolicy,
    ) -> ServiceFuture<'a, RangeAnswer> {
        Box::pin(self.fetch(range, policy))
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        Box::pin(self.fetch_categories())
    }
}
