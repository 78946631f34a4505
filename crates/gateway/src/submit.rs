//! Submission of validated queries, cancellation, and delivery of results.

use crate::accounts::Account;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::intake::CheckedQuery;
use crate::mailbox::{Arrival, Pending};
use crate::outcome::Finished;
use crate::queue_share;
use crate::service_load::check_wait;
use crate::tickets::{AcceptedQuery, Attendance, Route, TicketStatus, TicketTable};
use meshcloak::guarantee::{Admission, AdmissionError};
use meshcloak::query::{Query, QueryError};
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

/// Submits queries of one account in order, under one lock of its tickets.
///
/// `route` returns the destination of the next result. `on_submission` is called once per query
/// with its ticket.
pub fn submit(
    gateway: &Gateway,
    account: &Arc<Account>,
    queries: impl IntoIterator<Item = CheckedQuery>,
    mut route: impl FnMut() -> Route,
    mut on_submission: impl FnMut(&Arc<str>, Submission),
) {
    let mut accepted = 0;
    let mut tickets = account.tickets().lock();
    let mut admission = gateway.mailbox().admission();
    for query in queries {
        let ticket = Arc::clone(query.ticket.expose());
        let submission = match tickets.status(&ticket, query.digest) {
            TicketStatus::Conflict => Submission::Refused(Refusal::TicketTaken),
            TicketStatus::Done(finished) => Submission::Ended(finished),
            TicketStatus::Waiting(id) => {
                if tickets.add_route(&ticket, route()) == Attendance::Abandoned {
                    gateway.mailbox().lock().keep(id);
                }
                Submission::Waiting
            }
            TicketStatus::Unknown => {
                match accept(gateway, &mut admission, account, &tickets, query) {
                    Ok(accepted_query) => {
                        tickets.insert(Arc::clone(&ticket), accepted_query, route());
                        accepted += 1;
                        Submission::Waiting
                    }
                    Err(refusal) => Submission::Refused(refusal),
                }
            }
        };
        on_submission(&ticket, submission);
    }
    gateway.metrics().accepted(accepted);
}

/// Puts a query into the mailbox, unless the gateway is full or stopping, the user has too many
/// queries in progress, or `history` cannot protect the query. `tickets` are those of the account.
fn accept(
    gateway: &Gateway,
    admission: &mut Option<Admission>,
    account: &Arc<Account>,
    tickets: &TicketTable,
    checked: CheckedQuery,
) -> Result<AcceptedQuery, Refusal> {
    if gateway.mailbox().lock().is_closed() {
        return Err(Refusal::Stopping);
    }
    let capacity = gateway.queue_limit();
    let (under_way, waiting) =
        (gateway.under_way().load(Ordering::Relaxed), tickets.waiting_count());
    if !queue_share::allows(capacity, under_way, waiting) {
        return Err(Refusal::Busy);
    }
    let limits = account.limits();
    if tickets.in_progress(*checked.user.expose()) >= limits.person_queue {
        return Err(Refusal::UserBusy(limits.person_queue));
    }
    // A presence report causes no request.
    if checked.question.expose().is_some() {
        check_wait(gateway)?;
    }
    gateway.admit_after_start(*checked.user.expose())?;
    let query = Query::builder(*checked.user.expose(), checked.position.into_exposed())
        .at(gateway.clock().now())
        .k(checked.k)
        .dt(checked.dt)
        .dc(checked.dc)
        .speed(checked.speed)
        .asks(checked.question.expose().is_some())
        .build(gateway.atlas().dc_max());
    let query = query.map_err(|error| match error {
        QueryError::K(_) => Refusal::K(limits.k_max),
        QueryError::DistanceConstraint { .. } => Refusal::Dc(limits.dc_min, limits.dc_max),
    })?;
    let previous = match admission {
        Some(admission) => {
            admission.admit(gateway.atlas(), &query).map_err(|error| match error {
                AdmissionError::Speed => Refusal::Speed,
                AdmissionError::FasterThanDeclared => Refusal::FasterThanDeclared,
            })?
        }
        None => None,
    };
    let pending = Pending {
        account: Arc::clone(account),
        ticket: checked.ticket,
        question: checked.question,
        id: query.id,
        k: query.k,
        asked_at: query.asked_at,
        deadline: query.asked_at + query.temporal_tolerance,
    };
    let mut mailbox = gateway.mailbox().lock();
    // The mailbox may have been closed since the first check. What it held then is in the last
    // batch.
    if mailbox.is_closed() {
        return Err(Refusal::Stopping);
    }
    gateway.under_way().fetch_add(1, Ordering::Relaxed);
    let id = mailbox.push(Arrival { query: query.into(), pending, previous: previous.into() });
    Ok(AcceptedQuery { id, user: checked.user, digest: checked.digest })
}

/// Cancels a query. Its outcome goes to `route` and is not `cancelled` if the query is published
/// before the cancellation takes effect. Returns `None` for an unknown ticket.
pub fn cancel(
    gateway: &Gateway,
    account: &Account,
    ticket: &str,
    route: Route,
) -> Option<Submission> {
    let mut tickets = account.tickets().lock();
    match tickets.find(ticket) {
        TicketStatus::Unknown | TicketStatus::Conflict => None,
        TicketStatus::Done(finished) => Some(Submission::Ended(finished)),
        TicketStatus::Waiting(id) => {
            tickets.add_route(ticket, route);
            gateway.mailbox().lock().cancel(id);
            Some(Submission::Waiting)
        }
    }
}

/// Cancels the waiting queries of a closed stream, except those that another connection waits for.
/// A ticket that is repeated before the next batch continues its query, and after it begins anew.
pub fn cancel_abandoned(gateway: &Gateway, account: &Account, tickets: &[Arc<str>]) {
    let mut table = account.tickets().lock();
    let mut mailbox = gateway.mailbox().lock();
    for id in tickets.iter().filter_map(|ticket| table.abandon(ticket)) {
        mailbox.cancel(id);
    }
}

/// Delivers results and stores them under their tickets. Drains `ended`. Consecutive results of
/// one account are delivered under one lock of its tickets.
pub fn finish_all(gateway: &Gateway, ended: &mut Vec<(Pending, Finished)>) {
    gateway.under_way().fetch_sub(ended.len(), Ordering::Relaxed);
    let (now, limits) = (gateway.clock().now(), gateway.config().results);
    for run in ended.chunk_by(|a, b| Arc::ptr_eq(&a.0.account, &b.0.account)) {
        let mut tickets = run[0].0.account.tickets().lock();
        for (pending, finished) in run {
            tickets.finish(pending.ticket.expose(), finished, now);
        }
        // Results of a large batch must not pile up until the next purge.
        tickets.purge(now, limits);
    }
    ended.clear();
}
