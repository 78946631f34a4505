//! HTTP requests to a service: no redirects, no cookies, no proxy, the same headers in every
//! request, and a limit on the size of the answer.

use super::ServiceError;
use super::answer_memory::{AnswerBody, AnswerMemory};
use super::remote::{RemoteError, RemoteSettings};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url, redirect};
use std::time::Duration;
use tokio::time::timeout;

/// Client of one service.
pub(crate) struct HttpClient {
    client: Client,
    timeout: Duration,
    max_bytes: usize,
    memory: AnswerMemory,
}

impl HttpClient {
    /// Builds a client from the settings.
    pub(crate) fn new(settings: &RemoteSettings) -> Result<HttpClient, RemoteError> {
        // Fails if a provider is already installed, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/geo+json, application/json"));
        if let Some(authorization) = &settings.authorization {
            let mut value = HeaderValue::from_str(authorization.expose()).map_err(|_| {
                RemoteError::Setting("authorization", "is not a valid header value")
            })?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let timeout = settings.request_timeout()?;
        let client = Client::builder()
            .user_agent("meshcloak")
            .default_headers(headers)
            .redirect(redirect::Policy::none())
            .referer(false)
            .no_proxy()
            // Stream numbers of HTTP/2 would tell the order of the requests of a socket.
            .http1_only()
            .timeout(timeout)
            .build()
            .map_err(|_| RemoteError::Client)?;
        let memory = AnswerMemory::new(settings.max_memory);
        Ok(HttpClient { client, timeout, max_bytes: settings.max_bytes, memory })
    }

    /// Sends a GET request and returns the body.
    pub(crate) async fn get(&self, url: Url) -> Result<AnswerBody, ServiceError> {
        self.send(self.client.get(url)).await
    }

    /// Sends a POST request and returns the body.
    pub(crate) async fn post(
        &self,
        url: Url,
        content_type: &'static str,
        body: String,
    ) -> Result<AnswerBody, ServiceError> {
        self.send(self.client.post(url).header(CONTENT_TYPE, content_type).body(body)).await
    }

    async fn send(&self, request: RequestBuilder) -> Result<AnswerBody, ServiceError> {
        let answer = async {
            let response = request.send().await.map_err(|error| failure(&error))?;
            check_status(response.status())?;
            self.read(response).await
        };
        timeout(self.timeout, answer).await.unwrap_or(Err(ServiceError::TimedOut))
    }

    /// Reads a body. Its memory is charged before its bytes are kept.
    async fn read(&self, mut response: Response) -> Result<AnswerBody, ServiceError> {
        let too_long = || ServiceError::Malformed("it is longer than `max_bytes`");
        let announced = response.content_length();
        let max_bytes = u64::try_from(self.max_bytes).unwrap_or(u64::MAX);
        if announced.is_some_and(|bytes| bytes > max_bytes) {
            return Err(too_long());
        }
        let mut memory = self.memory.reserve(announced).await?;
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| failure(&error))? {
            let len = bytes.len().saturating_add(chunk.len());
            if len > self.max_bytes {
                return Err(too_long());
            }
            memory.grow(len)?;
            bytes.extend_from_slice(&chunk);
        }
        Ok(AnswerBody { bytes, memory })
    }
}

/// Classifies a failed request. The error itself holds the URL, and thereby the region, so it is
/// dropped.
fn failure(error: &reqwest::Error) -> ServiceError {
    if error.is_timeout() { ServiceError::TimedOut } else { ServiceError::Down }
}

/// Fails unless the status is 2xx; statuses of an overloaded server are transient.
fn check_status(status: StatusCode) -> Result<(), ServiceError> {
    let meaning = match status.as_u16() {
        200..=299 => return Ok(()),
        408 | 429 | 502 | 503 | 504 => return Err(ServiceError::Down),
        300..=399 => "it redirects, and redirects are not followed",
        401 | 403 => "it does not accept the setting `authorization`",
        404 | 405 | 410 => "there is no service at the setting `url`",
        413 | 414 | 431 => "the request is too long",
        400..=499 => "it does not understand the request",
        _ => "it failed",
    };
    Err(ServiceError::Refused { code: status.as_str().to_owned(), meaning })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overload_is_transient_and_a_refusal_is_not() {
        let cases = [(429, true), (503, true), (504, true), (302, false), (400, false)];
        for (code, is_transient) in cases {
            let error = check_status(StatusCode::from_u16(code).unwrap()).unwrap_err();
            assert_eq!(error.is_transient(), is_transient, "{code}");
        }
        assert_eq!(check_status(StatusCode::OK), Ok(()));
    }
}
