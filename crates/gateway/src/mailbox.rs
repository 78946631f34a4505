//! Between intake and engine: queries that were accepted since the last batch, in order of
//! arrival. Whoever puts something in never waits for the engine, and nothing is lost.

use crate::accounts::Account;
use crate::question::Wish;
use meshcloak::guarantee::Admission;
use meshcloak::history::PastPosition;
use meshcloak::query::{Query, QueryId};
use meshcloak::units::Time;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the engine does not need to know of a query, but whoever answers it does.
pub struct Pending {
    /// Whose it is.
    pub account: Arc<Account>,
    /// By what the client knows it.
    pub ticket: Arc<str>,
    /// What is asked; nothing, if she is there for others to hide among.
    pub wish: Option<Wish>,
}

/// Whose it is never gets printed.
impl std::fmt::Debug for Pending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pending(…)")
    }
}

/// A query that was accepted.
#[derive(Debug)]
pub struct Arrival {
    /// For the engine.
    pub query: Query,
    /// For the answer.
    pub pending: Pending,
    /// Previous position of the user, under `history`.
    pub previous: Option<PastPosition>,
}

/// The mailbox. Who puts something in holds the slot first: so arrivals are in order of time, and
/// the engine need not wait while `history` measures how far somebody has come.
#[derive(Debug)]
pub struct Mailbox {
    slot: Mutex<Option<Admission>>,
    inside: Mutex<Inside>,
}

/// What is in it.
#[derive(Debug)]
pub struct Inside {
    arrivals: Vec<Arrival>,
    cancelled: Vec<QueryId>,
    next: u64,
    flap: Flap,
}

/// Whether anything can be put in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flap {
    /// It can.
    Open,
    /// No longer.
    Shut,
}

impl Mailbox {
    /// An empty mailbox; behind a door, if it matters where people were.
    pub fn new(door: Option<Admission>) -> Mailbox {
        let inside =
            Inside { arrivals: Vec::new(), cancelled: Vec::new(), next: 1, flap: Flap::Open };
        Mailbox { slot: Mutex::new(door), inside: Mutex::new(inside) }
    }

    /// The slot, and the door behind it if there is one; taken before the mailbox itself.
    pub fn slot(&self) -> MutexGuard<'_, Option<Admission>> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The mailbox, for as long as the lock is held.
    pub fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes out what came up to `at`, in order of arrival, and whatever was taken back.
    pub fn collect(&self, at: Time) -> (Vec<Arrival>, Vec<QueryId>) {
        let mut inside = self.lock();
        let due = inside.arrivals.partition_point(|arrival| arrival.query.asked_at <= at);
        let later = inside.arrivals.split_off(due);
        let arrivals = std::mem::replace(&mut inside.arrivals, later);
        // One taken back before the engine has it is looked for again next time.
        let first = inside.arrivals.first().map_or(QueryId(inside.next), |a| a.query.id);
        let (known, unknown) = inside.cancelled.iter().partition(|&&id| id < first);
        inside.cancelled = unknown;
        (arrivals, known)
    }
}

impl Inside {
    /// Whether anything can be put in.
    pub fn flap(&self) -> Flap {
        self.flap
    }

    /// Nothing more can be put in.
    pub fn shut(&mut self) {
        self.flap = Flap::Shut;
    }

    /// Puts a query in, which gets the next id.
    pub fn put(&mut self, mut arrival: Arrival) -> QueryId {
        let id = QueryId(self.next);
        self.next += 1;
        arrival.query.id = id;
        self.arrivals.push(arrival);
        id
    }

    /// A query is taken back.
    pub fn cancel(&mut self, id: QueryId) {
        self.cancelled.push(id);
    }
}
