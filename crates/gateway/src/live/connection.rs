//! A connection after its `hello`: it starts a session or resumes one.

use super::messages::{ClientMessage, HelloMessage, SessionStart, welcome};
use super::session::{Attached, Session, SessionOwner};
use super::standing::StandingQuery;
use crate::accounts::Account;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::intake::check_name;
use crate::json_error::json_error;
use std::sync::Arc;

/// A connection that serves a session.
pub(super) struct Connection {
    pub gateway: Arc<Gateway>,
    pub account: Arc<Account>,
    pub session: Arc<Session>,
    /// Number of this connection within the session.
    pub number: u64,
    pub welcome: String,
}

impl Connection {
    /// Starts or resumes a session from the first message.
    pub fn open(
        gateway: &Arc<Gateway>,
        account: &Arc<Account>,
        text: &str,
    ) -> Result<Connection, Refusal> {
        let hello = match serde_json::from_str(text) {
            Ok(ClientMessage::Hello(hello)) => hello,
            Ok(_) => return Err(Refusal::Malformed("the first message must be `hello`".into())),
            Err(error) => return Err(Refusal::Malformed(json_error(&error))),
        };
        let HelloMessage { person, resume, after, ask } = hello;
        check_name(&person, "person")?;
        let owner = SessionOwner::new(account.name(), &person);
        let sessions = gateway.sessions();
        let known = resume.and_then(|ticket| {
            let session = sessions.find(&ticket, &owner)?;
            Some((ticket, session))
        });
        let (ticket, session, start) = match known {
            Some((ticket, session)) => {
                let standing = session.lock().standing.with(ask);
                standing.check(gateway, account)?;
                session.lock().standing = standing;
                (ticket, session, SessionStart::Resumed)
            }
            None => {
                let standing = StandingQuery::new(gateway, account, &person, ask)?;
                let unread = account.unread_share(gateway.metrics().unread());
                let session = Arc::new(Session::new(owner, standing, unread));
                let max = account.limits().connections.saturating_mul(2);
                let ticket = sessions.insert(&session, max).ok_or(Refusal::Busy)?;
                (ticket, session, SessionStart::New)
            }
        };
        let Attached { number, sent } = session.attach(after);
        let welcome = welcome(&ticket, start, sent);
        let (gateway, account) = (Arc::clone(gateway), Arc::clone(account));
        Ok(Connection { gateway, account, session, number, welcome })
    }
}
