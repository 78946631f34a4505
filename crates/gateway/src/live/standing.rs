//! How somebody asks on a socket: among how many, how long, what; and whether she may.

use super::messages::AskMessage;
use crate::accounts::Account;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::intake::{self, seconds};
use crate::people::StandingQuestion;
use std::sync::Arc;

/// How somebody asks.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    pub k: u64,
    pub dt: f64,
    pub question: Option<StandingQuestion>,
}

impl Standing {
    /// As somebody says who begins, else as in her settings.
    pub fn begin(
        gateway: &Gateway,
        account: &Account,
        person: &str,
        ask: AskMessage,
    ) -> Result<Standing, Refusal> {
        let user = gateway.user_ids().user(account, person);
        let settings = gateway.people().find(user).map(|person| Arc::clone(&person.settings));
        let standing = match (settings, ask.k, ask.dt) {
            (Some(settings), ..) => {
                let body = &settings.body;
                Standing { k: body.k, dt: body.dt, question: body.question.clone() }.with(ask)
            }
            (None, Some(k), Some(dt)) => Standing { k, dt, question: None }.with(ask),
            (None, ..) => {
                return Err(Refusal::Malformed(
                    "k and dt are needed: this person has no settings".into(),
                ));
            }
        };
        standing.check(gateway, account)?;
        Ok(standing)
    }

    /// The same with what is asked for now.
    pub fn with(&self, ask: AskMessage) -> Standing {
        Standing {
            k: ask.k.unwrap_or(self.k),
            dt: ask.dt.unwrap_or(self.dt),
            question: ask.question.unwrap_or_else(|| self.question.clone()),
        }
    }

    /// Whether somebody of that account may ask so.
    pub fn check(&self, gateway: &Gateway, account: &Account) -> Result<(), Refusal> {
        let limits = account.limits();
        if !(2..=u64::from(limits.k_max)).contains(&self.k) {
            return Err(Refusal::K(limits.k_max));
        }
        if seconds(self.dt).is_none_or(|dt| dt > limits.dt_max) {
            return Err(Refusal::Dt(limits.dt_max));
        }
        self.question
            .as_ref()
            .map_or(Ok(()), |question| intake::question(gateway, &question.body()).map(drop))
    }
}
