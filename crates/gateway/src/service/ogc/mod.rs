//! OGC API Features connector: a collection queried by area, with CQL2 if the server supports it,
//! page by page.
//!
//! CQL2 has no distance predicate, so a range is sent as a polygon around it (`cover`). A server
//! with the extension `S_DWITHIN` can be sent lines and metres; one without filters is sent a
//! bounding box. All three return supersets.

mod cover;
mod filter;
mod pages;

use super::category_names::{CategoryNames, ServiceCategory};
use super::endpoint::Endpoint;
use super::geojson::FeatureFormat;
use super::lenient_json::{TextsOf, read_json};
use super::projection::WidenedRange;
use super::remote::RemoteError;
use super::{
    Completeness, PlanarService, RangeAnswer, RangeRequest, RequestPolicy, ServiceError,
    ServiceFuture,
};
use pages::{FeaturePages, PageFetcher};
use reqwest::Url;
use serde::Deserialize;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// Settings of OGC API Features.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OgcSettings {
    /// Queryable that holds the geometry.
    pub geometry: String,
    /// Property that holds the category.
    pub category: String,
    /// Property that holds the name.
    pub name: String,
    /// Kind of filter.
    pub filter: OgcFilter,
    /// Number of features per page, at least 1.
    pub limit: u32,
    /// Largest size of a URL in bytes. Older name: `most_url_bytes`.
    #[serde(alias = "most_url_bytes")]
    pub max_url_bytes: usize,
}

/// Kind of filter that selects a range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OgcFilter {
    /// `Intersects` if the server's conformance classes allow it, else `Bbox`.
    #[default]
    Auto,
    /// `S_INTERSECTS` with polygons.
    Intersects,
    /// `S_DWITHIN` with lines and metres: not in the standard, so no conformance class announces it.
    Dwithin,
    /// Bounding boxes.
    Bbox,
}

impl Default for OgcSettings {
    fn default() -> OgcSettings {
        OgcSettings {
            geometry: "geom".into(),
            category: "category".into(),
            name: "name".into(),
            filter: OgcFilter::Auto,
            limit: 1000,
            max_url_bytes: 7_000,
        }
    }
}

/// Connector to a collection.
pub(crate) struct Ogc {
    endpoint: Endpoint,
    names: CategoryNames,
    settings: OgcSettings,
    format: Arc<FeatureFormat>,
    /// Resolved kind of filter, never `Auto`; requested once.
    filter: OnceCell<OgcFilter>,
}

/// Largest number of conformance classes of a server.
const MAX_CLASSES: usize = 10_000;

impl Ogc {
    /// Builds the connector. The protocol cannot list categories, so the settings must.
    pub(crate) fn new(
        endpoint: Endpoint,
        names: CategoryNames,
        settings: &OgcSettings,
    ) -> Result<Ogc, RemoteError> {
        let invalid = |setting, why| Err(RemoteError::Setting(setting, why));
        let is_identifier = |text: &str| {
            let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
            text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && text.chars().all(is_allowed)
        };
        if names.is_empty() {
            return invalid("categories", "must be listed for OGC API Features");
        }
        if !is_identifier(&settings.geometry) || !is_identifier(&settings.category) {
            return invalid("ogc", "needs property names of letters, digits, `_` and `.`");
        }
        if settings.max_url_bytes < endpoint.url.as_str().len().saturating_add(1_500) {
            return invalid("ogc.max_url_bytes", "must exceed the length of `url` by 1500");
        }
        if settings.limit == 0 {
            return invalid("ogc.limit", "must be at least 1");
        }
        if !endpoint.url.path().contains("/collections/") || endpoint.url.query().is_some() {
            return invalid("url", "must end in /collections/NAME");
        }
        let (name, category) = (settings.name.clone(), settings.category.clone());
        let format = FeatureFormat { name, category, max_objects: endpoint.max_objects };
        let (settings, format) = (settings.clone(), Arc::new(format));
        Ok(Ogc { endpoint, names, settings, format, filter: OnceCell::new() })
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
        let (mut answer, mut received_bytes) = (RangeAnswer::default(), policy.received());
        let mut requests_left = self.endpoint.max_requests;
        for url in self.urls(&widened, category, policy).await? {
            if requests_left == 0 {
                answer.truncated = true;
                break;
            }
            let FeaturePages { features, completeness } =
                self.pages(policy).fetch(url, &mut requests_left).await?;
            answer.truncated |= completeness == Completeness::Partial;
            let objects = features.into_iter().filter_map(|feature| {
                feature.into_object(|name| self.names.category(name, range.category))
            });
            self.endpoint.add(&mut answer, objects, &mut received_bytes)?;
        }
        Ok(answer)
    }

