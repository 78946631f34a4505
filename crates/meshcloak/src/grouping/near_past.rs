//! Who can have come from where somebody was before, if that is near: read from the rows of streets,
//! of which only the beginning is looked at.

use super::past::Before;
use crate::distance::Reach;
use crate::map::{Position, StreetMap};

/// How far it is from where somebody was to the ends of the streets around.
#[derive(Clone, Debug, Default)]
pub(super) struct NearPast {
    ends: Vec<Ends>,
    now: u32,
}

/// How far it is to the ends of a street; of the present question if the stamp is.
#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    stamp: u32,
    from: u32,
    to: u32,
}

impl NearPast {
    /// Notes how far it is to the ends of every street that can be entered within
    /// `before.farthest`, which must be within the rows.
    pub(super) fn spread_out(&mut self, map: &StreetMap, rows: &Reach, before: Before) {
        self.ends.resize(map.street_count(), Ends::default());
        self.now = self.now.wrapping_add(1);
        if self.now == 0 {
            self.ends.fill(Ends::default());
            self.now = 1;
        }
        let Position { street, offset } = before.position;
        let at = map.street(street);
        let [behind, ahead] = [offset.units(), at.length.units() - offset.units()];
        let least = if at.one_way { ahead } else { behind.min(ahead) };
        let Some(left) = before.farthest.units().checked_sub(least) else { return };
        let ends = |[from_from, from_to, to_from, to_to]: [u16; 4]| Ends {
            stamp: self.now,
            from: add(behind, from_from).min(add(ahead, to_from)),
            to: add(behind, from_to).min(add(ahead, to_to)),
        };
        self.ends[street.index()] = ends(rows.own(street));
        for reached in rows.row(street).take_while(|row| u32::from(row.nearest) <= left) {
            self.ends[reached.street.index()] = ends(reached.crossing);
        }
    }

    /// Whether a position can be reached.
    pub(super) fn reaches(&self, map: &StreetMap, before: Before, to: Position) -> bool {
        let Ends { stamp, from, to: end } = self.ends[to.street.index()];
        let farthest = before.farthest.units();
        let offset = to.offset.units();
        let rest = || map.street(to.street).length.units() - offset;
        let entered = stamp == self.now
            && (from.saturating_add(offset) <= farthest || end.saturating_add(rest()) <= farthest);
        let along = || map.along(before.position, to).is_some_and(|way| way.units() <= farthest);
        entered || (to.street == before.position.street && along())
    }
}

/// A way to an exit and on; there is none if it does not lead on.
fn add(way: u32, on: u16) -> u32 {
    if on == u16::MAX { u32::MAX } else { way + u32::from(on) }
}
