//! Tickets of an account: the routes of waiting queries, and the results of ended queries for a
//! limited time. Repeating a ticket returns the same result.

mod route;
#[cfg(test)]
mod tests;

pub use route::{ResultListener, Route};

use crate::city::CityId;
use crate::config::ResultsConfig;
use crate::outcome::{Finished, Outcome};
use meshcloak::private::Private;
use meshcloak::query::{QueryId, UserId};
use meshcloak::units::Time;
use parking_lot::{Mutex, MutexGuard};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Status of a ticket.
#[derive(Debug, PartialEq)]
pub enum TicketStatus {
    /// The ticket is not in use, or its result has been removed.
    Unknown,
    /// Its query waits.
    Waiting(QueryId),
    /// Its query has ended.
    Done(Finished),
    /// It belongs to a different query.
    Conflict,
}

/// What a ticket holds of an accepted query.
#[derive(Debug)]
pub struct AcceptedQuery {
    /// Number of the query.
    pub id: QueryId,
    /// Its user.
    pub user: Private<UserId>,
    /// Salted hash of the query.
    pub digest: u64,
}

#[derive(Debug)]
struct Ticket {
    /// Salted hash of the query.
    digest: u64,
    /// The user, whose queries in progress are counted.
    user: Private<UserId>,
    state: TicketState,
}

#[derive(Debug)]
enum TicketState {
    Waiting(QueryId, Vec<Route>),
    Done(Finished),
}

impl Ticket {
    fn status(&self) -> TicketStatus {
        match &self.state {
            TicketState::Waiting(id, _) => TicketStatus::Waiting(*id),
            TicketState::Done(finished) => TicketStatus::Done(finished.clone()),
        }
    }
}

/// Tickets of an account, behind a lock that is never held across an `await`.
#[derive(Debug, Default)]
pub struct Tickets {
    table: Mutex<TicketTable>,
}

/// Contents of [`Tickets`].
#[derive(Debug, Default)]
pub struct TicketTable {
    /// Clients choose tickets, so the hash must be keyed: collisions could be forced otherwise.
    tickets: Private<HashMap<Arc<str>, Ticket>>,
    /// Ended tickets and the time of their end, ascending by time.
    done: Private<VecDeque<(Time, Arc<str>)>>,
    waiting_count: usize,
    /// Queries in progress of each user.
    in_progress: Private<FxHashMap<UserId, UserQueries>>,
    /// Size of all kept results.
    bytes: usize,
}

/// Queries in progress of a user.
#[derive(Debug, Default)]
struct UserQueries {
    count: u32,
    /// Those that may wait in an engine.
    waiting: Vec<QueryId>,
}

/// Results removed under one lock.
const PURGE_CHUNK: usize = 256;

/// Whether the result of a waiting query has a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attendance {
    /// It has one.
    Attended,
    /// All receivers are gone, and the query is being cancelled.
    Abandoned,
}

/// Result of a purge step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purge {
    /// More results may have to be removed.
    Unfinished,
    /// All results are within the limits.
    Finished,
}

impl Tickets {
    /// Locks the tickets.
    pub fn lock(&self) -> MutexGuard<'_, TicketTable> {
        self.table.lock()
    }

    /// As [`Tickets::lock`]; `None` if they are locked.
    #[cfg(test)]
    pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, TicketTable>> {
        self.table.try_lock()
    }
}

impl TicketTable {
    /// Returns the status of a ticket for a query with this digest.
    pub fn status(&self, ticket: &str, digest: u64) -> TicketStatus {
        match self.tickets.expose().get(ticket) {
            None => TicketStatus::Unknown,
            Some(known) if known.digest != digest => TicketStatus::Conflict,
            Some(known) => known.status(),
        }
    }

    /// Returns the status of a ticket for any query. Never returns [`TicketStatus::Conflict`].
    pub fn find(&self, ticket: &str) -> TicketStatus {
        self.tickets.expose().get(ticket).map_or(TicketStatus::Unknown, Ticket::status)
    }

    /// Adds the ticket of an accepted query.
    pub fn insert(
        &mut self,
        ticket: Arc<str>,
        AcceptedQuery { id, user, digest }: AcceptedQuery,
        route: Route,
    ) {
        let state = TicketState::Waiting(id, vec![route]);
        self.waiting_count = self.waiting_count.saturating_add(1);
        let queries = self.in_progress.expose_mut().entry(*user.expose()).or_default();
        queries.count = queries.count.saturating_add(1);
        queries.waiting.push(id);
        self.tickets.expose_mut().insert(ticket, Ticket { digest, user, state });
    }

