//! Waiting queries with the questions that they carry: one waiting query per user (docs/SPEC.md §6).
//!
//! A newer query of a user replaces the waiting one and carries its questions: it has the newest
//! position, the largest k and the earliest deadline. Each carried question keeps its own ticket,
//! time and deadline. A presence report has nothing to carry: it ends when it is replaced.

use crate::mailbox::Pending;
use crate::outcome::Outcome;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::units::Time;
use rustc_hash::FxHashMap;

/// What a waiting query answers.
#[derive(Debug)]
pub(crate) struct WaitingQuery<O> {
    /// Carried questions, oldest first, and the query's own; empty once the query is replaced.
    pub pendings: Vec<Pending<O>>,
    /// Whether an earlier position of the user was known on arrival.
    pub has_past: bool,
    /// Largest k of all queries that this one has replaced, and its own.
    k: u32,
}

/// Queries that ended, with their outcome.
pub(crate) type Ended<O> = Vec<(Pending<O>, Outcome)>;

/// The waiting queries by number and by user.
#[derive(Debug)]
pub(crate) struct WaitingQueries<O> {
    queries: FxHashMap<QueryId, WaitingQuery<O>>,
    /// Waiting query of each user; used only if there is one per user.
    of_user: FxHashMap<UserId, QueryId>,
    /// Query that carries each carried pending.
    carriers: FxHashMap<QueryId, QueryId>,
}

impl<O> Default for WaitingQuery<O> {
    fn default() -> WaitingQuery<O> {
        WaitingQuery { pendings: Vec::new(), has_past: false, k: 0 }
    }
}

impl<O> Default for WaitingQueries<O> {
    fn default() -> WaitingQueries<O> {
        let (queries, of_user) = (FxHashMap::default(), FxHashMap::default());
        WaitingQueries { queries, of_user, carriers: FxHashMap::default() }
    }
}

impl<O> WaitingQuery<O> {
    fn asks(&self) -> bool {
        self.pendings.iter().any(Pending::asks)
    }

    /// Updates what the engine knows of the query: deadline and whether it asks.
    #[expect(clippy::arithmetic_side_effects, reason = "times saturate")]
    fn update(&self, query: &mut Query) {
        if let Some(deadline) = self.pendings.iter().map(|pending| pending.deadline).min() {
            query.temporal_tolerance = deadline - query.asked_at;
        }
        query.asks = self.asks();
    }
}

/// Ends a pending whose deadline is over: a presence report as `present`.
fn run_out<O>(pending: Pending<O>) -> (Pending<O>, Outcome) {
    let outcome = if pending.asks() { Outcome::Expired } else { Outcome::Present };
    (pending, outcome)
}

impl<O> WaitingQueries<O> {
    /// Adds an arriving query that waits beside others of its user.
    pub fn insert(&mut self, query: &Query, pending: Pending<O>, has_past: bool) {
        let waiting = WaitingQuery { pendings: vec![pending], has_past, k: query.k };
        self.queries.insert(query.id, waiting);
    }

    /// Adds questions that an inserted query carries, before its own.
    pub fn adopt(&mut self, query: QueryId, carried: Vec<Pending<O>>) {
        if carried.is_empty() {
            return;
        }
        self.carriers.extend(carried.iter().map(|pending| (pending.id, query)));
        if let Some(waiting) = self.queries.get_mut(&query) {
            waiting.pendings.splice(0..0, carried);
        }
    }

    /// Returns the questions that a query carries.
    pub fn pendings(&self, query: QueryId) -> &[Pending<O>] {
        self.queries.get(&query).map_or(&[], |waiting| &waiting.pendings)
    }

