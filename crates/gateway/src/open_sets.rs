//! Sets of a round that wait for the ends of their requests.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Sets `S` by the requests that they wait for. A request ends with an `E`.
pub(crate) struct OpenSets<S, E> {
    /// `None` once the set is complete.
    sets: Vec<Option<OpenSet<S, E>>>,
    /// Indices of the sets that wait for each request.
    waiting: BTreeMap<usize, Vec<usize>>,
}

/// A set, and the ends of its requests.
pub(crate) struct OpenSet<S, E> {
    set: S,
    ends: Vec<(usize, Arc<E>)>,
    /// Number of requests that have not ended.
    missing: usize,
}

impl<S, E> OpenSets<S, E> {
    /// Creates sets with their distinct requests; no request has ended.
    pub(crate) fn new(sets: impl IntoIterator<Item = (S, Vec<usize>)>) -> OpenSets<S, E> {
        let mut open = OpenSets { sets: Vec::new(), waiting: BTreeMap::new() };
        for (set, requests) in sets {
            for &request in &requests {
                open.waiting.entry(request).or_default().push(open.sets.len());
            }
            open.sets.push(Some(OpenSet { set, ends: Vec::new(), missing: requests.len() }));
        }
        open
    }

    /// Records the end of a request. Calls `complete` with each set whose last it is.
    pub(crate) fn end(
        &mut self,
        request: usize,
        end: &Arc<E>,
        mut complete: impl FnMut(OpenSet<S, E>),
    ) {
        for index in self.waiting.remove(&request).unwrap_or_default() {
            let Some(entry) = self.sets.get_mut(index) else { continue };
            let Some(set) = entry else { continue };
            set.ends.push((request, Arc::clone(end)));
            set.missing = set.missing.saturating_sub(1);
            if set.missing == 0 {
                entry.take().into_iter().for_each(&mut complete);
            }
        }
    }

    /// Completes all sets with this end of the requests that have none.
    pub(crate) fn end_all(&mut self, end: &Arc<E>, mut complete: impl FnMut(OpenSet<S, E>)) {
        while let Some((&request, _)) = self.waiting.first_key_value() {
            self.end(request, end, &mut complete);
        }
    }

    /// Number of sets that wait.
    pub(crate) fn count(&self) -> usize {
        self.sets.iter().flatten().count()
    }
}

impl<S, E> OpenSet<S, E> {
    /// Returns the set, and the ends of its requests by number.
    pub(crate) fn into_parts(self) -> (S, Vec<(usize, Arc<E>)>) {
        (self.set, self.ends)
    }
}
