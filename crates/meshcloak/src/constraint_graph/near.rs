//! The streets within reach of one street, as whoever walks from it needs them: read from the rows
//! of streets, or, where those do not fit into memory, gathered from the rows of terminals.

use crate::distance::{Atlas, Crossing, Gather, Reached, Rows};
use crate::map::StreetId;

/// Room for the streets within reach of one street after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Near {
    row: Vec<Reached>,
    gather: Gather,
}

/// The streets within reach of a street: a row in one or two parts.
pub(super) struct NearStreets<'a> {
    /// Whether the nearest come first; those gathered come about in that order.
    pub(super) sorted: bool,
    /// Round to the street itself.
    pub(super) own: Crossing,
    /// The row, each part with the ways back as far as they are known by entry.
    pub(super) parts: [(&'a [Reached], Option<&'a [Crossing]>); 2],
}

impl Near {
    /// The streets that can be reached from `street` within `farthest` of its exits, at least.
    pub(super) fn streets<'a>(
        &'a mut self,
        atlas: &'a Atlas,
        street: StreetId,
        farthest: i32,
    ) -> NearStreets<'a> {
        match atlas.rows() {
            Rows::Streets(reach) => {
                let parts = reach.parts(street, farthest);
                NearStreets { sorted: true, own: reach.own(street), parts }
            }
            Rows::Terminals(rows) => {
                let within = |exit| {
                    let row = rows.row(exit).iter().copied();
                    row.take_while(|&(_, distance)| i32::from(distance) <= farthest)
                };
                self.row.clear();
                let own = self.gather.row(atlas.map(), street, within, &mut self.row);
                NearStreets { sorted: false, own, parts: [(&self.row, None), (&[], None)] }
            }
        }
    }
}
