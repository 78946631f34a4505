//! An HTTP service with the limits of its answers.

use super::http_client::HttpClient;
use super::projection::Projection;
use super::{RangeAnswer, ServiceError};
use reqwest::Url;
use std::sync::Arc;

/// Common part of the HTTP connectors.
pub(crate) struct Endpoint {
    pub url: Url,
    pub client: HttpClient,
    pub projection: Arc<Projection>,
    /// Largest number of HTTP requests per range.
    pub max_requests: usize,
    /// Largest number of objects per inquiry.
    pub max_objects: usize,
}

impl Endpoint {
    /// Fails if an answer exceeds the limit on objects.
    pub(crate) fn check_size(&self, answer: &RangeAnswer) -> Result<(), ServiceError> {
        let fits = answer.objects.len() <= self.max_objects;
        fits.then_some(()).ok_or(ServiceError::TooManyObjects(self.max_objects))
    }
}