    /// Adds a route to a waiting ticket. Returns whether it had one.
    pub fn add_route(&mut self, ticket: &str, route: Route) -> Attendance {
        let known = self.tickets.expose_mut().get_mut(ticket);
        let Some(Ticket { state: TicketState::Waiting(_, routes), .. }) = known else {
            return Attendance::Attended;
        };
        let attendance =
            if routes.is_empty() { Attendance::Abandoned } else { Attendance::Attended };
        routes.push(route);
        attendance
    }

    /// Removes the routes of a waiting ticket if nothing receives its result any more, and returns
    /// its query, which is to be cancelled. Such a cancellation is not stored.
    pub fn abandon(&mut self, ticket: &str) -> Option<QueryId> {
        let known = self.tickets.expose_mut().get_mut(ticket)?;
        let TicketState::Waiting(id, routes) = &mut known.state else { return None };
        let is_gone = routes.iter().all(Route::is_gone);
        is_gone.then(|| {
            routes.clear();
            *id
        })
    }

    /// Number of waiting queries.
    pub fn waiting_count(&self) -> usize {
        self.waiting_count
    }

    /// Number of queries in progress of a user.
    pub fn in_progress(&self, user: UserId) -> u32 {
        self.in_progress.expose().get(&user).map_or(0, |queries| queries.count)
    }

    /// Queries of a user that may wait in an engine.
    pub fn waiting(&self, user: UserId) -> &[QueryId] {
        self.in_progress.expose().get(&user).map_or(&[], |queries| &queries.waiting)
    }

    /// Marks the queries of a user outside `city` as cancelled: they wait in no engine any more.
    pub fn forget_elsewhere(&mut self, user: UserId, city: CityId) {
        if let Some(queries) = self.in_progress.expose_mut().get_mut(&user) {
            queries.waiting.retain(|id| CityId::of(*id) == city);
        }
    }

    /// Stores the result of a waiting query and delivers it to all its routes. A refusal is not
    /// stored: the same ticket may be accepted later.
    pub fn finish(&mut self, ticket: &Arc<str>, finished: &Finished, now: Time) {
        let Some(known) = self.tickets.expose_mut().get_mut(ticket) else { return };
        if let TicketState::Waiting(id, routes) = &mut known.state {
            let (id, routes) = (*id, std::mem::take(routes));
            known.state = TicketState::Done(finished.clone());
            self.waiting_count = self.waiting_count.saturating_sub(1);
            if let Entry::Occupied(mut entry) =
                self.in_progress.expose_mut().entry(*known.user.expose())
            {
                let queries = entry.get_mut();
                queries.count = queries.count.saturating_sub(1);
                queries.waiting.retain(|waiting| *waiting != id);
                if queries.count == 0 {
                    entry.remove();
                }
            }
            self.bytes = self.bytes.saturating_add(finished.body.len());
            self.done.expose_mut().push_back((now, Arc::clone(ticket)));
            let is_kept = match finished.outcome {
                Outcome::Refused => false,
                Outcome::Cancelled => !routes.is_empty(),
                _ => true,
            };
            if !is_kept {
                self.remove_last(ticket, finished);
            }
            routes.into_iter().for_each(|route| route.deliver(ticket, finished));
        }
    }

    /// Removes the result that was stored last.
    fn remove_last(&mut self, ticket: &Arc<str>, finished: &Finished) {
        self.tickets.expose_mut().remove(ticket);
        self.done.expose_mut().pop_back();
        self.bytes = self.bytes.saturating_sub(finished.body.len());
    }

    /// Removes the oldest results while they are too old, too many or too large; at most
    /// `PURGE_CHUNK` of them.
    #[expect(clippy::arithmetic_side_effects, reason = "times saturate")]
    pub fn purge(&mut self, now: Time, limits: ResultsConfig) -> Purge {
        let (tickets, done) = (self.tickets.expose_mut(), self.done.expose_mut());
        for _ in 0..PURGE_CHUNK {
            let fits = done.len() <= limits.max_count && self.bytes <= limits.max_bytes;
            if done.front().is_none_or(|(at, _)| *at + limits.keep >= now && fits) {
                return Purge::Finished;
            }
            if let Some((_, ticket)) = done.pop_front()
                && let Entry::Occupied(entry) = tickets.entry(ticket)
                && let TicketState::Done(finished) = &entry.get().state
            {
                self.bytes = self.bytes.saturating_sub(finished.body.len());
                entry.remove();
            }
        }
        Purge::Unfinished
    }
}
