//! The cloaking engine: waiting queries in, published sets out (Algorithm 4).
//!
//! ```text
//!             ┌───────────────────────────── turn ──────────────────────────────┐
//! arrivals ─▶ │ collect ─▶ expire ─▶ replace ─▶ scheme ─▶ guard ─▶ settle       │ ─▶ Turn
//!             │ lines 8–9  3–7       SPEC §6    10–15     checks   16–17        │    served, expired,
//!             └────────────────── State: waiting list, history ─────────────────┘    replaced, …
//! ```
//!
//! [`Engine`] is the type to embed: it owns scheme, state and admission, and checks each query.
//! [`turn()`] is one turn over a state that the caller owns, for programs with an intake of their own
//! (gateway, evaluation). Both call the guard.

mod recorded_past;
mod turn;

pub use recorded_past::RecordedPast;
pub use turn::{Batch, Turn, turn};

use crate::accounts::AccountId;
use crate::distance::Atlas;
use crate::guarantee::{Admission, AdmissionError};
use crate::mesh_cloak::{MeshCloak, Settings};
use crate::query::{Query, QueryError, QueryId};
use crate::scheme::{Observer, Scheme, State};
use crate::units::Time;
use std::sync::Arc;

/// A scheme with its waiting queries: submit queries, tick, send the disclosures.
///
/// The crate's front page has a complete example.
#[derive(Debug)]
pub struct Engine<S = MeshCloak> {
    atlas: Arc<Atlas>,
    scheme: S,
    state: State,
    /// Present if the scheme promises `history`.
    admission: Option<Admission>,
    /// Arrivals and cancellations of the next tick.
    next: Batch,
    next_id: u64,
}

/// Reason for which the engine refuses a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// A value of the query is out of range.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The `history` guarantee cannot protect the query.
    #[error(transparent)]
    Admission(#[from] AdmissionError),
}

impl Engine {
    /// Returns an engine that runs MeshCloak on a prepared map.
    pub fn new(atlas: Arc<Atlas>, settings: Settings) -> Engine {
        let scheme = MeshCloak::new(Arc::clone(&atlas), settings);
        Engine::with_scheme(atlas, scheme)
    }
}

impl<S: Scheme> Engine<S> {
    /// Returns an engine that runs another scheme.
    pub fn with_scheme(atlas: Arc<Atlas>, scheme: S) -> Engine<S> {
        let promise = scheme.promise().filter(|_| turn::needs_admission(&scheme));
        let horizon = scheme.history_horizon();
        let admission = promise
            .zip(horizon)
            .map(|(promise, horizon)| Admission::new(promise.history_clock, horizon));
        let (state, next) = (State::default(), Batch::default());
        Engine { atlas, scheme, state, admission, next, next_id: 0 }
    }

    /// Queues a query for the next tick and returns its id, which replaces the one of `query`.
    /// Queries are submitted in order of time. A newer query of a user replaces the waiting one
    /// ([`Turn::replaced`]), except under [`Guarantee::Paper`](crate::Guarantee::Paper).
    ///
    /// # Errors
    /// If a value of the query is out of range, or `history` cannot protect it.
    pub fn submit(&mut self, mut query: Query) -> Result<QueryId, SubmitError> {
        query.id = QueryId(self.next_id);
        query.check(self.atlas.dc_max())?;
        if let Some(admission) = &mut self.admission {
            let previous = admission.admit(&self.atlas, &mut query)?;
            self.state.history.set_previous(query.id, previous);
        }
        self.next_id += 1;
        self.next.arrivals.push(query);
        Ok(QueryId(self.next_id - 1))
    }

    /// Like [`Engine::submit`], for a user that `account` has named; see
    /// [`Settings::across_accounts`].
    ///
    /// # Errors
    /// As [`Engine::submit`].
    pub fn submit_for(&mut self, account: AccountId, query: Query) -> Result<QueryId, SubmitError> {
        let id = self.submit(query)?;
        self.state.accounts.set(id, account);
        Ok(id)
    }

    /// Withdraws a query at the next tick; it has no effect if the query has departed.
    pub fn cancel(&mut self, query: QueryId) {
        self.next.cancelled.push(query);
    }

    /// Runs one turn at `now` over everything that was submitted.
    pub fn tick(&mut self, now: Time) -> Turn<'_> {
        self.tick_observed(now, &mut ())
    }

    /// Like [`Engine::tick`], and reports each stage to `observer`.
    pub fn tick_observed(&mut self, now: Time, observer: &mut dyn Observer) -> Turn<'_> {
        let batch = Batch { now, ..std::mem::take(&mut self.next) };
        let done = turn(&mut self.scheme, &mut self.state, batch, observer);
        if let Some(admission) = &mut self.admission {
            done.served.iter().for_each(|(query, _)| admission.leave(query));
        }
        done
    }

    /// Returns the waiting queries, in order of arrival.
    pub fn waiting(&self) -> &[Query] {
        &self.state.waiting
    }

    /// Returns the map that the engine runs on.
    pub fn atlas(&self) -> &Arc<Atlas> {
        &self.atlas
    }

    /// Returns the scheme.
    pub fn scheme(&self) -> &S {
        &self.scheme
    }
}
