//! Which streets meet at each terminal, whichever way they may be travelled.

use meshcloak::map::{Arm, StreetId, StreetMap, TerminalId};

/// The streets at each terminal, in flat arrays.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    starts: Vec<u32>,
    arms: Vec<Arm>,
}

impl Network {
    /// Those of a map.
    pub(crate) fn of(map: &StreetMap) -> Network {
        let mut starts = vec![0_u32; map.terminal_count() + 1];
        let ends = |street: StreetId| {
            let street = map.street(street);
            [(street.from, street.to), (street.to, street.from)]
        };
        for (end, _) in map.streets().flat_map(ends) {
            starts[end.index() + 1] += 1;
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut next = starts.clone();
        let mut arms = vec![
            Arm { street: StreetId(0), terminal: TerminalId(0) };
            next[next.len() - 1] as usize
        ];
        for street in map.streets() {
            for (end, terminal) in ends(street) {
                arms[next[end.index()] as usize] = Arm { street, terminal };
                next[end.index()] += 1;
            }
        }
        Network { starts, arms }
    }

    /// The streets at a terminal, in street order; a loop is there twice.
    pub(crate) fn at(&self, terminal: TerminalId) -> &[Arm] {
        let index = terminal.index();
        &self.arms[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// How many ends of streets meet at a terminal.
    pub(crate) fn degree(&self, terminal: TerminalId) -> usize {
        self.at(terminal).len()
    }
}
