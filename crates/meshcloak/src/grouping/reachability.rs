//! Which positions a user can have reached from an earlier one: the counting rule of `history`
//! (docs/SPEC.md §6).
//!
//! The path that admission found decides, if it leaves the user enough distance to reach every
//! neighbour from the present position. Otherwise limits up to `dc_max` use the rows of streets
//! ([`NearReach`]) or the distance matrix. Beyond them the query is tight and a search decides
//! ([`ReachedTerminals`]); until it has run, nothing counts as reachable.

use super::near_reach::NearReach;
use crate::distance::{Atlas, ReachedTerminals, Rows};
use crate::map::{Position, StreetId, StreetMap, TerminalId};
use crate::stamps::Stamps;
use crate::units::Length;
use std::fmt;

/// Tests destinations of one origin after the other with reused buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reachability {
    /// Distance from the origin to each terminal, 1/32 m, if it is at most `dc_max`.
    terminals: Stamps<u32>,
    near: NearReach,
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
    /// Whether a search decides what is reachable.
    pub(crate) fn is_tight(self, atlas: &Atlas) -> bool {
        self.method(atlas) == Method::Searched
    }

    fn method(self, atlas: &Atlas) -> Method {
        let has_rows = matches!(atlas.rows(), Rows::Streets(_));
        let is_near = self.limit <= atlas.dc_max();
        if self.neighbours_within.is_some_and(|length| length <= self.limit) {
            Method::All
        } else if has_rows && is_near && NearReach::supports(self.limit) {
            Method::Near
        } else if is_near {
            Method::Matrix
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
    /// Result of the search, if there was one.
    searched: Option<&'a ReachedTerminals>,
}

/// How reachability was decided.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Method {
    /// By the rows of streets.
    Near,
    /// By the path that admission found: every neighbour is reachable.
    All,
    /// By the distance matrix.
    Matrix,
    /// By a search.
    Searched,
}

impl Reachable<'_> {
    /// Returns whether a destination can be reached: the user's present position or that of a
    /// neighbour.
    #[inline]
    pub(crate) fn contains(&self, to: Destination) -> bool {
        let map = self.atlas.map();
        match self.method {
            Method::Near => self.reachability.near.reaches(map, self.origin, to),
            Method::All => true,
            Method::Matrix => {
                let length = self.reachability.length(map, self.origin, to.position);
                length.is_some_and(|length| length <= self.origin.limit)
            }
            Method::Searched => {
                let limit = self.origin.limit;
                self.searched.is_some_and(|found| found.contains(map, to.position, limit))
            }
        }
    }
}

impl Reachability {
    /// Computes which positions can be reached from `origin`. `searched` is the result of the search
    /// for a tight query.
    pub(crate) fn reachable_from<'a>(
        &'a mut self,
        atlas: &'a Atlas,
        origin: Origin,
        searched: Option<&'a ReachedTerminals>,
    ) -> Reachable<'a> {
        let method = origin.method(atlas);
        match (method, atlas.rows()) {
            (Method::Near, Rows::Streets(rows)) => self.near.set_origin(atlas.map(), rows, origin),
            (Method::Matrix, _) => self.read_matrix(atlas, origin.position),
            _ => {}
        }
        Reachable { reachability: self, atlas, origin, method, searched }
    }

    /// Sets the distance of every terminal within `dc_max`.
    fn read_matrix(&mut self, atlas: &Atlas, from: Position) {
        self.terminals.clear(atlas.map().terminal_count());
        for (exit, behind) in atlas.map().exits(from) {
            for (terminal, length) in atlas.matrix().row(exit) {
                self.terminals.lower(terminal.index(), (length + behind).units());
            }
        }
    }

    /// Returns the distance by the matrix. It is exact if it is at most `dc_max`.
    fn length(&self, map: &StreetMap, origin: Origin, to: Position) -> Option<Length> {
        let at = |(terminal, arrive): (TerminalId, Length)| {
            self.terminals.get(terminal.index()).map(|units| Length::from_units(units) + arrive)
        };
        map.entrances(to).filter_map(at).chain(map.along(origin.position, to)).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::{Arcs, MAX_DC_MAX, ReachTask, RowLimits, Search};
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
            let arcs = Arcs::forward(&town.map);
            let mut search = Search::new(town.map.terminal_count());
            for _ in 0..8 {
                let limit = Length::metres(random.random_range(0.0..4_000.0));
                let position = town.position(&mut random);
                let origin = Origin { position, limit, neighbours_within: None };
                let destinations: Vec<Position> =
                    (0..6).map(|_| town.position(&mut random)).collect();
                // Every position is a neighbour: nothing is left out.
                let (from, around, distance_constraint) = (position, position, limit + MAX_DC_MAX);
                let task = ReachTask { from, around, distance_constraint, limit };
                let searched =
                    ReachedTerminals::search(&mut search, &arcs, &town.map, task, u32::MAX);
                let reachable = reachability.reachable_from(&atlas, origin, Some(&searched));
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
