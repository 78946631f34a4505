//! Which positions a user can have reached from an earlier one: the counting rule of `history`
//! (docs/SPEC.md §6).
//!
//! Limits up to `dc_max` use the rows of streets ([`NearReach`]) or the distance matrix. For larger
//! ones the path that admission found decides, if it leaves the user enough distance to reach every
//! neighbour from the present position. Otherwise a Dijkstra search is used, which stops as soon as
//! all destinations are decided, and after [`steps_per_origin`] steps: what is undecided then counts
//! as unreachable. Every search of a batch has the same limit, so that no result depends on the
//! order of searches or on the number of threads.

use super::near_reach::NearReach;
use crate::distance::{Arcs, Atlas, BATCH_REACH_STEPS, REACH_STEPS, Rows, Search};
use crate::map::{Position, StreetId, StreetMap, TerminalId};
use crate::stamps::Stamps;
use crate::units::Length;
use std::fmt;
use std::ops::ControlFlow;

/// Tests destinations of one origin after the other with reused buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reachability {
    /// Search for limits above `dc_max`; created on first use.
    beyond: Option<(Arcs, Search)>,
    /// Steps of the searches since [`Reachability::take_effort`].
    effort: ReachEffort,
    /// Most steps per origin.
    max_steps: u32,
    /// Distance from the origin to each terminal, 1/32 m.
    terminals: Stamps<u32>,
    near: NearReach,
}

/// Returns the most steps per origin in a batch in which `searches` origins need a search.
pub(crate) fn steps_per_origin(searches: usize) -> u32 {
    let share = BATCH_REACH_STEPS / (searches as u64).max(1);
    share.min(u64::from(REACH_STEPS)) as u32
}

/// Work of reach searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReachEffort {
    pub(crate) steps: u64,
    /// Whether a search ended undecided.
    pub(crate) truncated: bool,
}

/// Earlier position of a user, and the longest distance travelled since.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) position: Position,
    pub(crate) limit: Length,
    /// Length of a path from there to the present position, plus the distance constraint: no
    /// neighbour is farther. `None` if no path is known.
    pub(crate) neighbours_within: Option<Length>,
}

/// Present position of a user, and the length of the street from there to its `to` end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Destination {
    pub(crate) position: Position,
    pub(crate) rest: Length,
}

impl Origin {
    /// Whether a search with steps decides what is reachable.
    pub(crate) fn needs_search(self, atlas: &Atlas) -> bool {
        self.limit > atlas.dc_max() && self.method(atlas) == Method::Searched
    }

    fn method(self, atlas: &Atlas) -> Method {
        let has_rows = matches!(atlas.rows(), Rows::Streets(_));
        if has_rows && self.limit <= atlas.dc_max() && NearReach::supports(self.limit) {
            Method::Near
        } else if self.neighbours_within.is_some_and(|length| length <= self.limit) {
            Method::All
        } else {
            Method::Searched
        }
    }
}

/// Hides the position.
impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Origin(…)")
    }
}

/// Hides the position.
impl fmt::Debug for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Destination(…)")
    }
}

impl Destination {
    /// Placeholder for buffers.
    pub(crate) const PLACEHOLDER: Destination = Destination {
        position: Position { street: StreetId(0), offset: Length::ZERO },
        rest: Length::ZERO,
    };

    pub(crate) fn of(map: &StreetMap, position: Position) -> Destination {
        let length = map.street(position.street).length.units();
        let rest = Length::from_units(length - position.offset.units());
        Destination { position, rest }
    }
}

/// Positions that can be reached from one origin.
#[derive(Clone, Copy)]
pub(crate) struct Reachable<'a> {
    reachability: &'a Reachability,
    atlas: &'a Atlas,
    origin: Origin,
    method: Method,
}

/// How reachability was decided.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Method {
    /// By the rows of streets.
    Near,
    /// By the path that admission found: every destination is reachable.
    All,
    /// By a search.
    Searched,
}

impl Reachable<'_> {
    /// Returns whether a destination can be reached. It must be one of those that were passed to
    /// [`Reachability::reachable_from`].
    #[inline]
    pub(crate) fn contains(&self, to: Destination) -> bool {
        match self.method {
            Method::Near => {
                return self.reachability.near.reaches(self.atlas.map(), self.origin, to);
            }
            Method::All => return true,
            Method::Searched => {}
        }
        let length = self.reachability.length(self.atlas, self.origin, to.position);
        length.is_some_and(|length| length <= self.origin.limit)
    }
}

