//! Algorithm 3 to the letter: breadth first, and the first visit to a terminal wins.

use super::MeshKey;
use crate::map::{StreetMap, StreetSet, TerminalId};
use std::collections::VecDeque;

/// Room for one walk after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct BreadthFirst {
    visited_in: Vec<u32>,
    walk: u32,
    queue: VecDeque<(u32, i64)>,
}

impl BreadthFirst {
    /// Lines 2–15. `N(v)` is taken in street order, so of parallel streets the first.
    pub(super) fn expand(&mut self, map: &StreetMap, member: MeshKey, mesh: &mut StreetSet) {
        self.begin(map.terminal_count());
        let street = map.street(member.street);
        let ends = [Some(street.to), (!street.one_way).then_some(street.from)]; // lines 4–8
        for end in ends.into_iter().flatten() {
            self.queue.push_back((end.0, i64::from(member.dc.units())));
            self.visited_in[end.index()] = self.walk;
        }
        while let Some((terminal, left)) = self.queue.pop_front() {
            if left <= 0 {
                continue; // line 11
            }
            for arm in map.leaving(TerminalId(terminal)) {
                if self.visited_in[arm.terminal.index()] != self.walk {
                    self.visited_in[arm.terminal.index()] = self.walk;
                    mesh.insert(arm.street); // line 13
                    let length = i64::from(map.street(arm.street).length.units());
                    self.queue.push_back((arm.terminal.0, left - length));
                }
            }
        }
    }

    fn begin(&mut self, terminals: usize) {
        self.visited_in.resize(terminals, 0);
        self.walk = self.walk.wrapping_add(1);
        if self.walk == 0 {
            self.visited_in.fill(0);
            self.walk = 1;
        }
        self.queue.clear();
    }
}
