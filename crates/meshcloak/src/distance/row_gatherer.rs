//! Computes the row of one street from the terminals within reach of its exits.

use super::street_row::{Crossing, ReachedStreet, UNREACHABLE};
use crate::map::{StreetId, StreetMap, TerminalId};

/// Scratch buffers for computing rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowGatherer {
    /// Distances to each street; unreachable outside a call.
    crossings: Vec<Crossing>,
    /// Streets with a reachable crossing.
    found: Vec<StreetId>,
}

impl RowGatherer {
    /// Appends the streets within reach of `street`, except itself, to `row`, unsorted; returns the
    /// distances around to the street itself. `terminals` returns the terminals within reach of an
    /// exit and their distances.
    pub(crate) fn gather<T: Iterator<Item = (TerminalId, u16)>>(
        &mut self,
        map: &StreetMap,
        street: StreetId,
        terminals: impl Fn(TerminalId) -> T,
        row: &mut Vec<ReachedStreet>,
    ) -> Crossing {
        self.crossings.resize(map.street_count(), [UNREACHABLE; 4]);
        let ends = *map.street(street);
        if !ends.one_way {
            self.leave_by(map, terminals(ends.from), 0);
        }
        self.leave_by(map, terminals(ends.to), 2);
        let own = std::mem::replace(&mut self.crossings[street.index()], [UNREACHABLE; 4]);
        for reached in self.found.drain(..).filter(|&reached| reached != street) {
            let crossing =
                std::mem::replace(&mut self.crossings[reached.index()], [UNREACHABLE; 4]);
            let nearest = crossing.into_iter().min().unwrap_or(UNREACHABLE);
            row.push(ReachedStreet { street: reached, nearest, crossing, rank: 0 });
        }
        own
    }

    /// Sets the distances from one exit to every street within reach; `exit` is its first index in
    /// a [`Crossing`].
    fn leave_by(
        &mut self,
        map: &StreetMap,
        terminals: impl Iterator<Item = (TerminalId, u16)>,
        exit: usize,
    ) {
        for (terminal, distance) in terminals {
            for arm in map.leaving(terminal) {
                let crossing = &mut self.crossings[arm.street.index()];
                if *crossing == [UNREACHABLE; 4] {
                    self.found.push(arm.street);
                }
                let entered = map.street(arm.street);
                if entered.from == terminal {
                    crossing[exit] = distance;
                }
                if entered.to == terminal && !entered.one_way {
                    crossing[exit + 1] = distance;
                }
            }
        }
    }
}
