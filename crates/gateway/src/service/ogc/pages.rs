//! Paging by `next` links. A link to another host is refused, because that host would learn the
//! region.

use crate::service::answer_memory::AnswerBody;
use crate::service::endpoint::Endpoint;
use crate::service::geojson::{Feature, FeatureCollection, FeatureFormat};
use crate::service::{Completeness, RequestPolicy, ServiceError};
use reqwest::Url;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Features of several pages.
pub(super) struct FeaturePages {
    pub features: Vec<Feature>,
    pub completeness: Completeness,
}

/// Fetches pages under the rules for requests.
pub(super) struct PageFetcher<'a> {
    pub endpoint: &'a Endpoint,
    pub format: &'a Arc<FeatureFormat>,
    pub policy: &'a RequestPolicy,
}

impl PageFetcher<'_> {
    /// Fetches all pages from `first` on, and drops features with duplicate ids. Every request
    /// decrements `requests_left`; at 0 the result is partial.
    pub(super) async fn fetch(
        &self,
        first: Url,
        requests_left: &mut usize,
    ) -> Result<FeaturePages, ServiceError> {
        let mut features: Vec<Feature> = Vec::new();
        let mut received_bytes = self.policy.received();
        let mut ids = BTreeSet::new();
        let mut url = first;
        loop {
            if *requests_left == 0 {
                return Ok(FeaturePages { features, completeness: Completeness::Partial });
            }
            *requests_left = requests_left.saturating_sub(1);
            let received = self.policy.send(|| self.endpoint.client.get(url.clone())).await?;
            let page = self.parse(received).await?;
            let before = ids.len();
            for feature in page.features {
                if ids.insert(feature.id.clone()) {
                    received_bytes.add(feature.memory())?;
                    features.push(feature);
                }
            }
            if ids.len() > self.endpoint.max_objects {
                return Err(ServiceError::TooManyObjects(self.endpoint.max_objects));
            }
            let Some(next) = page.next else {
                // `numberMatched` also counts features that were dropped as invalid. They cannot be
                // told from missing ones, so the answer counts as partial.
                let is_complete = page.matched.is_none_or(|matched| ids.len() as u64 >= matched);
                let completeness =
                    if is_complete { Completeness::Complete } else { Completeness::Partial };
                return Ok(FeaturePages { features, completeness });
            };
            if ids.len() == before {
                let repeated = "a page repeats the objects of the pages before";
                return Err(ServiceError::Malformed(repeated));
            }
            url = follow(&url, &next)?;
        }
    }

    async fn parse(&self, answer: AnswerBody) -> Result<FeatureCollection, ServiceError> {
        let (format, projection) = (Arc::clone(self.format), Arc::clone(&self.endpoint.projection));
        let locate = move |geometry: &_| projection.locate(geometry);
        answer.parse(move |bytes| FeatureCollection::parse(bytes, &format, locate)).await
    }
}

/// Resolves a link; refuses one to another origin.
fn follow(here: &Url, next: &str) -> Result<Url, ServiceError> {
    let url = here
        .join(next)
        .map_err(|_| ServiceError::Malformed("its link to the next page is not a URL"))?;
    let other_host = ServiceError::Malformed("its next page is on another host");
    (url.origin() == here.origin()).then_some(url).ok_or(other_host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_links_to_the_same_origin_are_followed() {
        let here = Url::parse("http://a.example:8080/c/items?limit=2").unwrap();
        let there = follow(&here, "http://a.example:8080/c/items?offset=2").unwrap();
        assert_eq!(there.as_str(), "http://a.example:8080/c/items?offset=2");
        assert_eq!(follow(&here, "?offset=4").unwrap().query(), Some("offset=4"));
        for other in [
            "http://b.example:8080/c/items",
            "https://a.example:8080/c/items",
            "http://a.example/c/items",
            "//b.example/",
            "file:///etc/passwd",
            "http://[",
        ] {
            assert!(follow(&here, other).is_err(), "{other}");
        }
    }
}
