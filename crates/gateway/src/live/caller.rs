//! Somebody who has said hello: she begins a session, or goes on with one.

use super::messages::{Begin, FromClient, HelloMessage, welcome};
use super::session::Session;
use super::standing::Standing;
use crate::accounts::Account;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::intake::check_name;
use std::sync::Arc;

/// Somebody who has said hello.
pub(super) struct Caller {
    pub gateway: Arc<Gateway>,
    pub account: Arc<Account>,
    pub session: Arc<Session>,
    pub carrier: u64,
    pub welcome: String,
}

impl Caller {
    /// Begins a session, or goes on with one.
    pub fn greet(
        gateway: &Arc<Gateway>,
        account: &Arc<Account>,
        text: &str,
    ) -> Result<Caller, Refusal> {
        let hello = match serde_json::from_str(text) {
            Ok(FromClient::Hello(hello)) => hello,
            Ok(_) => return Err(Refusal::Malformed("the first message is hello".into())),
            Err(error) => return Err(Refusal::Malformed(error.to_string())),
        };
        let HelloMessage { person, resume, after, ask } = hello;
        check_name(&person, "person")?;
        let sessions = gateway.sessions();
        let known = resume.and_then(|ticket| {
            let session = sessions.find(&ticket, account.name(), &person)?;
            Some((ticket, session))
        });
        let (ticket, session, begin) = match known {
            Some((ticket, session)) => {
                let standing = session.lock().standing.with(ask);
                standing.check(gateway, account)?;
                session.lock().standing = standing;
                (ticket, session, Begin::Again)
            }
            None => {
                let standing = Standing::begin(gateway, account, &person, ask)?;
                let whose = (account.name().into(), person.as_str().into());
                let session = Arc::new(Session::new(whose, standing));
                let ticket = sessions.keep(&session).ok_or(Refusal::Busy)?;
                (ticket, session, Begin::Anew)
            }
        };
        let (carrier, seq) = session.carry(after);
        let welcome = welcome(&ticket, begin, seq);
        let (gateway, account) = (Arc::clone(gateway), Arc::clone(account));
        Ok(Caller { gateway, account, session, carrier, welcome })
    }
}
