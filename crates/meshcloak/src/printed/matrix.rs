//! M(dc_max) as Algorithm 1 prints it: a quadtree of terminals, for each terminal the sub-map in
//! the square around it, a search in that sub-map; kept in hash maps, one for each terminal.
//!
//! Small maps rather than one large one: who asks for many distances from one terminal finds them
//! close together, and the whole takes half the memory.

use super::quadtree::QuadTree;
use crate::distance::{Arcs, Search};
use crate::map::{StreetMap, TerminalId};
use crate::units::{Length, Point};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// The terminals within `dc_max` of one, and how far they are.
pub(super) type Row = FxHashMap<TerminalId, Length>;

/// Distances between terminals, as far as they are at most `dc_max`.
#[derive(Debug)]
pub(super) struct HashMatrix {
    rows: Vec<Row>,
}

impl HashMatrix {
    /// Algorithm 1.
    pub(super) fn new(map: &StreetMap, dc_max: Length) -> HashMatrix {
        let points: Vec<Point> = map.terminals().map(|u| map.terminal(u)).collect();
        let mut tree = QuadTree::default();
        tree.fill(&points); // line 2
        let ways = Arcs::forward(map);
        let terminals: Vec<TerminalId> = map.terminals().collect();
        let rows = terminals.par_chunks(256).flat_map_iter(|chunk| {
            let mut square = Square::new(&tree, &ways);
            chunk.iter().map(move |&u| square.row(u, map.terminal(u), dc_max)).collect::<Vec<_>>()
        });
        HashMatrix { rows: rows.collect() }
    }

    /// The distances from `u`.
    pub(super) fn row(&self, u: TerminalId) -> &Row {
        &self.rows[u.index()]
    }
}

/// Cuts one square after the other out of the map.
struct Square<'a> {
    tree: &'a QuadTree,
    ways: &'a Arcs,
    terminals: Vec<TerminalId>,
    /// The place of each terminal among `terminals`; of this square if it is there.
    number_of: Vec<u32>,
    search: Search,
}

impl Square<'_> {
    fn new<'a>(tree: &'a QuadTree, ways: &'a Arcs) -> Square<'a> {
        let count = ways.terminal_count();
        let (number_of, search) = (vec![0; count], Search::new(count));
        Square { tree, ways, terminals: Vec::new(), number_of, search }
    }

    /// Lines 4–9 for the terminal `u` at `centre`.
    fn row(&mut self, u: TerminalId, centre: Point, dc_max: Length) -> Row {
        let Square { tree, ways, terminals, number_of, search } = self;
        terminals.clear();
        tree.within(centre, super::half_side(dc_max), |slot| {
            let terminal = TerminalId(tree.items()[slot as usize]);
            number_of[terminal.index()] = terminals.len() as u32;
            terminals.push(terminal);
        }); // line 4
        let sub_map = ways.among(terminals, number_of); // line 5
        let source = TerminalId(number_of[u.index()]);
        let mut found = Vec::new();
        search.run(&sub_map, [(source, Length::ZERO)], dc_max, |number, distance| {
            found.push((terminals[number.index()], distance));
        }); // lines 6–9
        found.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::DistanceMatrix;
    use crate::town::Town;

    #[test]
    fn squares_hold_every_way_that_a_search_of_the_whole_map_finds() {
        for seed in 0..300 {
            let town = Town::random(seed);
            let dc_max = Length::metres((seed % 40) as f64 * 50.0);
            let matrix = HashMatrix::new(&town.map, dc_max);
            let expected = DistanceMatrix::new(&town.map, dc_max);
            for u in town.map.terminals() {
                for w in town.map.terminals() {
                    let found = matrix.row(u).get(&w).copied();
                    assert_eq!(found, expected.get(u, w), "seed {seed} {u:?} {w:?}\n{town}");
                }
            }
        }
    }
}
