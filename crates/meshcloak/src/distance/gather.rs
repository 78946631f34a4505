//! The row of one street, gathered from the terminals within reach of its exits.

use super::reach::{BEYOND, Crossing, Reached};
use crate::map::{StreetId, StreetMap, TerminalId};

/// Room to gather one row after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gather {
    crossings: Vec<Crossing>,
    met: Vec<StreetId>,
}

impl Gather {
    /// Appends the streets that can be reached from `street`, itself aside, in the order in which
    /// they are met; gives the distances round to the street itself. `terminals` says which
    /// terminals are within reach of an exit, and how far they are.
    pub(crate) fn row<T: Iterator<Item = (TerminalId, u16)>>(
        &mut self,
        map: &StreetMap,
        street: StreetId,
        terminals: impl Fn(TerminalId) -> T,
        row: &mut Vec<Reached>,
    ) -> Crossing {
        self.crossings.resize(map.street_count(), [BEYOND; 4]);
        let ends = *map.street(street);
        if !ends.one_way {
            self.leave_by(map, terminals(ends.from), 0);
        }
        self.leave_by(map, terminals(ends.to), 2);
        let own = std::mem::replace(&mut self.crossings[street.index()], [BEYOND; 4]);
        for met in self.met.drain(..).filter(|&met| met != street) {
            let crossing = std::mem::replace(&mut self.crossings[met.index()], [BEYOND; 4]);
            let nearest = crossing.into_iter().min().unwrap_or(BEYOND);
            row.push(Reached { street: met, nearest, crossing, place: 0 });
        }
        own
    }

    /// Notes how far it is from one exit of the street at hand to every street within reach.
    fn leave_by(
        &mut self,
        map: &StreetMap,
        terminals: impl Iterator<Item = (TerminalId, u16)>,
        exit: usize,
    ) {
        for (terminal, distance) in terminals {
            for arm in map.leaving(terminal) {
                let crossing = &mut self.crossings[arm.street.index()];
                if *crossing == [BEYOND; 4] {
                    self.met.push(arm.street);
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
