//! Acceptance of a query: its checks, and its way into the mailbox.

use super::{Desk, Travel, builder};
use crate::error::Refusal;
use crate::intake::CheckedQuery;
use crate::mailbox::{Arrival, Client, MailboxState, Pending};
use crate::queue_share;
use crate::service_load::check_wait;
use crate::tickets::AcceptedQuery;
use meshcloak::guarantee::AdmissionError;
use meshcloak::history::PastPosition;
use meshcloak::query::{Query, QueryError};
use meshcloak::units::Time;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A query that passed all checks and is not in the mailbox.
pub(super) struct AdmissibleQuery {
    pub checked: CheckedQuery,
    query: Query,
    /// Previous position of the user, under `history`.
    previous: Option<PastPosition>,
}

impl Desk<'_> {
    /// Puts a query into the mailbox, unless there is no room or `history` cannot protect it.
    pub(super) fn accept(
        &mut self,
        checked: CheckedQuery,
        travel: Travel,
    ) -> Result<AcceptedQuery, Refusal> {
        let admissible = self.examine(checked, travel, self.gateway.clock().now(), 0)?;
        let mut mailbox = self.city.mailbox().lock();
        // The mailbox may have been closed since the first check. What it held then is in the last
        // batch.
        if mailbox.is_closed() {
            return Err(Refusal::Stopping);
        }
        Ok(self.push(&mut mailbox, admissible))
    }

    /// Checks a query, which is dated `now`. `before` is the number of queries that are accepted
    /// together with it and were checked before it.
    pub(super) fn examine(
        &mut self,
        checked: CheckedQuery,
        travel: Travel,
        now: Time,
        before: usize,
    ) -> Result<AdmissibleQuery, Refusal> {
        self.check_room(&checked, before)?;
        let Desk { gateway, account, tickets, city, .. } = self;
        let limits = account.limits();
        let query = builder(&checked, now).build(city.atlas().dc_max());
        let mut query = query.map_err(|error| match error {
            QueryError::K(_) | QueryError::PresentK => Refusal::K(limits.k_max),
            QueryError::DistanceConstraint { .. } => Refusal::Dc(limits.dc_min, limits.dc_max),
        })?;
        let admitted = travel.map_err(|error| match error {
            AdmissionError::Speed => Refusal::Speed,
            AdmissionError::FasterThanDeclared => Refusal::FasterThanDeclared,
        })?;
        if let Some(admitted) = admitted {
            query.position = admitted.position;
        }
        let previous = admitted.and_then(|admitted| admitted.previous);
        if gateway.cities().are_several() {
            gateway.change_city(tickets, city, &query)?;
        }
        Ok(AdmissibleQuery { checked, query, previous })
    }

    /// Checks that the gateway is neither full nor stopping, and that the user has not too many
    /// queries in progress and is not refused after a start. `before` queries are counted besides
    /// those in progress.
    fn check_room(&self, checked: &CheckedQuery, before: usize) -> Result<(), Refusal> {
        let Desk { gateway, account, tickets, city, .. } = self;
        if city.mailbox().lock().is_closed() {
            return Err(Refusal::Stopping);
        }
        if !city.is_available() {
            return Err(Refusal::Busy);
        }
        let capacity = gateway.queue_limit();
        let under_way = gateway.under_way().load(Ordering::Relaxed).saturating_add(before);
        let waiting = tickets.waiting_count().saturating_add(before);
        if !queue_share::allows(capacity, under_way, waiting) {
            return Err(Refusal::Busy);
        }
        // A presence report causes no request.
        if checked.question.expose().is_some() {
            check_wait(city, gateway.config().service.wait, waiting, under_way)?;
        }
        let (max, user) = (account.limits().person_queue, *checked.user.expose());
        let in_progress = (tickets.in_progress(user) as usize).saturating_add(before);
        if in_progress >= max as usize {
            return Err(Refusal::UserBusy(max));
        }
        gateway.admit_after_start(user)
    }

    /// Puts a query into the locked mailbox of the city.
    #[expect(clippy::arithmetic_side_effects, reason = "times saturate")]
    pub(super) fn push(
        &mut self,
        mailbox: &mut MailboxState,
        AdmissibleQuery { checked, mut query, previous }: AdmissibleQuery,
    ) -> AcceptedQuery {
        let Desk { gateway, account, city, admission, .. } = self;
        if let Some(standing) = checked.standing {
            let until = mailbox.held_until(query.user, query.asked_at, standing);
            query.temporal_tolerance += until - query.asked_at;
        }
        let pending = Pending {
            origin: Client { account: Arc::clone(account), ticket: checked.ticket },
            question: checked.question,
            id: query.id,
            k: query.k,
            asked_at: query.asked_at,
            deadline: query.asked_at + query.temporal_tolerance,
        };
        if let Some(admission) = admission.as_deref_mut().and_then(Option::as_mut) {
            admission.record(&query);
        }
        gateway.under_way().fetch_add(1, Ordering::Relaxed);
        city.under_way().fetch_add(1, Ordering::Relaxed);
        let arrival = Arrival {
            query: query.into(),
            pending,
            carried: Vec::new(),
            previous: previous.into(),
        };
        let id = match checked.standing {
            None => mailbox.push(arrival),
            Some(_) => mailbox.push_held(arrival),
        };
        AcceptedQuery { id, user: checked.user, digest: checked.digest }
    }
}
