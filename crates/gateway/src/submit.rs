//! Submission of validated queries, cancellation, and delivery of results.

mod acceptance;
mod cancellation;
#[cfg(test)]
mod tests;
mod together;

pub use cancellation::{cancel, cancel_abandoned};
pub(crate) use together::submit_together;

use crate::accounts::Account;
use crate::city::{City, CityId};
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::intake::CheckedQuery;
use crate::mailbox::Pending;
use crate::outcome::Finished;
use crate::tickets::{Attendance, Route, TicketStatus, TicketTable};
use meshcloak::distance::Atlas;
use meshcloak::guarantee::{Admission, AdmissionError, Admitted, Guarantee, check_travel};
use meshcloak::history::PastPosition;
use meshcloak::query::{Query, QueryBuilder};
use meshcloak::units::Time;
use parking_lot::MutexGuard;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Result of a submission.
#[derive(Debug, PartialEq)]
pub enum Submission {
    /// The query waits; the result goes to its route.
    Waiting,
    /// The ticket was submitted before and its query has ended.
    Ended(Finished),
    /// The query was not accepted.
    Refused(Refusal),
}

/// Submits queries of one account in order, under one lock of its tickets; under `history` under
/// one lock for each query, because its distances are searched without a lock.
///
/// `route` returns the destination of the next result. `on_submission` is called once per query
/// with its ticket.
pub fn submit(
    gateway: &Gateway,
    account: &Arc<Account>,
    queries: impl IntoIterator<Item = CheckedQuery>,
    route: impl FnMut() -> Route,
    on_submission: impl FnMut(&Arc<str>, Submission),
) {
    submit_with(gateway, account, queries, check_travel, (route, on_submission));
}

/// As [`submit`], with a given check of the distance travelled.
fn submit_with(
    gateway: &Gateway,
    account: &Arc<Account>,
    queries: impl IntoIterator<Item = CheckedQuery>,
    check: impl Fn(&Atlas, &Query, Option<PastPosition>) -> Result<Admitted, AdmissionError>,
    (mut route, mut on_submission): (impl FnMut() -> Route, impl FnMut(&Arc<str>, Submission)),
) {
    if gateway.guarantee() != Guarantee::History {
        let mut open: Option<Desk<'_>> = None;
        for query in queries {
            let city = gateway.cities().get(query.city);
            let desk = open.get_or_insert_with(|| Desk::lock(gateway, account, city));
            desk.enter(city);
            let ticket = Arc::clone(query.ticket.expose());
            on_submission(&ticket, desk.submit(query, Ok(None), &mut route));
        }
        return;
    }
    for query in queries {
        let ticket = Arc::clone(query.ticket.expose());
        let submission = match check_and_lock(gateway, account, &query, &check) {
            Some((mut desk, travel)) => desk.submit(query, travel, &mut route),
            None => Submission::Refused(Refusal::Busy),
        };
        on_submission(&ticket, submission);
    }
}

/// Result of the admission check of `history`; `None` under another guarantee.
type Travel = Result<Option<Admitted>, AdmissionError>;

/// Attempts to check a query whose user submits others at the same time.
const MAX_ATTEMPTS: usize = 3;

/// Checks that the user can have come from the previous position, without a lock, then locks
/// submission. Checks again if another query of the user was accepted in between.
fn check_and_lock<'a>(
    gateway: &'a Gateway,
    account: &'a Arc<Account>,
    checked: &CheckedQuery,
    check: impl Fn(&Atlas, &Query, Option<PastPosition>) -> Result<Admitted, AdmissionError>,
) -> Option<(Desk<'a>, Travel)> {
    let (user, city) = (*checked.user.expose(), gateway.cities().get(checked.city));
    let last = |admission: &mut Option<Admission>| {
        admission.as_mut().and_then(|admission| admission.previous(user, gateway.clock().now()))
    };
    for _ in 0..MAX_ATTEMPTS {
        let previous = last(&mut city.mailbox().admission());
        // The query is dated when it is accepted: later, so that the user can have come farther.
        let query = builder(checked, gateway.clock().now()).build_unchecked();
        let travel = check(city.atlas(), &query, previous).map(Some);
        let mut desk = Desk::lock(gateway, account, city);
        let present = desk.admission.as_deref_mut().and_then(last);
        if present.is_none() || present == previous {
            return Some((desk, travel));
        }
    }
    None
}

