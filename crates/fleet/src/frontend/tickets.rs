//! Tickets of clients that come back to another frontend: the frontend that holds the query is
//! asked for its result.

use super::running::Frontend;
use crate::message::{Fetch, Fetched, ToFrontend, encode, frontend_subject};
use gateway::accounts::Account;
use gateway::answers::finish_with;
use gateway::city::City;
use gateway::mailbox::{Client, Pending};
use gateway::outcome::{Finished, Outcome};
use gateway::tickets::{Route, TicketStatus};
use meshcloak::private::Private;
use meshcloak::units::Time;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// Tickets of this frontend's queries by their hash, and queries whose tickets are elsewhere.
#[derive(Default)]
pub struct TicketExchange {
    held: FxHashMap<u64, (Arc<Account>, Private<Arc<str>>)>,
    /// Hashes with the time at which they are forgotten, ascending.
    expiry: VecDeque<(Time, u64)>,
    fetching: FxHashMap<u64, (Pending, Arc<City>)>,
}

impl TicketExchange {
    /// Remembers the ticket of a query that was sent, until `until`.
    pub fn hold(&mut self, hash: u64, client: &Client, until: Time) {
        let ticket = Private::new(Arc::clone(client.ticket.expose()));
        self.held.insert(hash, (Arc::clone(&client.account), ticket));
        self.expiry.push_back((until, hash));
    }

    /// Forgets old tickets, and returns the queries whose results have not come in time.
    pub fn sweep(&mut self, now: Time, grace: Duration) -> Vec<(Pending, Arc<City>)> {
        while self.expiry.front().is_some_and(|(until, _)| *until < now) {
            if let Some((_, hash)) = self.expiry.pop_front() {
                self.held.remove(&hash);
            }
        }
        let late = |(pending, _): &(Pending, _)| pending.deadline + grace < now;
        let numbers: Vec<u64> = self
            .fetching
            .iter()
            .filter(|(_, entry)| late(entry))
            .map(|(number, _)| *number)
            .collect();
        numbers.iter().filter_map(|number| self.fetching.remove(number)).collect()
    }
}

impl Frontend {
    /// Asks another frontend for the result of a query.
    pub(super) async fn fetch(&self, city: &Arc<City>, pending: Pending, holder: u64) {
        let ticket = super::digests::ticket(self.gateway.user_ids(), &pending.origin);
        let number = pending.id.0;
        self.exchange.lock().fetching.insert(number, (pending, Arc::clone(city)));
        let fetch = Fetch { from: self.id.0, number, ticket };
        self.publish(frontend_subject(holder), encode(&ToFrontend::Fetch(fetch))).await;
    }

    /// Answers another frontend, at once or when the query ends.
    pub(super) async fn answer_fetch(self: &Arc<Self>, fetch: Fetch) {
        let Fetch { from, number, ticket } = fetch;
        let held = self
            .exchange
            .lock()
            .held
            .get(&ticket)
            .map(|(account, ticket)| (Arc::clone(account), Arc::clone(ticket.expose())));
        let Some((account, ticket)) = held else {
            return self.send_fetched(from, Fetched { number, result: None }).await;
        };
        let (sender, receiver) = oneshot::channel();
        {
            let mut tickets = account.tickets().lock();
            match tickets.find(&ticket) {
                TicketStatus::Done(finished) => drop(sender.send(finished)),
                TicketStatus::Waiting(_) => {
                    tickets.add_route(&ticket, Route::One(sender));
                }
                TicketStatus::Unknown | TicketStatus::Conflict => drop(sender),
            }
        }
        let frontend = Arc::clone(self);
        tokio::spawn(async move {
            let code = |outcome| Outcome::ALL.iter().position(|other| *other == outcome);
            let result = receiver
                .await
                .ok()
                .and_then(|Finished { outcome, body }| Some((code(outcome)? as u8, body.to_vec())));
            frontend.send_fetched(from, Fetched { number, result }).await;
        });
    }

    async fn send_fetched(&self, to: u64, fetched: Fetched) {
        self.publish(frontend_subject(to), encode(&ToFrontend::Fetched(fetched))).await;
    }

    /// Tells the user the result that another frontend held.
    pub(super) fn take_fetched(&self, fetched: Fetched) {
        let entry = self.exchange.lock().fetching.remove(&fetched.number);
        let Some((pending, _)) = entry else { return };
        let finished = fetched.result.and_then(|(code, body)| {
            let outcome = *Outcome::ALL.get(usize::from(code))?;
            Some(Finished { outcome, body: body.into() })
        });
        finish_with(&self.gateway, pending, finished);
    }
}
