//! Who waits, as a scheme remembers it from one turn to the next: each query under a small number
//! that stays the same as long as it waits.

use meshcloak::query::{Query, QueryId};
use meshcloak::scheme::State;
use rustc_hash::FxHashMap;

/// The waiting queries by number.
#[derive(Debug, Default)]
pub(crate) struct Roster {
    queries: Vec<Option<Query>>,
    number_of: FxHashMap<QueryId, u32>,
    free: Vec<u32>,
    /// The turn it was last brought up to date in; `None` if it cannot be relied on.
    turn: Option<u64>,
}

impl Roster {
    /// Whether this roster is that of the turn before, so that the changes are enough.
    pub(crate) fn is_of_the_turn_before(&self, state: &State) -> bool {
        let stayed = state.waiting.len() - state.arrived.min(state.waiting.len());
        let knows = |id: &QueryId| self.number_of.contains_key(id);
        let at = |place: usize| state.waiting.get(place).map(|query| query.id);
        let ends = [at(0), at(stayed.saturating_sub(1))];
        self.turn.is_some_and(|turn| turn + 1 == state.turns)
            && self.number_of.len() == stayed + state.departed.len()
            && state.departed.iter().all(knows)
            && (stayed == 0 || ends.iter().flatten().all(knows))
    }

    /// Forgets everyone.
    pub(crate) fn clear(&mut self) {
        self.queries.clear();
        self.number_of.clear();
        self.free.clear();
        self.turn = None;
    }

    /// From here on the roster is that of this turn.
    pub(crate) fn settle(&mut self, state: &State) {
        self.turn = Some(state.turns);
    }

    /// The roster can no longer be relied on.
    pub(crate) fn spoil(&mut self) {
        self.turn = None;
    }

    /// Somebody comes. Gives her number.
    pub(crate) fn enter(&mut self, query: &Query) -> u32 {
        let number = self.free.pop().unwrap_or(self.queries.len() as u32);
        if number as usize == self.queries.len() {
            self.queries.push(None);
        }
        self.queries[number as usize] = Some(query.clone());
        self.number_of.insert(query.id, number);
        number
    }

    /// Somebody goes. Gives the number that was hers.
    pub(crate) fn leave(&mut self, id: QueryId) -> Option<(u32, Query)> {
        let number = self.number_of.remove(&id)?;
        self.free.push(number);
        let query = self.queries[number as usize].take()?;
        Some((number, query))
    }

    /// The query with a number.
    ///
    /// # Panics
    /// If nobody has it; numbers come from this roster.
    pub(crate) fn query(&self, number: u32) -> &Query {
        self.queries[number as usize].as_ref().expect("a number in use has its query")
    }

    /// The number of a query.
    pub(crate) fn number(&self, id: QueryId) -> Option<u32> {
        self.number_of.get(&id).copied()
    }

    /// Everyone, by number.
    pub(crate) fn all(&self) -> impl Iterator<Item = (u32, &Query)> {
        let numbered = (0..).zip(&self.queries);
        numbered.filter_map(|(number, query)| Some((number, query.as_ref()?)))
    }
}

/// The place of a query in the waiting list.
///
/// # Panics
/// If it does not wait.
pub(crate) fn place_of(waiting: &[Query], id: QueryId) -> u32 {
    // Ids usually ascend; where they do not, everyone is looked at.
    let guess = waiting.partition_point(|query| query.id < id);
    let there = waiting.get(guess).is_some_and(|query| query.id == id);
    let search = || waiting.iter().position(|query| query.id == id);
    let place = if there { Some(guess) } else { search() };
    place.expect("who is published waits") as u32
}
