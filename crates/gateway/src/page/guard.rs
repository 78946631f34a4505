//! Protection of the operator's sockets: a check of the Host header against DNS rebinding, and a
//! token for the page.

use crate::access::bearer;
use crate::keys::{KeyError, SecretHash, hash_secret, hexadecimal};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{COOKIE, HOST, LOCATION, SET_COOKIE, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use std::fs;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use subtle::ConstantTimeEq as _;

/// Cookie of a browser that has shown the token.
const COOKIE_NAME: &str = "meshcloak_page";

/// Shortest token, in bytes.
const MIN_TOKEN_LEN: usize = 16;

/// Refuses requests whose Host is a name other than `localhost` and `names`. A page of another site
/// whose name resolves to this machine has such a Host; an IP address cannot be rebound.
pub fn with_host_check(app: Router, names: &[String]) -> Router {
    app.layer(from_fn_with_state(Arc::<[String]>::from(names), check_host))
}

async fn check_host(State(names): State<Arc<[String]>>, request: Request, next: Next) -> Response {
    if is_own_host(request.headers(), &names) {
        return next.run(request).await;
    }
    let message = "unknown Host: use an IP address, localhost or a name of `server.hosts`\n";
    (StatusCode::MISDIRECTED_REQUEST, message).into_response()
}

/// Browsers always send a Host; probes without one are accepted.
fn is_own_host(headers: &HeaderMap, names: &[String]) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    hosts.all(|host| {
        let host = host.to_str().unwrap_or("");
        let name = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((name, _)) => name,
            None => host.split(':').next().unwrap_or(""),
        };
        let is_named = || names.iter().any(|known| known.eq_ignore_ascii_case(name));
        name.parse::<IpAddr>().is_ok() || name.eq_ignore_ascii_case("localhost") || is_named()
    })
}

/// Hash of the token of the page.
#[derive(Clone, Copy)]
pub struct PageToken(SecretHash);

/// Prints no hash.
impl std::fmt::Debug for PageToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PageToken(…)")
    }
}

impl PageToken {
    /// Reads the token from its file.
    pub fn read(path: &Path) -> Result<PageToken, KeyError> {
        let wrong = |problem: String| KeyError::File { path: path.to_owned(), problem };
        let text = fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        let token = text.trim();
        if token.len() < MIN_TOKEN_LEN {
            return Err(wrong(format!("a token has at least {MIN_TOKEN_LEN} characters")));
        }
        Ok(PageToken(hash_secret(token)))
    }

    /// Requires the token on all routes: as bearer token, or once as `/?token=TOKEN`, which sets a
    /// cookie for this browser.
    pub fn protect(self, app: Router) -> Router {
        app.layer(from_fn_with_state(self, check_token))
    }

    fn is_token(self, presented: &str) -> bool {
        self.0.ct_eq(&hash_secret(presented)).into()
    }

    /// Value of the cookie. It opens the page, but is not the token.
    fn cookie(self) -> String {
        hexadecimal(&hash_secret(&hexadecimal(&self.0)))
    }

    fn has_cookie(self, headers: &HeaderMap) -> bool {
        let expected = self.cookie();
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = cookies.flat_map(|text| text.split(';')).filter_map(|c| c.split_once('='));
        pairs.any(|(name, value)| {
            name.trim() == COOKIE_NAME
                && bool::from(value.trim().as_bytes().ct_eq(expected.as_bytes()))
        })
    }
}

async fn check_token(State(token): State<PageToken>, request: Request, next: Next) -> Response {
    let query = request.uri().query().unwrap_or("");
    let given = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "token");
    if let Some((_, given)) = given
        && token.is_token(&given)
    {
        let cookie = format!("{COOKIE_NAME}={}; Path=/; HttpOnly; SameSite=Strict", token.cookie());
        let path = request.uri().path().to_owned();
        return (StatusCode::SEE_OTHER, [(SET_COOKIE, cookie), (LOCATION, path)]).into_response();
    }
    let headers = request.headers();
    if bearer(headers).is_some_and(|given| token.is_token(given)) || token.has_cookie(headers) {
        return next.run(request).await;
    }
    let message = "the operator's page needs its token: open /?token=TOKEN once\n";
    (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")], message).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use axum::routing::get;
    use tower::ServiceExt as _;

    async fn send(app: &Router, path: &str, headers: &[(&str, &str)]) -> Response {
        let request = headers
            .iter()
            .fold(Request::get(path), |request, (name, value)| request.header(*name, *value));
        app.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap()
    }

    #[tokio::test]
    async fn only_addresses_and_configured_names_are_accepted_as_host() {
        let app = Router::new().route("/", get(|| async { "page" }));
        let app = with_host_check(app, &["gate.example".to_owned()]);
        for own in ["127.0.0.1:9464", "[::1]:9464", "10.1.2.3", "LOCALHOST:1", "gate.example:9464"]
        {
            assert_eq!(send(&app, "/", &[("host", own)]).await.status(), 200, "{own}");
        }
        for foreign in ["evil.example", "evil.example:9464", "localhost.evil.example", "", "[evil]"]
        {
            assert_eq!(send(&app, "/", &[("host", foreign)]).await.status(), 421, "{foreign}");
        }
        let both = [("host", "localhost"), ("host", "evil.example")];
        assert_eq!(send(&app, "/", &both).await.status(), 421);
    }

    #[tokio::test]
    async fn the_page_opens_with_its_token_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        fs::write(&path, "short\n").unwrap();
        assert!(PageToken::read(&path).is_err());
        fs::write(&path, "a-token-of-enough-length\n").unwrap();
        let app = Router::new().route("/", get(|| async { "page" }));
        let app = PageToken::read(&path).unwrap().protect(app);
        for headers in
            [&[][..], &[("authorization", "Bearer x")], &[("cookie", "meshcloak_page=1")]]
        {
            assert_eq!(send(&app, "/", headers).await.status(), 401);
        }
        assert_eq!(send(&app, "/?token=wrong", &[]).await.status(), 401);
        let bearer = [("authorization", "Bearer a-token-of-enough-length")];
        assert_eq!(send(&app, "/", &bearer).await.status(), 200);
        let opened = send(&app, "/?token=a-token-of-enough-length", &[]).await;
        assert_eq!(
            (opened.status(), &opened.headers()[LOCATION]),
            (StatusCode::SEE_OTHER, &"/".parse().unwrap())
        );
        let cookie = opened.headers()[SET_COOKIE].to_str().unwrap();
        assert!(cookie.contains("HttpOnly; SameSite=Strict") && !cookie.contains("a-token"));
        let cookie = cookie.split(';').next().unwrap();
        assert_eq!(send(&app, "/", &[("cookie", &format!("a=b; {cookie}"))]).await.status(), 200);
    }
}
