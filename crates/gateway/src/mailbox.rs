//! Queue of accepted queries between submission and the engine, in order of arrival. Pushing never
//! waits for a running batch.

use crate::accounts::Account;
use crate::held_arrivals::{HeldArrivals, StandingQuestion};
use crate::question::Question;
use meshcloak::accounts::AccountId;
use meshcloak::guarantee::Admission;
use meshcloak::history::PastPosition;
use meshcloak::private::Private;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::units::Time;
use parking_lot::{Mutex, MutexGuard};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Where a query came from and where its result goes.
pub trait Origin: Send + 'static {
    /// The account that named the user.
    fn account(&self) -> AccountId;
}

/// A client of this process.
#[derive(Debug)]
pub struct Client {
    /// Account of the query. Prints without its name.
    pub account: Arc<Account>,
    /// Ticket chosen by the client.
    pub ticket: Private<Arc<str>>,
}

impl Origin for Client {
    fn account(&self) -> AccountId {
        self.account.id()
    }
}

/// What is needed to answer a query and is not passed to the scheme.
#[derive(Debug)]
pub struct Pending<O = Client> {
    /// Destination of the result.
    pub origin: O,
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

impl<O> Pending<O> {
    /// Whether there is a question.
    pub fn asks(&self) -> bool {
        self.question.expose().is_some()
    }
}

/// An accepted query.
#[derive(Debug)]
pub struct Arrival<O = Client> {
    /// Input of the engine.
    pub query: Private<Query>,
    /// Input of the answer.
    pub pending: Pending<O>,
    /// Further questions that the query carries, oldest first. Empty unless another engine has
    /// handed the query over.
    pub carried: Vec<Pending<O>>,
    /// Previous position of the user, under `history`.
    pub previous: Private<Option<PastPosition>>,
}

/// Queue of accepted queries.
///
/// Lock order: `admission`, then `state`. Submission holds `admission` from the time of a query
/// until it is in the mailbox, so that arrivals are ordered by time, except released ones. The engine
/// takes `state` alone.
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
    held: HeldArrivals,
    cancelled: Vec<QueryId>,
    next_id: u64,
    is_closed: bool,
    /// Time of the last batch.
    collected_at: Time,
}

/// Input of a batch.
#[derive(Debug)]
pub struct Collected<O = Client> {
    /// Accepted queries, in order of arrival.
    pub arrivals: Vec<Arrival<O>>,
    /// Cancelled queries, all of which the engine has received.
    pub cancelled: Vec<QueryId>,
}

impl Mailbox {
    /// Creates an empty mailbox. `admission` is the check of the `history` guarantee; `first` is
    /// the id of the first query.
    pub fn new(admission: Option<Admission>, first: QueryId) -> Mailbox {
        let state = MailboxState {
            arrivals: Vec::new(),
            held: HeldArrivals::default(),
            cancelled: Vec::new(),
            next_id: first.0,
            is_closed: false,
            collected_at: Time::default(),
        };
        Mailbox { admission: Mutex::new(admission), state: Mutex::new(state) }
    }

    /// Locks submission. Must be taken before [`Mailbox::lock`].
    pub fn admission(&self) -> MutexGuard<'_, Option<Admission>> {
        self.admission.lock()
    }

    /// As [`Mailbox::admission`]; `None` if it is locked.
    #[cfg(test)]
    pub fn try_admission(&self) -> Option<MutexGuard<'_, Option<Admission>>> {
        self.admission.try_lock()
    }

    /// Locks the contents.
    pub fn lock(&self) -> MutexGuard<'_, MailboxState> {
        self.state.lock()
    }

    /// As [`Mailbox::lock`]; `None` if the contents are locked.
    #[cfg(test)]
    pub fn try_lock(&self) -> Option<MutexGuard<'_, MailboxState>> {
        self.state.try_lock()
    }

    /// Removes the queries that were asked up to `at` and are not held beyond it, and the
    /// cancellations that apply to queries removed so far.
    pub fn collect(&self, at: Time) -> Collected {
        self.collect_released(at, at)
    }

    /// As [`Mailbox::collect`], with another time up to which queries are held.
    pub fn collect_released(&self, at: Time, held_until: Time) -> Collected {
        let mut state = self.lock();
        state.collected_at = at;
        let mut arrivals = state.held.release(held_until);
        let is_due = |arrival: &mut Arrival| arrival.query.expose().asked_at <= at;
        arrivals.extend(state.arrivals.extract_if(.., is_due));
        // Cancellations of queries that are still in the mailbox stay for the next batch.
        let MailboxState { arrivals: later, cancelled, .. } = &mut *state;
        let later: FxHashSet<QueryId> = later.iter().map(|later| later.pending.id).collect();
        let is_later = |id: &mut QueryId| later.contains(id);
        let staying: Vec<QueryId> = cancelled.extract_if(.., is_later).collect();
        let cancelled = std::mem::replace(cancelled, staying);
        Collected { arrivals, cancelled }
    }
}

impl MailboxState {
    /// Whether the mailbox accepts no more queries.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Time of the last batch that has collected its queries.
    pub fn collected_at(&self) -> Time {
        self.collected_at
    }

    /// Number of queries that wait for a batch, without the held ones.
    pub fn arrived_count(&self) -> usize {
        self.arrivals.len()
    }

    /// Stops accepting queries.
    pub fn close(&mut self) {
        self.is_closed = true;
    }

    /// Appends a query and assigns the next id to it. Held queries of its user come before it.
    pub fn push(&mut self, mut arrival: Arrival) -> QueryId {
        let id = self.number(&mut arrival);
        self.arrivals.extend(self.held.release_user(arrival.query.expose().user));
        self.arrivals.push(arrival);
        id
    }

    /// Returns until when a query of a standing question that arrives now is held.
    pub fn held_until(&mut self, user: UserId, now: Time, standing: StandingQuestion) -> Time {
        self.held.until(user, now, standing)
    }

    /// Holds a query until the time that [`MailboxState::held_until`] has returned, and assigns the
    /// next id to it.
    pub fn push_held(&mut self, mut arrival: Arrival) -> QueryId {
        let id = self.number(&mut arrival);
        self.held.push(arrival);
        id
    }

    fn number(&mut self, arrival: &mut Arrival) -> QueryId {
        let id = QueryId(self.next_id);
        self.next_id = self.next_id.wrapping_add(1);
        arrival.query.expose_mut().id = id;
        arrival.pending.id = id;
        id
    }

    /// Takes back the cancellation of a query unless a batch has collected it.
    pub fn keep(&mut self, id: QueryId) {
        self.cancelled.retain(|&cancelled| cancelled != id);
    }

    /// Marks a query as cancelled. It is not held any longer.
    pub fn cancel(&mut self, id: QueryId) {
        self.arrivals.extend(self.held.release_query(id));
        self.cancelled.push(id);
    }
}
