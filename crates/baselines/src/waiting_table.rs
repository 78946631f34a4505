//! Waiting queries of a stateful scheme, under numbers that stay the same while a query waits.

use meshcloak::query::{Query, QueryId};
use meshcloak::scheme::State;
use rustc_hash::FxHashMap;

/// Waiting queries by number.
#[derive(Debug, Default)]
pub(crate) struct WaitingTable {
    queries: Vec<Option<Query>>,
    number_of: FxHashMap<QueryId, u32>,
    free: Vec<u32>,
    /// Turn of the last update; `None` if the table is incomplete.
    turn: Option<u64>,
}

impl WaitingTable {
    /// Whether the table holds the waiting list of the previous turn, so that changes suffice.
    pub(crate) fn is_from_previous_turn(&self, state: &State) -> bool {
        let stayed = state.waiting.len() - state.arrived.min(state.waiting.len());
        let knows = |id: &QueryId| self.number_of.contains_key(id);
        let at = |index: usize| state.waiting.get(index).map(|query| query.id);
        let ends = [at(0), at(stayed.saturating_sub(1))];
        self.turn.is_some_and(|turn| turn + 1 == state.turns)
            && self.number_of.len() == stayed + state.departed.len()
            && state.departed.iter().all(knows)
            && (stayed == 0 || ends.iter().flatten().all(knows))
    }

    /// Removes all queries.
    pub(crate) fn clear(&mut self) {
        self.queries.clear();
        self.number_of.clear();
        self.free.clear();
        self.turn = None;
    }

    /// Marks the table as up to date with this turn.
    pub(crate) fn mark_current(&mut self, state: &State) {
        self.turn = Some(state.turns);
    }

    /// Marks the table as incomplete.
    pub(crate) fn invalidate(&mut self) {
        self.turn = None;
    }

    /// Inserts a query and returns its number.
    pub(crate) fn insert(&mut self, query: &Query) -> u32 {
        let number = self.free.pop().unwrap_or(self.queries.len() as u32);
        if number as usize == self.queries.len() {
            self.queries.push(None);
        }
        self.queries[number as usize] = Some(query.clone());
        self.number_of.insert(query.id, number);
        number
    }

    /// Removes a query and returns it with its former number.
    pub(crate) fn remove(&mut self, id: QueryId) -> Option<(u32, Query)> {
        let number = self.number_of.remove(&id)?;
        self.free.push(number);
        let query = self.queries[number as usize].take()?;
        Some((number, query))
    }

    /// Returns the query of a number.
    ///
    /// # Panics
    /// If the number is not in use.
    pub(crate) fn query(&self, number: u32) -> &Query {
        self.queries[number as usize].as_ref().expect("a number in use has its query")
    }

    /// Returns the number of a query.
    pub(crate) fn number(&self, id: QueryId) -> Option<u32> {
        self.number_of.get(&id).copied()
    }

    /// All queries with their numbers.
    pub(crate) fn all(&self) -> impl Iterator<Item = (u32, &Query)> {
        let numbered = (0..).zip(&self.queries);
        numbered.filter_map(|(number, query)| Some((number, query.as_ref()?)))
    }
}

/// Returns the index of a query in the waiting list.
///
/// # Panics
/// If the query is not waiting.
pub(crate) fn waiting_index(waiting: &[Query], id: QueryId) -> u32 {
    // Ids usually ascend; otherwise search linearly.
    let guess = waiting.partition_point(|query| query.id < id);
    let is_found = waiting.get(guess).is_some_and(|query| query.id == id);
    let search = || waiting.iter().position(|query| query.id == id);
    let index = if is_found { Some(guess) } else { search() };
    index.expect("published queries are waiting") as u32
}
