//! Strongly connected components, by Tarjan's algorithm with an explicit stack: a chain of a million
//! terminals must not overflow the call stack.

use super::{Street, TerminalId};

/// The component of each terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    part_of: Vec<u32>,
    sizes: Vec<u32>,
}

impl Parts {
    /// Returns the number of components.
    pub fn count(&self) -> usize {
        self.sizes.len()
    }

    /// Returns the component of a terminal.
    pub fn of(&self, terminal: TerminalId) -> u32 {
        self.part_of[terminal.index()]
    }

    /// Returns the number of terminals of a component.
    pub fn size(&self, part: u32) -> usize {
        self.sizes[part as usize] as usize
    }

    /// Returns the component with the most terminals; ties go to the one with the first terminal.
    pub fn largest(&self) -> Option<u32> {
        let max = self.sizes.iter().max()?;
        self.part_of.iter().copied().find(|&part| self.sizes[part as usize] == *max)
    }
}

/// Returns the strongly connected components of `terminals` terminals joined by `streets`. O(V + E).
pub fn strongly_connected_parts(terminals: usize, streets: &[Street]) -> Parts {
    Tarjan::new(terminals, streets).run()
}

const UNSEEN: u32 = u32::MAX;

struct Tarjan {
    /// The arcs of terminal `t` lead to `targets[starts[t]..starts[t + 1]]`.
    starts: Vec<u32>,
    targets: Vec<u32>,
    /// Number of each terminal in order of discovery, or [`UNSEEN`].
    order: Vec<u32>,
    /// Smallest number reachable from each terminal's subtree (low link).
    low: Vec<u32>,
    part_of: Vec<u32>,
    sizes: Vec<u32>,
    /// Discovered terminals without a component.
    open: Vec<u32>,
    /// Number of discovered terminals.
    seen: u32,
}

impl Tarjan {
    fn new(terminals: usize, streets: &[Street]) -> Tarjan {
        let arcs = || {
            streets.iter().flat_map(|s| {
                [Some((s.from, s.to)), (!s.one_way).then_some((s.to, s.from))].into_iter().flatten()
            })
        };
        let mut starts = vec![0; terminals + 1];
        for (from, _) in arcs() {
            starts[from.index() + 1] += 1;
        }
        for index in 0..terminals {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let mut targets = vec![0; starts[terminals] as usize];
        for (from, to) in arcs() {
            targets[next[from.index()] as usize] = to.0;
            next[from.index()] += 1;
        }
        Tarjan {
            starts,
            targets,
            order: vec![UNSEEN; terminals],
            low: vec![0; terminals],
            part_of: vec![UNSEEN; terminals],
            sizes: Vec::new(),
            open: Vec::new(),
            seen: 0,
        }
    }

    fn run(mut self) -> Parts {
        for root in 0..self.order.len() as u32 {
            if self.order[root as usize] == UNSEEN {
                self.search_from(root);
            }
        }
        Parts { part_of: self.part_of, sizes: self.sizes }
    }

    /// Depth-first search from `root`; the path holds each terminal with its next arc to follow.
    fn search_from(&mut self, root: u32) {
        let mut path = vec![self.enter(root)];
        while let Some((terminal, next_arc)) = path.last_mut() {
            let here = *terminal as usize;
            if *next_arc < self.starts[here + 1] {
                let target = self.targets[*next_arc as usize];
                *next_arc += 1;
                if self.order[target as usize] == UNSEEN {
                    let entered = self.enter(target);
                    path.push(entered);
                } else if self.part_of[target as usize] == UNSEEN {
                    self.low[here] = self.low[here].min(self.order[target as usize]);
                }
            } else {
                path.pop();
                if let Some(&(above, _)) = path.last() {
                    self.low[above as usize] = self.low[above as usize].min(self.low[here]);
                }
                self.close_if_root(here as u32);
            }
        }
    }

    fn enter(&mut self, terminal: u32) -> (u32, u32) {
        let here = terminal as usize;
        self.order[here] = self.seen;
        self.low[here] = self.seen;
        self.seen += 1;
        self.open.push(terminal);
        (terminal, self.starts[here])
    }

    /// Closes a component if `terminal` is its root: all terminals opened since belong to it.
    fn close_if_root(&mut self, terminal: u32) {
        if self.low[terminal as usize] != self.order[terminal as usize] {
            return;
        }
        let part = self.sizes.len() as u32;
        let mut size = 0;
        while let Some(member) = self.open.pop() {
            self.part_of[member as usize] = part;
            size += 1;
            if member == terminal {
                break;
            }
        }
        self.sizes.push(size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;
    use crate::town::{Town, town};

    #[test]
    fn the_end_of_a_one_way_dead_end_is_a_separate_component() {
        //  A ── B ─▶ C
        let map = town("A 0,0  B 100,0  C 200,0 | A-B B>C").map;
        let parts = strongly_connected_parts(3, &map.tables().streets);
        assert_eq!(parts.count(), 2);
        assert_eq!(parts.largest(), Some(parts.of(TerminalId(0))));
        assert_ne!(parts.of(TerminalId(1)), parts.of(TerminalId(2)));
        assert_eq!(parts.size(parts.of(TerminalId(1))), 2);
    }

    #[test]
    fn terminals_share_a_component_exactly_if_each_reaches_the_other() {
        for seed in 0..400 {
            let town = Town::random(seed);
            let map = &town.map;
            let parts = strongly_connected_parts(map.terminal_count(), &map.tables().streets);
            let reach = naive::reachability(map);
            for a in map.terminals() {
                for b in map.terminals() {
                    let together = reach[a.index()][b.index()] && reach[b.index()][a.index()];
                    assert_eq!(
                        parts.of(a) == parts.of(b),
                        together,
                        "seed {seed} {a:?} {b:?}\n{town}"
                    );
                }
            }
            let largest = parts.largest().unwrap();
            assert!((0..parts.count() as u32).all(|p| parts.size(p) <= parts.size(largest)));
        }
    }

    #[test]
    fn a_million_terminals_in_a_row_do_not_overflow_the_stack() {
        let street = |from: u32, to: u32| Street {
            from: TerminalId(from),
            to: TerminalId(to),
            length: crate::units::Length::UNIT,
            name: 0,
            class: 0,
            one_way: true,
        };
        let mut streets: Vec<Street> = (0..999_999).map(|n| street(n, n + 1)).collect();
        assert_eq!(strongly_connected_parts(1_000_000, &streets).count(), 1_000_000);
        streets.push(street(999_999, 0));
        assert_eq!(strongly_connected_parts(1_000_000, &streets).count(), 1);
    }
}
