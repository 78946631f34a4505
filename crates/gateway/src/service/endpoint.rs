//! An HTTP service with the limits of its answers.

use super::http_client::HttpClient;
use super::projection::Projection;
use super::{RangeAnswer, RawObject, ReceivedBytes, ServiceError};
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
    /// Adds objects of a page, and fails beyond the limit on objects or memory.
    pub(crate) fn add(
        &self,
        answer: &mut RangeAnswer,
        objects: impl Iterator<Item = RawObject>,
        received: &mut ReceivedBytes,
    ) -> Result<(), ServiceError> {
        for object in objects {
            if answer.objects.len() >= self.max_objects {
                return Err(ServiceError::TooManyObjects(self.max_objects));
            }
            received.add(object.memory())?;
            answer.objects.push(object);
        }
        Ok(())
    }
}
