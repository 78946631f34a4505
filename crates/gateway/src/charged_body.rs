//! Response with a result whose bytes are charged to its account until the client has read them.

use crate::accounts::Account;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::routes::JSON;
use crate::unread_bytes::Charge;
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Bytes up to which a result is not charged: it is smaller than the connection itself, and an outcome
/// without an answer can always be told.
const FREE_BYTES: usize = 1 << 10;

/// Builds a response with a JSON result.
///
/// # Errors
/// [`Refusal::Unread`] if the account has too many unread bytes. The result stays where it is stored.
pub(crate) fn respond(
    gateway: &Gateway,
    account: &Account,
    status: StatusCode,
    bytes: Bytes,
) -> Result<Response, Refusal> {
    let body = if bytes.len() <= FREE_BYTES {
        Body::from(bytes)
    } else {
        let share = account.unread_share(gateway.metrics().unread());
        let charge = share.charge(bytes.len()).ok_or(Refusal::Unread)?;
        Body::new(ChargedBody { bytes, _charge: charge })
    };
    Ok((status, [(CONTENT_TYPE, JSON)], body).into_response())
}

/// Body of one frame. The connection asks for the next frame, or drops the body, when it has written
/// the first except for what fits into its buffer.
struct ChargedBody {
    bytes: Bytes,
    _charge: Charge,
}

impl hyper::body::Body for ChargedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let bytes = std::mem::take(&mut self.bytes);
        Poll::Ready((!bytes.is_empty()).then(|| Ok(Frame::data(bytes))))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.len() as u64)
    }
}
