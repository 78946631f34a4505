//! The row of one street: read from the rows of streets or, on maps whose rows do not fit into
//! memory, gathered from the rows of terminals.

use crate::distance::{Atlas, Crossing, ReachedStreet, RowGatherer, RowPart, Rows};
use crate::map::StreetId;

/// Scratch buffers for gathered rows.
#[derive(Clone, Debug, Default)]
pub(super) struct RowScratch {
    row: Vec<ReachedStreet>,
    gatherer: RowGatherer,
}

/// The streets within reach of a street.
pub(super) struct StreetRow<'a> {
    /// Whether entries ascend by distance; gathered rows do so only approximately.
    pub(super) sorted: bool,
    /// Paths from the ends of the street around to its own ends.
    pub(super) own: Crossing,
    pub(super) parts: [RowPart<'a>; 2],
}

impl RowScratch {
    /// Returns a row that holds at least the streets within `max_distance` of the exits of
    /// `street`, 1/32 m.
    pub(super) fn row<'a>(
        &'a mut self,
        atlas: &'a Atlas,
        street: StreetId,
        max_distance: i32,
    ) -> StreetRow<'a> {
        match atlas.rows() {
            Rows::Streets(reach) => {
                let parts = reach.parts(street, max_distance);
                StreetRow { sorted: true, own: reach.near(street).own, parts }
            }
            Rows::Terminals(rows) => {
                let within = |exit| {
                    let row = rows.row(exit).iter().copied();
                    row.take_while(|&(_, distance)| i32::from(distance) <= max_distance)
                };
                self.row.clear();
                let own = self.gatherer.gather(atlas.map(), street, within, &mut self.row);
                let gathered = RowPart { entries: &self.row, back: None };
                StreetRow { sorted: false, own, parts: [gathered, RowPart::EMPTY] }
            }
        }
    }
}
