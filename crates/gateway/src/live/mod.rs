//! Continuous queries of one user on a WebSocket: positions in, results out, with one standing
//! query that can be changed at any time.
//!
//! ```text
//! client ⇄ socket (Connection) ⇄ Session ← engine (SessionListener)
//!           one per WebSocket     survives a disconnect, resumed by its ticket
//! ```
//!
//! `messages` holds the JSON of both directions, `standing` the k, dt and question of a session.

mod connection;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzzing;
mod message_buffer;
mod messages;
mod session;
mod sessions;
mod socket;
mod standing;

pub use messages::{AskMessage, HelloMessage, PositionMessage};
pub use sessions::Sessions;

use crate::access::KeyAccess;
use crate::api::RefusalBody;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::routes::refuse;
use crate::server::MAX_BODY_BYTES;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::Response;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;

/// Longest message to a client: the largest value of `limits.answer_kb`, and its envelope. A longer
/// one would end the connection.
const MAX_MESSAGE_BYTES: usize = (16 << 20) + (64 << 10);

/// Subprotocol of clients that send their key as another one.
const PROTOCOL: &str = "meshcloak";

/// Route of WebSockets.
pub fn routes() -> OpenApiRouter<Arc<Gateway>> {
    OpenApiRouter::new().routes(utoipa_axum::routes!(live))
}

/// Upgrades to a WebSocket. Each text message is one JSON object. The client sends `hello` first,
/// then `position` and `ask`; the gateway sends `welcome`, `result`, `refused`, `skipped` and
/// `error`. See docs/CONNECT.md.
#[utoipa::path(
    get,
    path = "/v1/live",
    responses(
        (status = 101, description = "Upgraded to a WebSocket"),
        (status = 400, description = "Not a WebSocket request", body = RefusalBody<'static>),
        (status = 401, description = "Missing or unknown API key", body = RefusalBody<'static>),
        (status = 429, description = "The account has too many open connections",
         body = RefusalBody<'static>),
        (status = 503, description = "Too many connections, or the gateway is stopping",
         body = RefusalBody<'static>),
    ),
    security(("key" = []), ())
)]
async fn live(
    State(gateway): State<Arc<Gateway>>,
    KeyAccess(access): KeyAccess,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(error) => return refuse(&gateway, &Refusal::Malformed(error.body_text())),
    };
    if *gateway.stopping().borrow() {
        return refuse(&gateway, &Refusal::Stopping);
    }
    let Some(connection) = access.account.connect() else {
        return refuse(&gateway, &Refusal::Connections);
    };
    let Some(slot) = sessions::ConnectionSlot::acquire(&gateway) else {
        return refuse(&gateway, &Refusal::Busy);
    };
    upgrade
        .protocols([PROTOCOL])
        .max_message_size(MAX_BODY_BYTES)
        .max_frame_size(MAX_BODY_BYTES)
        .write_buffer_size(0)
        .max_write_buffer_size(MAX_MESSAGE_BYTES)
        .on_upgrade(move |socket| async move {
            socket::run(gateway, access, socket).await;
            drop((slot, connection));
        })
}
