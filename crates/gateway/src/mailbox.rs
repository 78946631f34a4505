//! Queue of accepted queries between submission and the engine, in order of arrival. Pushing never
//! waits for a running batch.

#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)
)]

use crate::accounts::Account;
use crate::question::Question;
use meshcloak::guarantee::Admission;
use meshcloak::history::PastPosition;
use meshcloak::private::Private;
use meshcloak::query::{Query, QueryId};
use meshcloak::units::Time;
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;

/// What is needed to answer a query and is not passed to the engine.
#[derive(Debug)]
pub struct Pending {
    /// Account of the query. Prints without its name.
    pub account: Arc<Account>,
    /// Ticket chosen by the client.
    pub ticket: Private<Arc<str>>,
    /// Question for the service; `None` if the user only adds to the sets of others.
    pub question: Private<Option<Question>>,
    /// Number of the query; [`MailboxState::push`] assigns it.
    pub id: QueryId,
    /// Requested size of the anonymity set.
    pub k: u32,
    /// Time of the query.
    pub asked_at: Time,
    /// End of its temporal tolerance.
    pub deadline: Time,
}

impl Pending {
    /// Whether there is a question.
    pub fn asks(&self) -> bool {
        self.question.expose().is_some()
    }
}

/// An accepted query.
#[derive(Debug)]
pub struct Arrival {
    /// Input of the engine.
    pub query: Private<Query>,
    /// Input of the answer.
    pub pending: Pending,
    /// Previous position of the user, under `history`.
    pub previous: Private<Option<PastPosition>>,
}

/// Queue of accepted queries.
///
/// Lock order: `admission`, then `state`. Submission holds `admission` from the time of a query
/// until it is in the mailbox, so that arrivals are ordered by time. The engine takes `state` alone.
/// The distance searches of the admission check hold neither.
#[derive(Debug)]
pub struct Mailbox {
    admission: Mutex<Option<Admission>>,
    state: Mutex<MailboxState>,
}

/// Contents of a [`Mailbox`].
#[derive(Debug)]
pub struct MailboxState {
    arrivals: Vec<Arrival>,
    cancelled: Vec<QueryId>,
    next_id: u64,
    is_closed: bool,
}

/// What a batch takes from the mailbox.
#[derive(Debug, Default)]
pub struct Collected {
    /// Accepted queries, in order of arrival.
    pub arrivals: Vec<Arrival>,
    /// Cancelled queries, all of which the engine has received.
    pub cancelled: Vec<QueryId>,
}

impl Mailbox {
    /// Creates an empty mailbox. `admission` is the check of the `history` guarantee.
    pub fn new(admission: Option<Admission>) -> Mailbox {
        let (arrivals, cancelled) = (Vec::new(), Vec::new());
        let state = MailboxState { arrivals, cancelled, next_id: 1, is_closed: false };
        Mailbox { admission: Mutex::new(admission), state: Mutex::new(state) }
    }

    /// Locks submission. Must be taken before [`Mailbox::lock`].
    pub fn admission(&self) -> MutexGuard<'_, Option<Admission>> {
        self.admission.lock()
    }

    /// Locks the contents.
    pub fn lock(&self) -> MutexGuard<'_, MailboxState> {
        self.state.lock()
    }

    /// Removes the queries that were asked up to `at` and the cancellations that apply to queries
    /// removed so far.
    pub fn collect(&self, at: Time) -> Collected {
        let mut state = self.lock();
        let due = state.arrivals.partition_point(|arrival| arrival.query.expose().asked_at <= at);
        let later = state.arrivals.split_off(due);
        let arrivals = std::mem::replace(&mut state.arrivals, later);
        // Cancellations of queries that are still in the mailbox stay for the next batch.
        let first = state.arrivals.first().map(|arrival| arrival.query.expose().id);
        let first = first.unwrap_or(QueryId(state.next_id));
        let (cancelled, later) = state.cancelled.iter().partition(|&&id| id < first);
        state.cancelled = later;
        Collected { arrivals, cancelled }
    }
}

impl MailboxState {
    /// Whether the mailbox accepts no more queries.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Stops accepting queries.
    pub fn close(&mut self) {
        self.is_closed = true;
    }

    /// Appends a query and assigns the next id to it.
    pub fn push(&mut self, mut arrival: Arrival) -> QueryId {
        let id = QueryId(self.next_id);
        self.next_id = self.next_id.wrapping_add(1);
        arrival.query.expose_mut().id = id;
        arrival.pending.id = id;
        self.arrivals.push(arrival);
        id
    }

    /// Takes back the cancellation of a query unless a batch has collected it.
    pub fn keep(&mut self, id: QueryId) {
        self.cancelled.retain(|&cancelled| cancelled != id);
    }

    /// Marks a query as cancelled.
    pub fn cancel(&mut self, id: QueryId) {
        self.cancelled.push(id);
    }
}
