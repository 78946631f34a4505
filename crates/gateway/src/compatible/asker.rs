//! The user of a request, by a token in the path, in a header or in a parameter.

use super::problem::Problem;
use crate::access::bearer;
use crate::accounts::Account;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::trackers::Tracker;
use crate::users::UserProfile;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use std::convert::Infallible;
use std::sync::Arc;

/// Names the motion of a user that is estimated from these requests.
const DEVICE: &str = "compatible";

/// The user of a request. Has no `Debug`: it holds the token.
pub(crate) struct Asker {
    pub account: Arc<Account>,
    pub user: Arc<UserProfile>,
    token: String,
}

impl Asker {
    /// Finds the user of a token.
    ///
    /// # Errors
    /// [`Refusal::Key`] if the token or its account does not exist.
    pub fn authenticate(gateway: &Gateway, token: &str) -> Result<Asker, Refusal> {
        let user = gateway.users().find_by_token(token).ok_or(Refusal::Key)?;
        let account = gateway.directory().named(&user.account).cloned().ok_or(Refusal::Key)?;
        Ok(Asker { account, user, token: token.to_owned() })
    }

    /// Checks that the token was not revoked while the request waited.
    pub fn check_again(&self, gateway: &Gateway) -> Result<(), Refusal> {
        Asker::authenticate(gateway, &self.token).map(drop).map_err(|_| Refusal::Revoked)
    }

    /// The tracker whose motion is estimated.
    pub fn tracker(&self) -> Tracker<'_> {
        Tracker { account: &self.account, user: &self.user, device: DEVICE }
    }

    /// Builds the problem of a request that cannot be answered.
    pub(super) fn unsupported(&self, sentence: impl Into<String>) -> Problem {
        self.refused(Refusal::Question(sentence.into()))
    }

    /// Builds the problem of a refused request. It counts against the rate limit of the account.
    pub(super) fn refused(&self, refusal: Refusal) -> Problem {
        Problem::from(if self.account.allow_query() { refusal } else { Refusal::Rate })
    }
}

/// Extractor: the token of the path, else that of the header `Authorization`. Never rejects.
pub(crate) struct PresentedToken(Option<String>);

impl FromRequestParts<Arc<Gateway>> for PresentedToken {
    type Rejection = Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        gateway: &Arc<Gateway>,
    ) -> Result<PresentedToken, Infallible> {
        let in_path = RawPathParams::from_request_parts(parts, gateway).await.ok();
        let in_path = in_path.and_then(|parameters| {
            let mut all = parameters.iter();
            all.find(|(name, _)| *name == "token").map(|(_, token)| token.to_owned())
        });
        let token = in_path.or_else(|| bearer(&parts.headers).map(str::to_owned));
        Ok(PresentedToken(token))
    }
}

impl PresentedToken {
    /// Finds the user; `other` is the token at the place that the API itself has for keys.
    pub fn asker(self, gateway: &Gateway, other: Option<&str>) -> Result<Asker, Refusal> {
        let token = self.0.as_deref().or(other).ok_or(Refusal::Key)?;
        Asker::authenticate(gateway, token)
    }
}
