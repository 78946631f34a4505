//! Users after a start under `history`, and the record of those served.

use super::Gateway;
use crate::error::Refusal;
#[cfg(test)]
use crate::served_users::ServedUsers;
use meshcloak::query::UserId;
use meshcloak::units::Time;

impl Gateway {
    /// Refuses a user that an earlier process has served, for one horizon after a start under
    /// `history`.
    pub fn admit_after_start(&self, user: UserId) -> Result<(), Refusal> {
        let served = self.served_users.as_ref();
        served.map_or(Ok(()), |served| served.admit(user, self.clock.now()))
    }

    /// Record of served users.
    #[cfg(test)]
    pub(crate) fn served_users(&self) -> &ServedUsers {
        self.served_users.as_ref().unwrap()
    }

    /// Makes the users of a batch durable. Returns false if nothing of the batch may be published.
    pub fn record_users(&self, users: impl Iterator<Item = UserId>, at: Time) -> bool {
        let Some(served) = &self.served_users else { return true };
        let recorded = served.record(users, at);
        if let Err(error) = &recorded {
            tracing::error!(%error, "cannot write engine.record: all queries of the batch fail");
        }
        recorded.is_ok()
    }
}
