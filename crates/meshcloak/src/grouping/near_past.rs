//! Who can have come from where somebody was before, if that is near: read from the rows of streets,
//! of which only the beginning is looked at.

use super::past::{Before, Whereabouts};
use crate::distance::{Crossing, Reach, ReachedStreet};
use crate::map::{Position, StreetMap};
use crate::stamps::Stamps;
use crate::units::Length;

/// How far it is from where somebody was to the ends of the streets around.
#[derive(Clone, Debug, Default)]
pub(super) struct NearPast {
    ends: Stamps<Ends>,
}

/// Distances to the ends of a street, 1/32 m.
#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    from: u16,
    to: u16,
}

impl NearPast {
    /// Whether lengths up to `farthest` are near enough, if rows know them.
    pub(super) fn knows(farthest: Length) -> bool {
        farthest.units() < u32::from(u16::MAX)
    }

    /// Notes how far it is to the ends of every street that can be entered within
    /// `before.farthest`, which must be within the rows.
    pub(super) fn spread_out(&mut self, map: &StreetMap, rows: &Reach, before: Before) {
        self.ends.clear(map.street_count());
        let Position { street, offset } = before.position;
        let at = map.street(street);
        let [behind, ahead] = [offset.units(), at.length.units() - offset.units()];
        let least = if at.one_way { ahead } else { behind.min(ahead) };
        let Some(left) = before.farthest.units().checked_sub(least) else { return };
        // What is too far for sixteen bits, or does not lead on, is beyond what is asked for.
        let short = |length: u32| length.min(u16::MAX.into()) as u16;
        let ends = |crossing: Crossing| {
            let [from_from, from_to, to_from, to_to] = crossing.map(u32::from);
            Ends {
                from: short((behind + from_from).min(ahead + to_from)),
                to: short((behind + from_to).min(ahead + to_to)),
            }
        };
        self.ends.insert(street.index(), ends(rows.own(street)));
        for part in rows.parts(street, left as i32) {
            let near = |row: &&ReachedStreet| u32::from(row.nearest) <= left;
            for reached in part.entries.iter().take_while(near) {
                self.ends.insert(reached.street.index(), ends(reached.crossing));
            }
        }
    }

    /// Whether a position can be reached.
    #[inline]
    pub(super) fn reaches(&self, map: &StreetMap, before: Before, to: Whereabouts) -> bool {
        let Whereabouts { position, rest } = to;
        let (is_set, ends) = self.ends.peek(position.street.index());
        let farthest = before.farthest.units();
        let from = u32::from(ends.from) + position.offset.units();
        let end = u32::from(ends.to) + rest.units();
        // Nobody can guess the answer, so there is one branch less to guess wrong.
        let entered = is_set & ((from <= farthest) | (end <= farthest));
        let along =
            || map.along(before.position, position).is_some_and(|way| way <= before.farthest);
        entered | (position.street == before.position.street && along())
    }
}
