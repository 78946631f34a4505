//! The line to a service on the other side of an HTTP connection.

use super::ground::Ground;
use super::http::Caller;
use super::{Page, ServiceError};
use reqwest::Url;

/// What every connector needs to ask its service.
pub(crate) struct Line {
    pub url: Url,
    pub caller: Caller,
    pub ground: Ground,
    pub most_requests: usize,
    pub most_objects: usize,
}

impl Line {
    /// Refuses an answer that does not end.
    pub(crate) fn bound(&self, page: &Page) -> Result<(), ServiceError> {
        let fits = page.rows.len() <= self.most_objects;
        fits.then_some(()).ok_or(ServiceError::Endless(self.most_objects))
    }
}