impl Reachability {
    /// Computes which of `destinations` can be reached from `origin`.
    pub(crate) fn reachable_from<'a>(
        &'a mut self,
        atlas: &'a Atlas,
        origin: Origin,
        destinations: &(impl Iterator<Item = Position> + Clone),
    ) -> Reachable<'a> {
        let map = atlas.map();
        let method = origin.method(atlas);
        match (method, atlas.rows()) {
            (Method::Near, Rows::Streets(rows)) => self.near.set_origin(map, rows, origin),
            (Method::Searched, _) => self.search_destinations(atlas, origin, destinations),
            _ => {}
        }
        Reachable { reachability: self, atlas, origin, method }
    }

    /// Searches from `origin` with growing bounds until every destination is decided or the steps
    /// are spent.
    fn search_destinations(
        &mut self,
        atlas: &Atlas,
        origin: Origin,
        destinations: &(impl Iterator<Item = Position> + Clone),
    ) {
        let map = atlas.map();
        let plane = |to: Position| map.point(origin.position).distance(map.point(to));
        // `dc_max` usually suffices. Otherwise the bound at least doubles.
        let mut bound = atlas.dc_max();
        let mut remaining = self.max_steps;
        self.terminals.clear(map.terminal_count());
        loop {
            let is_last = bound >= origin.limit;
            bound = bound.min(origin.limit);
            let is_complete = self.search(atlas, origin.position, bound, &mut remaining);
            let known = |to: Position| self.length(atlas, origin, to).is_some_and(|d| d <= bound);
            if is_last || !is_complete || destinations.clone().all(known) {
                break;
            }
            let far = destinations.clone().map(plane).fold(0.0, f64::max);
            bound = Length::metres(2.0 * far + 100.0).max(bound + bound);
        }
    }

    /// Sets the most steps per origin; 0 at first.
    pub(crate) fn set_max_steps(&mut self, max_steps: u32) {
        self.max_steps = max_steps;
    }

    /// Returns the work since the last call.
    pub(crate) fn take_effort(&mut self) -> ReachEffort {
        std::mem::take(&mut self.effort)
    }

    /// Adds the distance of every terminal within `bound`. Returns whether the steps sufficed.
    fn search(
        &mut self,
        atlas: &Atlas,
        from: Position,
        bound: Length,
        remaining: &mut u32,
    ) -> bool {
        let map = atlas.map();
        let Reachability { beyond, terminals, effort, .. } = self;
        let mut relax = |terminal: TerminalId, length: Length| {
            terminals.lower(terminal.index(), length.units());
        };
        if bound <= atlas.dc_max() {
            for (exit, behind) in map.exits(from) {
                for (terminal, length) in atlas.matrix().row(exit) {
                    relax(terminal, length + behind);
                }
            }
            return true;
        }
        let (arcs, search) =
            beyond.get_or_insert_with(|| (Arcs::forward(map), Search::new(map.terminal_count())));
        let mut is_complete = true;
        search.run_while(arcs, map.exits(from), bound, |terminal, length| {
            if *remaining == 0 {
                is_complete = false;
                return ControlFlow::Break(());
            }
            *remaining -= 1;
            effort.steps += 1;
            relax(terminal, length);
            ControlFlow::Continue(())
        });
        effort.truncated |= !is_complete;
        is_complete
    }

    /// Returns the shortest distance found. It is exact if it is within the bound of the search.
    fn length(&self, atlas: &Atlas, origin: Origin, to: Position) -> Option<Length> {
        let map = atlas.map();
        let at = |(terminal, arrive): (TerminalId, Length)| {
            self.terminals.get(terminal.index()).map(|units| Length::from_units(units) + arrive)
        };
        map.entrances(to).filter_map(at).chain(map.along(origin.position, to)).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::RowLimits;
    use crate::naive;
    use crate::town::Town;
    use rand::RngExt as _;

    #[test]
    fn reachable_destinations_equal_those_of_the_definition() {
        let (mut yes, mut no) = (0, 0);
        for seed in 0..400 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let table = naive::terminal_distances(&town.map);
            let dc_max = Length::metres([50.0, 300.0, 2_000.0][seed as usize % 3]);
            // A short near part, so that small towns have far parts.
            let limits = RowLimits { near_len: 5, ..RowLimits::default() };
            let atlas = Atlas::with_limits(town.map.clone(), dc_max, limits);
            let mut reachability = Reachability::default();
            reachability.set_max_steps(REACH_STEPS);
            for _ in 0..8 {
                let limit = Length::metres(random.random_range(0.0..4_000.0));
                let position = town.position(&mut random);
                let origin = Origin { position, limit, neighbours_within: None };
                let destinations: Vec<Position> =
                    (0..6).map(|_| town.position(&mut random)).collect();
                let reachable =
                    reachability.reachable_from(&atlas, origin, &destinations.iter().copied());
                for &to in &destinations {
                    let reached = reachable.contains(Destination::of(&town.map, to));
                    let length = naive::distance(&town.map, &table, origin.position, to);
                    let expected = length.is_some_and(|length| length <= limit);
                    assert_eq!(
                        reached, expected,
                        "seed {seed} {:?} {to:?}\n{town}",
                        origin.position
                    );
                    if reached { yes += 1 } else { no += 1 }
                }
            }
        }
        assert!(yes > 2_000 && no > 2_000, "{yes} yes, {no} no");
    }
}
