//! Reachability within `dc_max`, from the precomputed rows of streets.
//!
//! ```text
//! ends[street]   from  u16   distance from the origin to the street's `from` end, 1/32 m
//!                to    u16   distance from the origin to the street's `to` end, 1/32 m
//! ```
//!
//! Rows are sorted by distance, so only the prefix within the limit is read. Each destination is
//! then tested with two additions instead of a lookup in the distance matrix per pair of ends.

use super::reachability::{Destination, Origin};
use crate::distance::{Crossing, Reach, ReachedStreet};
use crate::map::{Position, StreetMap};
use crate::stamps::Stamps;
use crate::units::Length;

/// Distances from one origin to the ends of the streets around it.
#[derive(Clone, Debug, Default)]
pub(super) struct NearReach {
    ends: Stamps<Ends>,
}

/// Distances to the ends of a street.
#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    from: u16,
    to: u16,
}

impl NearReach {
    /// Returns whether distances up to `limit` fit 16 bits.
    pub(super) fn supports(limit: Length) -> bool {
        limit.units() < u32::from(u16::MAX)
    }

    /// Computes the distances to the ends of every street that can be entered within
    /// `origin.limit`, which must not exceed `dc_max`.
    pub(super) fn set_origin(&mut self, map: &StreetMap, rows: &Reach, origin: Origin) {
        self.ends.clear(map.street_count());
        let Position { street, offset } = origin.position;
        let at = map.street(street);
        let [behind, ahead] = [offset.units(), at.length.units() - offset.units()];
        let nearest_exit = if at.one_way { ahead } else { behind.min(ahead) };
        let Some(left) = origin.limit.units().checked_sub(nearest_exit) else { return };
        // Longer or infinite distances exceed the limit anyway.
        let saturate = |length: u32| length.min(u16::MAX.into()) as u16;
        let ends = |crossing: Crossing| {
            let [from_from, from_to, to_from, to_to] = crossing.map(u32::from);
            Ends {
                from: saturate((behind + from_from).min(ahead + to_from)),
                to: saturate((behind + from_to).min(ahead + to_to)),
            }
        };
        self.ends.insert(street.index(), ends(rows.near(street).own));
        for part in rows.parts(street, left as i32) {
            let is_near = |row: &&ReachedStreet| u32::from(row.nearest) <= left;
            for reached in part.entries.iter().take_while(is_near) {
                self.ends.insert(reached.street.index(), ends(reached.crossing));
            }
        }
    }

    /// Returns whether a destination is within the limit.
    #[inline]
    pub(super) fn reaches(&self, map: &StreetMap, origin: Origin, to: Destination) -> bool {
        let Destination { position, rest } = to;
        let (is_set, ends) = self.ends.peek(position.street.index());
        let limit = origin.limit.units();
        let via_from = u32::from(ends.from) + position.offset.units();
        let via_to = u32::from(ends.to) + rest.units();
        // Branchless, because the result is unpredictable.
        let is_entered = is_set & ((via_from <= limit) | (via_to <= limit));
        let along =
            || map.along(origin.position, position).is_some_and(|length| length <= origin.limit);
        is_entered | (position.street == origin.position.street && along())
    }
}
