//! Fixed orders of the streets of a map in which neighbours are close.

use crate::hilbert;
use crate::square::Square;
use crate::street_walk::StreetWalk;
use crate::undirected_streets::UndirectedStreets;
use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::units::Length;
use std::collections::VecDeque;

/// Kind of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EdgeOrderKind {
    /// By the middle of the street along the Hilbert curve, as in a Hilbert R-tree.
    Hilbert,
    /// By a depth-first walk.
    DepthFirst,
    /// By a breadth-first walk.
    BreadthFirst,
}

/// An order of all streets.
#[derive(Clone, Debug)]
pub(super) struct EdgeOrder {
    streets: Vec<StreetId>,
    /// By street.
    ranks: Vec<u32>,
}

impl EdgeOrder {
    pub(super) fn new(map: &StreetMap, kind: EdgeOrderKind) -> EdgeOrder {
        let mut streets: Vec<StreetId> = map.streets().collect();
        match kind {
            EdgeOrderKind::Hilbert => {
                let square = Square::around(map);
                let middle = |street: StreetId| {
                    let half = Length::from_units(map.street(street).length.units() / 2);
                    map.point(Position { street, offset: half })
                };
                streets.sort_by_cached_key(|&s| (hilbert::key(square.cell(middle(s))), s));
            }
            EdgeOrderKind::DepthFirst => {
                let walk = StreetWalk::new(map);
                let start = |street| walk.key(map, Position { street, offset: Length::ZERO }) >> 32;
                streets.sort_by_cached_key(|&street| start(street));
            }
            EdgeOrderKind::BreadthFirst => streets = breadth_first(map),
        }
        let mut ranks = vec![0; streets.len()];
        for (rank, street) in streets.iter().enumerate() {
            ranks[street.index()] = rank as u32;
        }
        EdgeOrder { streets, ranks }
    }

    pub(super) fn len(&self) -> usize {
        self.streets.len()
    }

    pub(super) fn rank(&self, street: StreetId) -> u32 {
        self.ranks[street.index()]
    }

    pub(super) fn street(&self, rank: u32) -> StreetId {
        self.streets[rank as usize]
    }
}

/// Streets in the order in which a breadth-first search from the first terminal of each component
/// finds them.
fn breadth_first(map: &StreetMap) -> Vec<StreetId> {
    let network = UndirectedStreets::new(map);
    let mut found = vec![false; map.street_count()];
    let mut visited = vec![false; map.terminal_count()];
    let mut streets = Vec::with_capacity(map.street_count());
    for start in map.terminals() {
        let mut open = VecDeque::from([start]);
        while let Some(terminal) = open.pop_front() {
            if std::mem::replace(&mut visited[terminal.index()], true) {
                continue;
            }
            for arm in network.at(terminal) {
                if !std::mem::replace(&mut found[arm.street.index()], true) {
                    streets.push(arm.street);
                }
                open.push_back(arm.terminal);
            }
        }
    }
    streets
}
