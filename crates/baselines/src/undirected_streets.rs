//! Streets incident to each terminal, ignoring one-way restrictions.

use crate::runs::Runs;
use meshcloak::map::{Arm, StreetId, StreetMap, TerminalId};

/// Undirected street network.
#[derive(Clone, Debug)]
pub(crate) struct UndirectedStreets {
    /// By terminal.
    arms: Runs<Arm>,
}

impl UndirectedStreets {
    /// Builds the network of a map.
    pub(crate) fn new(map: &StreetMap) -> UndirectedStreets {
        let streets = (0..map.street_count() as u32).map(StreetId);
        let arms = streets.flat_map(|street| {
            let ends = map.street(street);
            [(ends.from, ends.to), (ends.to, ends.from)]
                .map(|(at, terminal)| (at.index(), Arm { street, terminal }))
        });
        let mut network = UndirectedStreets { arms: Runs::default() };
        network.arms.fill(map.terminal_count(), arms);
        network
    }

    /// Streets at a terminal in street order; a loop occurs twice.
    pub(crate) fn at(&self, terminal: TerminalId) -> &[Arm] {
        self.arms.get(terminal.0)
    }

    /// Number of street ends at a terminal.
    pub(crate) fn degree(&self, terminal: TerminalId) -> usize {
        self.at(terminal).len()
    }
}
