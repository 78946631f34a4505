//! Extractor of the user that a path names.

use super::profile::UserProfile;
use crate::access::KeyAccount;
use crate::accounts::Account;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::intake::check_name;
use crate::routes::refuse;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use axum::response::Response;
use meshcloak::private::Private;
use meshcloak::query::UserId;
use serde::Deserialize;
use std::sync::Arc;

/// The user that a path names within the account of the key. The request has passed the rate limit
/// of the account.
#[derive(Debug)]
pub(super) struct PathUser {
    pub account: Arc<Account>,
    pub name: Private<String>,
    pub user: UserId,
    /// Id of a token, in paths that name one.
    pub token: String,
}

#[derive(Deserialize)]
struct PathNames {
    person: String,
    #[serde(default)]
    id: String,
}

impl FromRequestParts<Arc<Gateway>> for PathUser {
    type Rejection = Response;

    async fn from_request_parts(
        parts: &mut Parts,
        gateway: &Arc<Gateway>,
    ) -> Result<PathUser, Response> {
        let KeyAccount(account) = KeyAccount::from_request_parts(parts, gateway).await?;
        let names = Path::<PathNames>::from_request_parts(parts, gateway).await;
        let names = names.map_err(|_| Refusal::Malformed("the path is not UTF-8".into()));
        let resolved = names.and_then(|Path(names)| PathUser::resolve(gateway, account, names));
        resolved.map_err(|refusal| refuse(gateway, &refusal))
    }
}

impl PathUser {
    fn resolve(
        gateway: &Gateway,
        account: Arc<Account>,
        PathNames { person, id }: PathNames,
    ) -> Result<PathUser, Refusal> {
        check_name(&person, "person")?;
        if !account.allow_query() {
            return Err(Refusal::Rate);
        }
        let user = gateway.user_ids().user(&account, &person);
        Ok(PathUser { account, name: Private::new(person), user, token: id })
    }

    /// Returns the user's profile.
    ///
    /// # Errors
    /// [`Refusal::NoSettings`] if there is none.
    pub fn profile(&self, gateway: &Gateway) -> Result<Arc<UserProfile>, Refusal> {
        gateway.users().find(self.user).ok_or(Refusal::NoSettings)
    }
}

/// Turns a refusal into its response.
pub(super) fn or_refuse(gateway: &Gateway, outcome: Result<Response, Refusal>) -> Response {
    outcome.unwrap_or_else(|refusal| refuse(gateway, &refusal))
}
