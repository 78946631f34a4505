//! Distance matrix M(dc_max) as printed in Algorithm 1: for each terminal a range query in a
//! quadtree yields the sub-map of the square around it, and a search runs in that sub-map.
//!
//! One hash map per terminal instead of one for all pairs: lookups from one terminal share cache
//! lines, and the total needs half the memory.

use super::quadtree::QuadTree;
use crate::distance::{Arcs, Search};
use crate::map::{StreetMap, TerminalId};
use crate::units::{Length, Point};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Distances to the terminals within `dc_max` of one terminal.
pub(super) type Row = FxHashMap<TerminalId, Length>;

/// Distances between terminals up to `dc_max`.
#[derive(Debug)]
pub(super) struct HashMatrix {
    rows: Vec<Row>,
}

impl HashMatrix {
    /// Computes the matrix (Algorithm 1).
    pub(super) fn new(map: &StreetMap, dc_max: Length) -> HashMatrix {
        let points: Vec<Point> = map.terminals().map(|u| map.terminal(u)).collect();
        let mut tree = QuadTree::default();
        tree.fill(&points); // line 2
        let arcs = Arcs::forward(map);
        let terminals: Vec<TerminalId> = map.terminals().collect();
        let rows = terminals.par_chunks(256).flat_map_iter(|chunk| {
            let mut square = SubMapSearch::new(&tree, &arcs);
            chunk.iter().map(move |&u| square.row(u, map.terminal(u), dc_max)).collect::<Vec<_>>()
        });
        HashMatrix { rows: rows.collect() }
    }

    /// Returns the distances from `u`.
    pub(super) fn row(&self, u: TerminalId) -> &Row {
        &self.rows[u.index()]
    }
}

/// Searches the sub-map of one square after the other with reused buffers.
struct SubMapSearch<'a> {
    tree: &'a QuadTree,
    arcs: &'a Arcs,
    terminals: Vec<TerminalId>,
    /// Index of each terminal in `terminals`; stale for terminals outside the square.
    number_of: Vec<u32>,
    search: Search,
}

impl SubMapSearch<'_> {
    fn new<'a>(tree: &'a QuadTree, arcs: &'a Arcs) -> SubMapSearch<'a> {
        let count = arcs.terminal_count();
        let (number_of, search) = (vec![0; count], Search::new(count));
        SubMapSearch { tree, arcs, terminals: Vec::new(), number_of, search }
    }

    /// Computes the row of the terminal `u` at `centre` (lines 4–9).
    fn row(&mut self, u: TerminalId, centre: Point, dc_max: Length) -> Row {
        let SubMapSearch { tree, arcs, terminals, number_of, search } = self;
        terminals.clear();
        tree.within(centre, super::half_side(dc_max), |slot| {
            let terminal = TerminalId(tree.items()[slot as usize]);
            number_of[terminal.index()] = terminals.len() as u32;
            terminals.push(terminal);
        }); // line 4
        let sub_map = arcs.among(terminals, number_of); // line 5
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
    fn searches_in_squares_equal_searches_of_the_whole_map() {
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
