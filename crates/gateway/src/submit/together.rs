//! Queries of one request that every batch has together.

use super::acceptance::AdmissibleQuery;
use super::{Desk, Travel, check_and_lock};
use crate::accounts::Account;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::intake::CheckedQuery;
use crate::tickets::Route;
use meshcloak::guarantee::{Guarantee, check_travel};
use std::sync::Arc;

/// Submits queries with new tickets that one user asks at one position, all or none.
///
/// They have the same date and enter the mailbox under one lock, so that no batch has some of them
/// only, and with equal `dt` none expires before the others. Under `history` they are one step of
/// the user: all have the position before it as their past. `route` returns the destination of the
/// next result.
///
/// # Errors
/// The first refusal. No query is accepted then.
pub(crate) fn submit_together(
    gateway: &Gateway,
    account: &Arc<Account>,
    queries: Vec<CheckedQuery>,
    route: impl FnMut() -> Route,
) -> Result<(), Refusal> {
    let Some(first) = queries.first() else { return Ok(()) };
    let (desk, travel) = match gateway.guarantee() {
        Guarantee::History => {
            check_and_lock(gateway, account, first, check_travel).ok_or(Refusal::Busy)?
        }
        _ => (Desk::lock(gateway, account, gateway.cities().get(first.city)), Ok(None)),
    };
    desk.submit_together(queries, travel, route)
}

impl Desk<'_> {
    /// Submits queries of one user, city and position, all or none.
    fn submit_together(
        mut self,
        queries: Vec<CheckedQuery>,
        travel: Travel,
        mut route: impl FnMut() -> Route,
    ) -> Result<(), Refusal> {
        let (now, count) = (self.gateway.clock().now(), queries.len() as u64);
        let examine = |(before, query)| self.examine(query, travel, now, before);
        let examined: Result<Vec<AdmissibleQuery>, Refusal> =
            queries.into_iter().enumerate().map(examine).collect();
        let examined = examined?;
        let mut mailbox = self.city.mailbox().lock();
        if mailbox.is_closed() {
            return Err(Refusal::Stopping);
        }
        for query in examined {
            let ticket = Arc::clone(query.checked.ticket.expose());
            let accepted = self.push(&mut mailbox, query);
            self.tickets.insert(ticket, accepted, route());
        }
        drop(mailbox);
        self.gateway.metrics().accepted(count);
        Ok(())
    }
}