/// Returns the query of the engine, dated `now`.
fn builder(checked: &CheckedQuery, now: Time) -> QueryBuilder {
    Query::builder(*checked.user.expose(), *checked.position.expose())
        .at(now)
        .k(checked.k)
        .dt(checked.dt)
        .dc(checked.dc)
        .speed(checked.speed)
        .asks(checked.question.expose().is_some())
}

/// Submission of one account to one city, locked. Lock order: tickets, admission of one city,
/// mailbox of one city.
struct Desk<'a> {
    gateway: &'a Gateway,
    account: &'a Arc<Account>,
    tickets: MutexGuard<'a, TicketTable>,
    city: &'a City,
    /// `None` only while the city changes.
    admission: Option<MutexGuard<'a, Option<Admission>>>,
}

impl<'a> Desk<'a> {
    fn lock(gateway: &'a Gateway, account: &'a Arc<Account>, city: &'a City) -> Desk<'a> {
        let tickets = account.tickets().lock();
        let admission = Some(city.mailbox().admission());
        Desk { gateway, account, tickets, city, admission }
    }

    /// Changes to another city.
    fn enter(&mut self, city: &'a City) {
        if self.city.id() != city.id() {
            self.admission = None; // unlocks before the next is locked
            self.admission = Some(city.mailbox().admission());
            self.city = city;
        }
    }

    /// Submits a query unless its ticket is known.
    fn submit(
        &mut self,
        query: CheckedQuery,
        travel: Travel,
        route: &mut impl FnMut() -> Route,
    ) -> Submission {
        let ticket = Arc::clone(query.ticket.expose());
        match self.tickets.status(&ticket, query.digest) {
            TicketStatus::Conflict => Submission::Refused(Refusal::TicketTaken),
            TicketStatus::Done(finished) => Submission::Ended(finished),
            TicketStatus::Waiting(id) => {
                if self.tickets.add_route(&ticket, route()) == Attendance::Abandoned {
                    self.gateway.cities().of_query(id).mailbox().lock().keep(id);
                }
                Submission::Waiting
            }
            TicketStatus::Unknown => match self.accept(query, travel) {
                Ok(accepted) => {
                    self.tickets.insert(ticket, accepted, route());
                    self.gateway.metrics().accepted(1);
                    Submission::Waiting
                }
                Err(refusal) => Submission::Refused(refusal),
            },
        }
    }
}

/// Delivers results and stores them under their tickets. Drains `ended`. Consecutive results of
/// one account are delivered under one lock of its tickets.
pub fn finish_all(gateway: &Gateway, ended: &mut Vec<(Pending, Finished)>) {
    gateway.under_way().fetch_sub(ended.len(), Ordering::Relaxed);
    for run in ended.chunk_by(|a, b| CityId::of(a.0.id) == CityId::of(b.0.id)) {
        let Some((first, _)) = run.first() else { continue };
        let city = gateway.cities().of_query(first.id);
        city.under_way().fetch_sub(run.len(), Ordering::Relaxed);
        city.requests().load().record_ended(run.len());
    }
    let (now, limits) = (gateway.clock().now(), gateway.config().results);
    for run in ended.chunk_by(|a, b| Arc::ptr_eq(&a.0.origin.account, &b.0.origin.account)) {
        let Some((first, _)) = run.first() else { continue };
        let mut tickets = first.origin.account.tickets().lock();
        for (pending, finished) in run {
            tickets.finish(pending.origin.ticket.expose(), finished, now);
        }
        // Results of a large batch must not pile up until the next purge.
        tickets.purge(now, limits);
    }
    ended.clear();
}
