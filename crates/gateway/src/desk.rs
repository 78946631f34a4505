//! The desk: accepts queries that have passed the door, all those of a request under one lock,
//! and takes them back.

use crate::accounts::Account;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::intake::Ask;
use crate::mailbox::{Arrival, Flap, Pending};
use crate::outcome::Finished;
use crate::tickets::{Known, Route};
use meshcloak::guarantee::{Admission, AdmissionError};
use meshcloak::query::{Query, QueryId};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What became of a query at the desk.
#[derive(Debug, PartialEq)]
pub enum Verdict {
    /// It waits; the route will be told.
    Waits,
    /// It was asked before and has ended.
    Ended(Finished),
    /// It is refused.
    Refused(Refusal),
}

impl Gateway {
    /// Submits queries in order; `route` says where the result of each goes, and `verdict` hears
    /// at once what became of it.
    pub fn submit(
        &self,
        account: &Arc<Account>,
        asks: impl IntoIterator<Item = Ask>,
        mut route: impl FnMut() -> Route,
        mut verdict: impl FnMut(&str, Verdict),
    ) {
        let mut accepted = 0;
        let mut table = account.tickets().lock();
        let mut door = self.mailbox().slot();
        for ask in asks {
            let ticket = Arc::clone(&ask.ticket);
            let heard = match table.look(&ticket, ask.digest) {
                Known::Taken => Verdict::Refused(Refusal::TicketTaken),
                Known::Done(finished) => Verdict::Ended(finished),
                Known::Waiting(_) => {
                    table.join(&ticket, route());
                    Verdict::Waits
                }
                Known::No => {
                    let digest = ask.digest;
                    match self.put(&mut door, account, table.waiting(), ask) {
                        Ok(id) => {
                            table.begin(Arc::clone(&ticket), digest, id, route());
                            accepted += 1;
                            Verdict::Waits
                        }
                        Err(refusal) => Verdict::Refused(refusal),
                    }
                }
            };
            verdict(&ticket, heard);
        }
        self.metrics().accepted(accepted);
    }

    /// Puts a query into the mailbox, unless too much is under way or `history` cannot protect it.
    fn put(
        &self,
        door: &mut Option<Admission>,
        account: &Arc<Account>,
        waiting: usize,
        ask: Ask,
    ) -> Result<QueryId, Refusal> {
        let is_shut = || self.mailbox().lock().flap() == Flap::Shut;
        if is_shut() {
            return Err(Refusal::Stopping);
        }
        let most = self.config().engine.queue;
        // Nobody gets the last quarter alone, so that a flood leaves room for the others.
        let share = most - most / 4;
        if self.under_way().load(Ordering::Relaxed) >= most || waiting >= share {
            return Err(Refusal::Busy);
        }
        let query = Query {
            id: QueryId(0),
            user: ask.user,
            asked_at: self.clock().now(),
            position: ask.position,
            k: ask.k,
            temporal_tolerance: ask.dt,
            distance_constraint: ask.dc,
            speed: ask.speed,
        };
        let previous = match door {
            Some(door) => door.admit(self.atlas(), &query).map_err(|refusal| match refusal {
                AdmissionError::Speed => Refusal::Speed,
                AdmissionError::FasterThanDeclared => Refusal::FasterThanDeclared,
            })?,
            None => None,
        };
        let account = Arc::clone(account);
        let pending = Pending { account, ticket: ask.ticket, wish: ask.wish };
        let mut mailbox = self.mailbox().lock();
        // It may have been shut meanwhile: whatever is in it by then is in the last batch.
        if mailbox.flap() == Flap::Shut {
            return Err(Refusal::Stopping);
        }
        self.under_way().fetch_add(1, Ordering::Relaxed);
        Ok(mailbox.put(Arrival { query, pending, previous }))
    }

    /// Takes a query back. `route` is told how it ended, which may be otherwise: it may be too
    /// late. `None` if no such ticket is known.
    pub fn cancel(&self, account: &Account, ticket: &str, route: Route) -> Option<Verdict> {
        let mut table = account.tickets().lock();
        match table.find(ticket) {
            Known::No | Known::Taken => None,
            Known::Done(finished) => Some(Verdict::Ended(finished)),
            Known::Waiting(id) => {
                table.join(ticket, route);
                self.mailbox().lock().cancel(id);
                Some(Verdict::Waits)
            }
        }
    }

    /// Queries have ended: their people are told, and tickets keep the results for a while. Those of
    /// one account go under one lock.
    pub fn finish_all(&self, ended: &mut Vec<(Pending, Finished)>) {
        self.under_way().fetch_sub(ended.len(), Ordering::Relaxed);
        let now = self.clock().now();
        for run in ended.chunk_by(|a, b| Arc::ptr_eq(&a.0.account, &b.0.account)) {
            let mut table = run[0].0.account.tickets().lock();
            for (pending, finished) in run {
                table.finish(&pending.ticket, finished, now);
            }
        }
        ended.clear();
    }
}