    fn pages<'a>(&'a self, policy: &'a RequestPolicy) -> PageFetcher<'a> {
        PageFetcher { endpoint: &self.endpoint, format: &self.format, policy }
    }

    /// Returns the URLs of first pages that together cover a range.
    async fn urls(
        &self,
        range: &WidenedRange<'_>,
        category: Option<&str>,
        policy: &RequestPolicy,
    ) -> Result<Vec<Url>, ServiceError> {
        let mut items = self.endpoint.url.clone();
        let path = format!("{}/items", items.path().trim_end_matches('/'));
        items.set_path(&path);
        items.query_pairs_mut().append_pair("limit", &self.settings.limit.to_string());
        let with = |pairs: &[(&str, &str)]| {
            let mut url = items.clone();
            url.query_pairs_mut().extend_pairs(pairs);
            url
        };
        let cql = |filter: String| with(&[("filter-lang", "cql2-text"), ("filter", &filter)]);
        let of_category = filter::category(&self.settings.category, category);
        let used = cql(of_category.clone()).as_str().len();
        let max_bytes = self.settings.max_url_bytes.saturating_sub(used);
        let (projection, geometry) = (&self.endpoint.projection, &self.settings.geometry);
        Ok(match *self.filter.get_or_try_init(|| self.resolve_filter(policy)).await? {
            OgcFilter::Bbox => vec![with(&[("bbox", &filter::bbox(projection, range))])],
            OgcFilter::Dwithin => {
                let filters = filter::dwithin(projection, range, geometry, max_bytes);
                filters.map(|filter| cql(format!("{of_category}{filter}"))).collect()
            }
            OgcFilter::Auto | OgcFilter::Intersects => {
                let filter = filter::intersects(projection, range, geometry, max_bytes);
                vec![cql(format!("{of_category}{filter}"))]
            }
        })
    }

    /// Resolves `Auto` by the conformance classes of the server.
    async fn resolve_filter(&self, policy: &RequestPolicy) -> Result<OgcFilter, ServiceError> {
        if self.settings.filter != OgcFilter::Auto {
            return Ok(self.settings.filter);
        }
        let mut url = self.endpoint.url.clone();
        let root = url.path().rsplit_once("/collections/").map_or("", |(root, _)| root);
        let path = format!("{root}/conformance");
        url.set_path(&path);
        let answer = policy.send(|| self.endpoint.client.get(url.clone())).await?;
        let malformed = "it is not a list of conformance classes";
        let list = TextsOf { name: "conformsTo", max: MAX_CLASSES };
        let classes = answer.parse(move |bytes| read_json(bytes, list, malformed)).await?;
        let classes = classes.ok_or(ServiceError::Malformed(malformed))?;
        let supports_polygons = filter::supports_polygons(&classes);
        Ok(if supports_polygons { OgcFilter::Intersects } else { OgcFilter::Bbox })
    }
}

impl PlanarService for Ogc {
    fn name(&self) -> &'static str {
        "ogc-features"
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
            // Requests without a region check that server and collection exist.
            let policy = RequestPolicy::unlimited();
            self.filter.get_or_try_init(|| self.resolve_filter(&policy)).await?;
            self.endpoint.client.get(self.endpoint.url.clone()).await?;
            Ok(self.names.categories())
        })
    }
}
