//! One HTTP request and its whole answer, on our terms: no redirects, no cookies, no proxy, the
//! same headers every time, and not a byte more than allowed.

use super::ServiceError;
use super::remote::{RemoteError, RemoteSettings};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, RequestBuilder, StatusCode, Url, redirect};

/// Whoever sends requests to one service.
pub(crate) struct Caller {
    client: Client,
    most_bytes: usize,
}

impl Caller {
    /// A caller on these terms.
    pub(crate) fn new(settings: &RemoteSettings) -> Result<Caller, RemoteError> {
        // Whoever came first has set a provider; any will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/geo+json, application/json"));
        if let Some(secret) = &settings.authorization {
            let mut value = HeaderValue::from_str(secret.reveal())
                .map_err(|_| RemoteError::Setting("authorization", "is no header"))?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let client = Client::builder()
            .user_agent("meshcloak")
            .default_headers(headers)
            .redirect(redirect::Policy::none())
            .referer(false)
            .no_proxy()
            .timeout(settings.time_out()?)
            .build()
            .map_err(|_| RemoteError::Client)?;
        Ok(Caller { client, most_bytes: settings.most_bytes })
    }

    /// What is there.
    pub(crate) async fn get(&self, url: Url) -> Result<Vec<u8>, ServiceError> {
        self.send(self.client.get(url)).await
    }

    /// What is said to that.
    pub(crate) async fn post(
        &self,
        url: Url,
        content_type: &'static str,
        body: String,
    ) -> Result<Vec<u8>, ServiceError> {
        self.send(self.client.post(url).header(CONTENT_TYPE, content_type).body(body)).await
    }

    async fn send(&self, request: RequestBuilder) -> Result<Vec<u8>, ServiceError> {
        let mut response = request.send().await.map_err(|error| failure(&error))?;
        refusal(response.status())?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| failure(&error))? {
            if body.len() + chunk.len() > self.most_bytes {
                return Err(ServiceError::Malformed("it is longer than `most_bytes`"));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}

/// What became of a request that was not answered. The error itself holds the address, and with
/// it the region: it is not passed on.
fn failure(error: &reqwest::Error) -> ServiceError {
    if error.is_timeout() { ServiceError::TimedOut } else { ServiceError::Down }
}

/// Anything but a success is an error; a busy or missing server may be there the next time.
fn refusal(status: StatusCode) -> Result<(), ServiceError> {
    match status.as_u16() {
        200..=299 => Ok(()),
        408 | 429 | 502 | 503 | 504 => Err(ServiceError::Down),
        code => {
            let meaning = match code {
                300..=399 => "it sends us elsewhere, where nobody is asked",
                401 | 403 => "it wants another `authorization`",
                404 | 405 | 410 => "nobody is asked at this `url`",
                413 | 414 | 431 => "the request is too long for it",
                400..=499 => "it does not understand what it is asked",
                _ => "it failed",
            };
            Err(ServiceError::Refused { code: code.to_string(), meaning })
        }
    }
}

/// Pairs as the body of a form.
pub(crate) fn form(pairs: &[(&str, &str)]) -> String {
    // A form is encoded as a query is.
    let mut url = Url::parse("http://form/").expect("a constant that is an address");
    url.query_pairs_mut().extend_pairs(pairs);
    url.query().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_encoded() {
        assert_eq!(
            form(&[("data", "[out:json];\n\"ä\"")]),
            "data=%5Bout%3Ajson%5D%3B%0A%22%C3%A4%22"
        );
    }

    #[test]
    fn a_busy_server_may_be_asked_again_and_one_that_refuses_may_not() {
        for (code, again) in [(429, true), (503, true), (504, true), (302, false), (400, false)] {
            let error = refusal(StatusCode::from_u16(code).unwrap()).unwrap_err();
            assert_eq!(error.may_pass(), again, "{code}");
        }
        assert_eq!(refusal(StatusCode::OK), Ok(()));
    }
}
