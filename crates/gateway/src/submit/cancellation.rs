//! Cancellation of queries by ticket.

use super::Submission;
use crate::accounts::Account;
use crate::city::CityId;
use crate::gateway::Gateway;
use crate::tickets::{Route, TicketStatus};
use meshcloak::query::QueryId;
use std::sync::Arc;

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
            gateway.cities().of_query(id).mailbox().lock().cancel(id);
            Some(Submission::Waiting)
        }
    }
}

/// Cancels the waiting queries of a closed stream, except those that another connection waits for.
/// A ticket that is repeated before the next batch continues its query, and after it begins anew.
pub fn cancel_abandoned(gateway: &Gateway, account: &Account, tickets: &[Arc<str>]) {
    let mut table = account.tickets().lock();
    let ids: Vec<QueryId> = tickets.iter().filter_map(|ticket| table.abandon(ticket)).collect();
    // The queries of one request are in one city, and no batch has only some of them.
    for run in ids.chunk_by(|a, b| CityId::of(*a) == CityId::of(*b)) {
        let Some(&first) = run.first() else { continue };
        let mut mailbox = gateway.cities().of_query(first).mailbox().lock();
        run.iter().for_each(|&id| mailbox.cancel(id));
    }
}
