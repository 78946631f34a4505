//! Previous position of the user of each waiting query.
//!
//! ```text
//! State::waiting   q3  q7  q8  q9        in order of arrival
//! entries          3   7   8   9  │ 10   ascending by id; queries that arrive with the next turn follow
//! late             FxHashMap             entries below the last id, until the next turn merges them
//! ```
//!
//! Ids ascend in order of arrival, so the entry of a waiting query has the index of the query. Readers
//! pass that index as a hint; if it fails, the entry is found by binary search. A hash map reads two
//! random cache lines for each query instead: 8 to 10 % of a turn under `history`. Reference: the map
//! of the test.

use super::PastPosition;
use crate::query::QueryId;
use rustc_hash::FxHashMap;

/// Previous positions by query.
#[derive(Clone, Default)]
pub(super) struct WaitingPast {
    entries: Vec<Entry>,
    late: FxHashMap<QueryId, Option<PastPosition>>,
}

#[derive(Clone, Copy)]
struct Entry {
    id: QueryId,
    past: Option<PastPosition>,
}

impl WaitingPast {
    /// Number of queries with an entry.
    pub(super) fn len(&self) -> usize {
        self.entries.len() + self.late.len()
    }

    /// Sets the entry of a query.
    pub(super) fn set(&mut self, id: QueryId, past: Option<PastPosition>) {
        if self.entries.last().is_none_or(|last| last.id < id) {
            self.entries.push(Entry { id, past });
            return;
        }
        match self.entries.binary_search_by_key(&id, |entry| entry.id) {
            Ok(index) => self.entries[index].past = past,
            Err(_) => drop(self.late.insert(id, past)),
        }
    }

    /// Returns the entry of a query; `hint` is its index in the waiting list, if it is known.
    #[inline]
    pub(super) fn get(&self, hint: usize, id: QueryId) -> Option<Option<PastPosition>> {
        match self.entries.get(hint) {
            Some(entry) if entry.id == id => Some(entry.past),
            _ => self.find(id),
        }
    }

    /// Sets the entry of a query that may have one already.
    pub(super) fn replace(&mut self, hint: usize, id: QueryId, past: Option<PastPosition>) {
        match self.entries.get_mut(hint) {
            Some(entry) if entry.id == id => entry.past = past,
            _ => self.set(id, past),
        }
    }

    #[cold]
    fn find(&self, id: QueryId) -> Option<Option<PastPosition>> {
        match self.entries.binary_search_by_key(&id, |entry| entry.id) {
            Ok(index) => Some(self.entries[index].past),
            Err(_) => self.late.get(&id).copied(),
        }
    }

    /// Inserts late entries in their places. O(n) if there are any.
    pub(super) fn merge_late(&mut self) {
        if !self.late.is_empty() {
            let late = self.late.drain().map(|(id, past)| Entry { id, past });
            self.entries.extend(late);
            self.entries.sort_unstable_by_key(|entry| entry.id);
        }
    }

    /// Removes the entries of some queries, in one pass if their ids ascend. O(n).
    pub(super) fn remove(&mut self, ids: impl Iterator<Item = QueryId>) {
        let mut ids: Vec<QueryId> = ids.collect();
        if !ids.is_sorted() {
            ids.sort_unstable();
        }
        let Some(first) = ids.first() else { return };
        let start = self.entries.partition_point(|entry| entry.id < *first);
        let (mut end, mut next) = (start, 0);
        for index in start..self.entries.len() {
            let entry = self.entries[index];
            while ids.get(next).is_some_and(|id| *id < entry.id) {
                next += 1;
            }
            self.entries[end] = entry;
            end += usize::from(ids.get(next) != Some(&entry.id));
        }
        self.entries.truncate(end);
        if !self.late.is_empty() {
            self.late.retain(|id, _| ids.binary_search(id).is_err());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::{Position, StreetId};
    use crate::town::Town;
    use crate::units::{Length, Time};
    use rand::RngExt as _;
    use std::collections::BTreeMap;

    #[test]
    fn entries_equal_those_of_a_map_for_any_order_of_ids() {
        let (mut found, mut missing, mut late, mut hinted) = (0, 0, 0, 0);
        for seed in 0..300 {
            let mut random = Town::generator(seed);
            let mut past = WaitingPast::default();
            let mut map: BTreeMap<QueryId, Option<PastPosition>> = BTreeMap::new();
            let mut next_id = 0;
            for _ in 0..6 {
                for _ in 0..random.random_range(0..30) {
                    next_id += 1;
                    let is_late = seed % 2 == 1 && random.random_bool(0.3);
                    let id =
                        QueryId(if is_late { random.random_range(0..next_id) } else { next_id });
                    let position = Position { street: StreetId(0), offset: Length::UNIT };
                    let at = Time::from_millis(random.random_range(0..9));
                    let value = PastPosition { at, position, travelled: None };
                    let value = random.random_bool(0.7).then_some(value);
                    past.set(id, value);
                    map.insert(id, value);
                }
                late += past.late.len();
                let check = |past: &WaitingPast| {
                    assert_eq!(past.len(), map.len(), "seed {seed}");
                    for id in (0..=next_id).map(QueryId) {
                        let hint = random.clone().random_range(0..40);
                        assert_eq!(past.get(hint, id), map.get(&id).copied(), "seed {seed} {id:?}");
                    }
                };
                check(&past);
                past.merge_late();
                check(&past);
                for (index, (id, value)) in map.iter().enumerate() {
                    assert!(past.entries[index].id == *id && past.get(index, *id) == Some(*value));
                    hinted += 1;
                }
                let mut leaving: Vec<QueryId> =
                    (0..=next_id).filter(|_| random.random_bool(0.4)).map(QueryId).collect();
                if random.random_bool(0.5) {
                    leaving.reverse();
                }
                let before = map.len();
                map.retain(|id, _| !leaving.contains(id));
                past.remove(leaving.into_iter());
                assert!(past.entries.iter().map(|entry| entry.id).eq(map.keys().copied()));
                found += map.len();
                missing += before - map.len();
            }
        }
        assert!(found > 2_000 && missing > 2_000 && late > 500 && hinted > 2_000);
    }
}
