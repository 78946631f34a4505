//! Who can have come from where somebody was before: the `history` guarantee counts only those.
//!
//! Within `dc_max` the rows of streets know, or the distance matrix; beyond, a search that stops as
//! soon as it can.

use super::near_past::NearPast;
use crate::distance::{Arcs, Atlas, Rows, Search};
use crate::map::{Position, StreetId, StreetMap, TerminalId};
use crate::stamps::Stamps;
use crate::units::Length;
use std::fmt;

/// Measures how far it is from one position to others, beyond `dc_max` too.
#[derive(Clone, Debug, Default)]
pub(crate) struct Past {
    beyond: Option<(Arcs, Search)>,
    /// Distance of each terminal from the past position, 1/32 m.
    spread: Stamps<u32>,
    near: NearPast,
}

/// Where somebody was, and how far she can have come since.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Before {
    pub(crate) position: Position,
    pub(crate) farthest: Length,
}

/// Where somebody is, and how long her street goes on behind her.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Whereabouts {
    pub(crate) position: Position,
    pub(crate) rest: Length,
}

/// Where people are and were never gets printed.
impl fmt::Debug for Before {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Before(…)")
    }
}

impl fmt::Debug for Whereabouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Whereabouts(…)")
    }
}

impl Whereabouts {
    /// The first street of any map, before anybody is put there.
    pub(crate) const NOWHERE: Whereabouts = Whereabouts {
        position: Position { street: StreetId(0), offset: Length::ZERO },
        rest: Length::ZERO,
    };

    pub(crate) fn of(map: &StreetMap, position: Position) -> Whereabouts {
        let length = map.street(position.street).length.units();
        let rest = Length::from_units(length - position.offset.units());
        Whereabouts { position, rest }
    }
}

/// What can be reached from where somebody was.
#[derive(Clone, Copy)]
pub(crate) struct Reachable<'a> {
    past: &'a Past,
    atlas: &'a Atlas,
    before: Before,
    is_near: bool,
}

impl Reachable<'_> {
    /// Whether somebody is there who was named when it was asked for.
    #[inline]
    pub(crate) fn holds(&self, to: Whereabouts) -> bool {
        if self.is_near {
            return self.past.near.reaches(self.atlas.map(), self.before, to);
        }
        let length = self.past.length(self.atlas, self.before, to.position);
        length.is_some_and(|length| length <= self.before.farthest)
    }
}

impl Past {
    /// What of `others` can be reached from `before`.
    pub(crate) fn reach<'a>(
        &'a mut self,
        atlas: &'a Atlas,
        before: Before,
        others: &(impl Iterator<Item = Position> + Clone),
    ) -> Reachable<'a> {
        let map = atlas.map();
        if let Rows::Streets(rows) = atlas.rows()
            && before.farthest <= atlas.dc_max()
            && NearPast::knows(before.farthest)
        {
            self.near.spread_out(map, rows, before);
            return Reachable { past: self, atlas, before, is_near: true };
        }
        let plane = |to: Position| map.point(before.position).distance(map.point(to));
        // How far the first search looks: far enough as a rule.
        let mut bound = atlas.dc_max();
        loop {
            let last = bound >= before.farthest;
            bound = bound.min(before.farthest);
            self.spread_out(atlas, before.position, bound);
            let known = |to: Position| self.length(atlas, before, to).is_some_and(|d| d <= bound);
            if last || others.clone().all(known) {
                break;
            }
            let far = others.clone().map(plane).fold(0.0, f64::max);
            bound = Length::metres(2.0 * far + 100.0).max(bound + bound);
        }
        Reachable { past: self, atlas, before, is_near: false }
    }

    /// Notes the distance of every terminal within `bound`.
    fn spread_out(&mut self, atlas: &Atlas, from: Position, bound: Length) {
        let map = atlas.map();
        let Past { beyond, spread, .. } = self;
        spread.clear(map.terminal_count());
        let mut note = |terminal: TerminalId, length: Length| {
            spread.lower(terminal.index(), length.units());
        };
        if bound <= atlas.dc_max() {
            for (exit, behind) in map.exits(from) {
                for (terminal, length) in atlas.matrix().row(exit) {
                    note(terminal, length + behind);
                }
            }
        } else {
            let (ways, search) = beyond
                .get_or_insert_with(|| (Arcs::forward(map), Search::new(map.terminal_count())));
            search.run(ways, map.exits(from), bound, note);
        }
    }

    /// The shortest way found; there may be shorter ones beyond the bound of the search, no others.
    fn length(&self, atlas: &Atlas, before: Before, to: Position) -> Option<Length> {
        let map = atlas.map();
        let at = |(terminal, arrive): (TerminalId, Length)| {
            self.spread.get(terminal.index()).map(|units| Length::from_units(units) + arrive)
        };
        map.entrances(to).filter_map(at).chain(map.along(before.position, to)).min()
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
    fn those_can_have_come_whom_the_definition_names() {
        let (mut yes, mut no) = (0, 0);
        for seed in 0..400 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let table = naive::terminal_distances(&town.map);
            let dc_max = Length::metres([50.0, 300.0, 2_000.0][seed as usize % 3]);
            // A short near part, so that small towns have far parts.
            let limits = RowLimits { near_len: 5, ..RowLimits::default() };
            let atlas = Atlas::with_limits(town.map.clone(), dc_max, limits);
            let mut past = Past::default();
            for _ in 0..8 {
                let farthest = Length::metres(random.random_range(0.0..4_000.0));
                let before = Before { position: town.position(&mut random), farthest };
                let others: Vec<Position> = (0..6).map(|_| town.position(&mut random)).collect();
                let reachable = past.reach(&atlas, before, &others.iter().copied());
                for &to in &others {
                    let reached = reachable.holds(Whereabouts::of(&town.map, to));
                    let length = naive::distance(&town.map, &table, before.position, to);
                    let expected = length.is_some_and(|length| length <= farthest);
                    assert_eq!(
                        reached, expected,
                        "seed {seed} {:?} {to:?}\n{town}",
                        before.position
                    );
                    if reached { yes += 1 } else { no += 1 }
                }
            }
        }
        assert!(yes > 2_000 && no > 2_000, "{yes} yes, {no} no");
    }
}