    /// Lets an inserted query carry the questions of its user's waiting query. The engine removes
    /// that query, because `query` replaces it.
    pub fn carry(&mut self, query: &mut Query, now: Time, ended: &mut Ended<O>) {
        if query.has_expired(now) {
            return; // it replaces nothing
        }
        let older = self.of_user.insert(query.user, query.id);
        let older = older.and_then(|older| self.queries.get_mut(&older));
        let Some(older) = older.filter(|older| older.pendings.iter().any(|p| p.deadline >= now))
        else {
            return;
        };
        let (carried, present): (Vec<Pending<O>>, Vec<Pending<O>>) =
            std::mem::take(&mut older.pendings).into_iter().partition(Pending::asks);
        let k = older.k;
        ended.extend(present.into_iter().map(|pending| (pending, Outcome::Present)));
        self.carriers.extend(carried.iter().map(|pending| (pending.id, query.id)));
        let Some(newer) = self.queries.get_mut(&query.id) else { return };
        newer.pendings.splice(0..0, carried);
        newer.k = newer.k.max(k);
        query.k = newer.k;
        newer.update(query);
    }

    /// Ends the pendings of a query whose deadlines are over while others are not: the query goes on
    /// with the next deadline. A query without such others is left to the engine to expire.
    pub fn end_overdue(&mut self, query: &mut Query, now: Time, ended: &mut Ended<O>) {
        let Some(waiting) = self.queries.get_mut(&query.id) else { return };
        if waiting.pendings.iter().all(|pending| pending.deadline < now) {
            return;
        }
        for pending in waiting.pendings.extract_if(.., |pending| pending.deadline < now) {
            self.carriers.remove(&pending.id);
            ended.push(run_out(pending));
        }
        waiting.update(query);
    }

    /// Cancels one pending and returns its query, if it waits.
    pub fn cancel(&mut self, id: QueryId, ended: &mut Ended<O>) -> Option<QueryId> {
        let carrier = self.carriers.remove(&id).unwrap_or(id);
        let waiting = self.queries.get_mut(&carrier)?;
        let index = waiting.pendings.iter().position(|pending| pending.id == id)?;
        ended.push((waiting.pendings.remove(index), Outcome::Cancelled));
        Some(carrier)
    }

    /// Returns the numbers of the pendings of a user's waiting query.
    pub fn of_user(&self, user: UserId) -> Vec<QueryId> {
        let waiting = self.of_user.get(&user).and_then(|query| self.queries.get(query));
        let pendings = waiting.iter().flat_map(|waiting| &waiting.pendings);
        pendings.map(|pending| pending.id).collect()
    }

    /// Whether nothing is left to answer for a query.
    pub fn is_empty(&self, query: QueryId) -> bool {
        self.queries.get(&query).is_none_or(|waiting| waiting.pendings.is_empty())
    }

    /// Updates a query after a cancellation.
    pub fn update(&self, query: &mut Query) {
        if let Some(waiting) = self.queries.get(&query.id) {
            waiting.update(query);
        }
    }

    /// Removes a departed query.
    pub fn remove(&mut self, query: &Query) -> Option<WaitingQuery<O>> {
        if self.of_user.get(&query.user) == Some(&query.id) {
            self.of_user.remove(&query.user);
        }
        let waiting = self.queries.remove(&query.id)?;
        if !self.carriers.is_empty() {
            for pending in &waiting.pendings {
                self.carriers.remove(&pending.id);
            }
        }
        Some(waiting)
    }

    /// Removes an expired query and ends all its pendings.
    pub fn expire(&mut self, query: &Query, ended: &mut Ended<O>) {
        let waiting = self.remove(query).unwrap_or_default();
        ended.extend(waiting.pendings.into_iter().map(run_out));
    }

    /// Removes all queries and returns their pendings, in order of arrival.
    pub fn drain(&mut self) -> Vec<Pending<O>> {
        self.of_user.clear();
        self.carriers.clear();
        let queries = self.queries.drain();
        let mut pendings: Vec<Pending<O>> = queries.flat_map(|(_, query)| query.pendings).collect();
        pendings.sort_unstable_by_key(|pending| pending.id);
        pendings
    }
}
