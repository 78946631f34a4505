//! Extractors that authenticate a request by its API key.

use crate::accounts::{Access, Account};
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::routes::refuse;
use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, SEC_WEBSOCKET_PROTOCOL, UPGRADE};
use axum::http::request::Parts;
use axum::response::Response;
use std::sync::Arc;

/// Extractor: the account of a request, by its key.
pub struct KeyAccount(pub(crate) Arc<Account>);

impl FromRequestParts<Arc<Gateway>> for KeyAccount {
    type Rejection = Response;

    async fn from_request_parts(
        parts: &mut Parts,
        gateway: &Arc<Gateway>,
    ) -> Result<KeyAccount, Response> {
        let secret = bearer(&parts.headers);
        let directory = gateway.directory();
        let account = directory.account(secret).ok_or_else(|| refuse(gateway, &Refusal::Key))?;
        Ok(KeyAccount(Arc::clone(account)))
    }
}

/// Extractor: the account of a request and the revocation of its key. For connections that outlive
/// a request.
pub struct KeyAccess(pub(crate) Access);

impl FromRequestParts<Arc<Gateway>> for KeyAccess {
    type Rejection = Response;

    async fn from_request_parts(
        parts: &mut Parts,
        gateway: &Arc<Gateway>,
    ) -> Result<KeyAccess, Response> {
        let secret = bearer(&parts.headers).or_else(|| socket_key(&parts.headers));
        let access = gateway.directory().access(secret);
        access.map(KeyAccess).ok_or_else(|| refuse(gateway, &Refusal::Key))
    }
}

/// Prefix of the subprotocol that holds a key.
const KEY_PROTOCOL: &str = "key.";

/// Returns the key among the subprotocols of a WebSocket: browsers cannot set other headers.
fn socket_key(headers: &HeaderMap) -> Option<&str> {
    headers.get(UPGRADE).filter(|upgrade| upgrade.as_bytes().eq_ignore_ascii_case(b"websocket"))?;
    let protocols = headers.get(SEC_WEBSOCKET_PROTOCOL)?.to_str().ok()?;
    protocols.split(',').find_map(|protocol| protocol.trim().strip_prefix(KEY_PROTOCOL))
}

/// Returns the bearer token of a request.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let text = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, secret) = text.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(secret.trim())
}
