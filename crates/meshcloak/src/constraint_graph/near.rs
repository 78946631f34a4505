//! The streets within reach of one street, as whoever walks from it needs them: read from the rows
//! of streets, or, where those do not fit into memory, gathered from the rows of terminals.

use crate::distance::{Atlas, BEYOND, Crossing, Reached, Rows, TerminalRows};
use crate::map::{StreetId, StreetMap};

/// Room for the streets within reach of one street after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Near {
    row: Vec<Reached>,
    crossings: Vec<Crossing>,
}

/// The way back from a street that was reached.
#[derive(Clone, Copy, Debug)]
pub(super) enum Back {
    /// The way there: every street is two-way.
    Same,
    /// Its distances.
    Known(Crossing),
    /// To be looked up.
    Unknown,
}

/// The streets within reach of a street: a row in one or two parts.
pub(super) struct NearStreets<'a> {
    /// Whether the nearest come first; those gathered come about in that order.
    pub(super) sorted: bool,
    /// Round to the street itself.
    pub(super) own: Crossing,
    parts: [(&'a [Reached], Option<&'a [Crossing]>); 2],
    /// The ways back where they are not known by entry.
    pub(super) otherwise: Back,
}

impl<'a> NearStreets<'a> {
    /// The parts of the row, each with the ways back as far as they are known.
    pub(super) fn parts(&self) -> [(&'a [Reached], Option<&'a [Crossing]>); 2] {
        self.parts
    }
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
            Rows::Streets(reach) => NearStreets {
                sorted: true,
                own: reach.own(street),
                parts: reach.parts(street),
                otherwise: Back::Same,
            },
            Rows::Terminals(rows) => {
                let own = self.gather(atlas.map(), rows, street, farthest);
                let otherwise = if rows.two_way { Back::Same } else { Back::Unknown };
                NearStreets {
                    sorted: false,
                    own,
                    parts: [(&self.row, None), (&[], None)],
                    otherwise,
                }
            }
        }
    }

    /// Leaves the street by each of its exits, and notes how far it is to every street.
    fn gather(
        &mut self,
        map: &StreetMap,
        rows: &TerminalRows,
        street: StreetId,
        farthest: i32,
    ) -> Crossing {
        self.crossings.resize(map.street_count(), [BEYOND; 4]);
        self.row.clear();
        let ends = *map.street(street);
        let exits = [(!ends.one_way).then_some((ends.from, 0)), Some((ends.to, 2))];
        for (exit, leaving_by) in exits.into_iter().flatten() {
            let within = rows.row(exit).iter().take_while(|row| i32::from(row.1) <= farthest);
            for &(terminal, distance) in within {
                for arm in map.leaving(terminal) {
                    let crossing = &mut self.crossings[arm.street.index()];
                    if *crossing == [BEYOND; 4] {
                        let (street, nearest) = (arm.street, BEYOND);
                        self.row.push(Reached { street, nearest, crossing: *crossing });
                    }
                    let entered = map.street(arm.street);
                    if entered.from == terminal {
                        crossing[leaving_by] = distance;
                    }
                    if entered.to == terminal && !entered.one_way {
                        crossing[leaving_by + 1] = distance;
                    }
                }
            }
        }
        let mut own = [BEYOND; 4];
        self.row.retain_mut(|reached| {
            let crossing = &mut self.crossings[reached.street.index()];
            reached.crossing = std::mem::replace(crossing, [BEYOND; 4]);
            reached.nearest = reached.crossing.into_iter().min().unwrap_or(BEYOND);
            if reached.street == street {
                own = reached.crossing;
            }
            reached.street != street
        });
        own
    }
}
