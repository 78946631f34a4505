//! The standing query of a session: k, dt and question, checked against the account's limits.

use super::messages::AskMessage;
use crate::accounts::Account;
use crate::api::QuestionBody;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::intake::{self, seconds};
use std::sync::Arc;

/// Values shared by all queries of a session.
#[derive(Clone, Debug)]
pub(super) struct StandingQuery {
    pub k: u64,
    pub dt: f64,
    pub question: Option<QuestionBody>,
}

impl StandingQuery {
    /// Combines the message with the user's settings; the message takes precedence.
    pub fn new(
        gateway: &Gateway,
        account: &Account,
        name: &str,
        ask: AskMessage,
    ) -> Result<StandingQuery, Refusal> {
        let user = gateway.user_ids().user(account, name);
        let settings = gateway.users().find(user).map(|profile| Arc::clone(&profile.settings));
        let standing = match (settings, ask.k, ask.dt) {
            (Some(settings), ..) => {
                let body = &settings.body;
                StandingQuery { k: body.k, dt: body.dt, question: body.question.clone() }.with(ask)
            }
            (None, Some(k), Some(dt)) => StandingQuery { k, dt, question: None }.with(ask),
            (None, ..) => {
                return Err(Refusal::Malformed(
                    "`k` and `dt` are required: this user has no settings".into(),
                ));
            }
        };
        standing.check(gateway, account)?;
        Ok(standing)
    }

    /// Returns a copy with the values of the message.
    pub fn with(&self, ask: AskMessage) -> StandingQuery {
        StandingQuery {
            k: ask.k.unwrap_or(self.k),
            dt: ask.dt.unwrap_or(self.dt),
            question: ask.question.unwrap_or_else(|| self.question.clone()),
        }
    }

    /// Checks the values against the limits of the account.
    pub fn check(&self, gateway: &Gateway, account: &Account) -> Result<(), Refusal> {
        let limits = account.limits();
        let min = if self.question.is_some() { 2 } else { 1 };
        if !(min..=u64::from(limits.k_max)).contains(&self.k) {
            return Err(Refusal::K(limits.k_max));
        }
        if seconds(self.dt).is_none_or(|dt| dt > limits.dt_max) {
            return Err(Refusal::Dt(limits.dt_max));
        }
        self.question
            .as_ref()
            .map_or(Ok(()), |question| intake::question(gateway, question).map(drop))
    }
}
