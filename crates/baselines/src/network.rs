//! Streets incident to each terminal, ignoring one-way restrictions.

use meshcloak::map::{Arm, StreetId, StreetMap, TerminalId};

/// Undirected street network in compressed sparse row form.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    starts: Vec<u32>,
    arms: Vec<Arm>,
}

impl Network {
    /// Builds the network of a map.
    pub(crate) fn new(map: &StreetMap) -> Network {
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

    /// Streets at a terminal in street order; a loop occurs twice.
    pub(crate) fn at(&self, terminal: TerminalId) -> &[Arm] {
        let index = terminal.index();
        &self.arms[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// Number of street ends at a terminal.
    pub(crate) fn degree(&self, terminal: TerminalId) -> usize {
        self.at(terminal).len()
    }
}
