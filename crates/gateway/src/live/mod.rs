//! One person's continuous queries on a WebSocket: positions in, answers out, under one standing
//! question that can be changed at any time.
//!
//! What is said is in `messages`, how somebody asks in `standing`; what outlives a connection is a
//! `session`; a `socket` carries one for its `caller`.

mod caller;
mod messages;
mod session;
mod sessions;
mod socket;
mod standing;

pub use messages::{AskMessage, HelloMessage, PositionMessage};
pub use sessions::Sessions;

use crate::api::RefusalBody;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::routes::{KeyAccount, refuse};
use crate::server::MAX_BODY_BYTES;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::Response;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;

/// The route of sockets.
pub fn routes() -> OpenApiRouter<Arc<Gateway>> {
    OpenApiRouter::new().routes(utoipa_axum::routes!(live))
}

/// Becomes a WebSocket. Text messages, one JSON object each: `hello` first, then `position` and
/// `ask`; `welcome`, `result`, `refused`, `skipped` and `error` come back. See docs/CONNECT.md.
#[utoipa::path(
    get,
    path = "/v1/live",
    responses(
        (status = 101, description = "It is a WebSocket from here on"),
        (status = 400, description = "It does not ask for a WebSocket", body = RefusalBody<'static>),
        (status = 401, description = "No known key", body = RefusalBody<'static>),
        (status = 503, description = "Too many are open, or the gateway is stopping",
         body = RefusalBody<'static>),
    ),
    security(("key" = []), ())
)]
async fn live(
    State(gateway): State<Arc<Gateway>>,
    KeyAccount(account): KeyAccount,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(wrong) => return refuse(&gateway, &Refusal::Malformed(wrong.body_text())),
    };
    if *gateway.stopping().borrow() {
        return refuse(&gateway, &Refusal::Stopping);
    }
    let Some(seat) = sessions::Seat::take(&gateway) else {
        return refuse(&gateway, &Refusal::Busy);
    };
    upgrade
        .max_message_size(MAX_BODY_BYTES)
        .max_frame_size(MAX_BODY_BYTES)
        .write_buffer_size(0)
        .max_write_buffer_size(256 << 10)
        .on_upgrade(move |socket| async move {
            socket::converse(gateway, account, socket).await;
            drop(seat);
        })
}
