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

/// The ways back from the streets that were reached.
#[derive(Clone, Copy, Debug)]
pub(super) enum WaysBack {
    /// The ways there: every street is two-way.
    Same,
    /// Known by entry.
    Known,
    /// To be looked up.
    Unknown,
}

/// The streets within reach of a street: a row in one or two parts.
pub(super) struct NearStreets<'a> {
    /// Whether the nearest come first; those gathered come about in that order.
    pub(super) sorted: bool,
    /// Round to the street itself.
    pub(super) own: Crossing,
    /// The row, each part with the ways back as far as they are known by entry.
    pub(super) parts: [(&'a [Reached], Option<&'a [Crossing]>); 2],
    pub(super) ways_back: WaysBack,
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
                let ways_back = if parts[0].1.is_some() { WaysBack::Known } else { WaysBack::Same };
                NearStreets { sorted: true, own: reach.own(street), parts, ways_back }
            }
            Rows::Terminals(rows) => {
                let within = |exit| {
                    let row = rows.row(exit).iter().copied();
                    row.take_while(|&(_, distance)| i32::from(distance) <= farthest)
                };
                self.row.clear();
                let own = self.gather.row(atlas.map(), street, within, &mut self.row);
                let ways_back = if rows.two_way { WaysBack::Same } else { WaysBack::Unknown };
                NearStreets {
                    sorted: false,
                    own,
                    parts: [(&self.row, None), (&[], None)],
                    ways_back,
                }
            }
        }
    }
}
