//! Algorithm 3 as printed: breadth first, and the first visit to a terminal wins.

use super::MeshKey;
use crate::map::{StreetMap, StreetSet, TerminalId};
use crate::stamps::Stamps;
use std::collections::VecDeque;

/// Scratch buffers of the breadth-first search.
#[derive(Clone, Debug, Default)]
pub(super) struct BreadthFirst {
    visited: Stamps<()>,
    /// Terminals to expand, with the remaining length in 1/32 m.
    queue: VecDeque<(TerminalId, i64)>,
}

impl BreadthFirst {
    /// Lines 2–15. `N(v)` is enumerated in street order, so the first of parallel streets wins.
    pub(super) fn expand(&mut self, map: &StreetMap, key: MeshKey, mesh: &mut StreetSet) {
        self.visited.clear(map.terminal_count());
        self.queue.clear();
        let street = map.street(key.street);
        let ends = [Some(street.to), (!street.one_way).then_some(street.from)]; // lines 4–8
        for end in ends.into_iter().flatten() {
            self.queue.push_back((end, i64::from(key.dc.units())));
            self.visited.insert(end.index(), ());
        }
        while let Some((terminal, remaining)) = self.queue.pop_front() {
            if remaining <= 0 {
                continue; // line 11
            }
            for arm in map.leaving(terminal) {
                if self.visited.insert(arm.terminal.index(), ()) {
                    mesh.insert(arm.street); // line 13
                    let length = i64::from(map.street(arm.street).length.units());
                    self.queue.push_back((arm.terminal, remaining - length));
                }
            }
        }
    }
}
