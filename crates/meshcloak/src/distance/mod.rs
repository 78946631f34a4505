//! Distance along streets (§IV-A): the map prepared once, so that `d(A, B)` is a look-up.

mod band;
mod gather;
mod matrix;
mod reach;
mod search;
mod terminal_rows;

pub(crate) use gather::Gather;
pub use matrix::{DistanceMatrix, LARGEST_DC_MAX};
pub(crate) use reach::BEYOND;
pub use reach::{Crossing, Reach, Reached};
pub use search::{Arcs, Search};
pub use terminal_rows::TerminalRows;

use crate::map::{Position, StreetMap};
use crate::units::Length;

/// A map with its distance matrix and its rows of what can be reached from where.
#[derive(Clone, Debug)]
pub struct Atlas {
    map: StreetMap,
    matrix: DistanceMatrix,
    rows: Rows,
}

/// What can be reached from where, nearest first: by street, or by terminal if that is too large.
#[derive(Clone, Debug)]
pub enum Rows {
    /// The faster.
    Streets(Reach),
    /// The smaller.
    Terminals(TerminalRows),
}

/// Rows of streets larger than this give way to rows of terminals: 1 GiB.
const MOST_BYTES: usize = 1 << 30;

impl Atlas {
    /// Prepares a map for distances up to `dc_max`.
    pub fn new(map: StreetMap, dc_max: Length) -> Atlas {
        Atlas::within(map, dc_max, MOST_BYTES)
    }

    /// Prepares a map, with rows of streets if those take less than `bytes`.
    pub fn within(map: StreetMap, dc_max: Length, bytes: usize) -> Atlas {
        let matrix = DistanceMatrix::new(&map, dc_max);
        let rows = if Reach::size_in_bytes(&map, &matrix) < bytes {
            Rows::Streets(Reach::new(&map, &matrix))
        } else {
            Rows::Terminals(TerminalRows::new(&map, &matrix))
        };
        Atlas { map, matrix, rows }
    }

    /// The map.
    pub fn map(&self) -> &StreetMap {
        &self.map
    }

    /// The distances between its terminals.
    pub fn matrix(&self) -> &DistanceMatrix {
        &self.matrix
    }

    /// What can be reached from where.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The bound up to which distances are known.
    pub fn dc_max(&self) -> Length {
        self.matrix.dc_max()
    }

    /// Shortest distance from `a` to `b` along streets; `None` beyond `dc_max`.
    ///
    /// §IV-A lists four cases, by which of the two streets is one-way. They are one case: leave
    /// `a` by any exit, cross the map, reach `b` by any entrance; or go straight along.
    pub fn distance(&self, a: Position, b: Position) -> Option<Length> {
        let around = self.map.exits(a).flat_map(|(u, leave)| {
            let crossed = move |w| self.matrix.get(u, w);
            self.map.entrances(b).filter_map(move |(w, arrive)| Some(leave + crossed(w)? + arrive))
        });
        let shortest = around.chain(self.map.along(a, b)).min();
        shortest.filter(|&length| length <= self.dc_max())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;
    use crate::town::{Town, town};

    #[test]
    fn a_one_way_street_is_short_in_one_direction_only() {
        //            C
        //    125 m ╱ │ 75 m
        //        ╱   │
        //       A ─▶ B      100 m, one way
        let town = town("A 0,0  B 100,0  C 100,75 | A>B B-C C-A");
        let (a, b) = (town.at("A>B", 10.0), town.at("A>B", 60.0));
        let atlas = Atlas::new(town.map, Length::metres(2000.0));
        assert_eq!(atlas.distance(a, b), Some(Length::metres(50.0)));
        assert_eq!(atlas.distance(b, a), Some(Length::metres(250.0)));
    }

    #[test]
    fn the_way_round_may_be_shorter_than_straight_along() {
        //  a long bend from A to B, and a short street beside it
        let town = town("A 0,0  B 10,0 | A-B(5,500) A-B");
        let (a, b) = (town.at("A-B", 10.0), town.at("A-B", 990.0));
        let atlas = Atlas::new(town.map, Length::metres(2000.0));
        assert!(atlas.distance(a, b).unwrap() < Length::metres(40.0));
    }

    #[test]
    fn distance_agrees_with_floyd_and_warshall() {
        let (mut within, mut beyond) = (0, 0);
        for seed in 0..500 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let dc_max = Length::metres(200.0 + (seed % 10) as f64 * 200.0);
            let table = naive::terminal_distances(&town.map);
            let atlas = Atlas::new(town.map.clone(), dc_max);
            for _ in 0..20 {
                let (a, b) = (town.position(&mut random), town.position(&mut random));
                let expected = naive::distance(&town.map, &table, a, b);
                let expected = expected.filter(|&length| length <= dc_max);
                assert_eq!(atlas.distance(a, b), expected, "seed {seed} {a:?} {b:?}\n{town}");
                within += usize::from(expected.is_some());
                beyond += usize::from(expected.is_none());
            }
        }
        assert!(within > 1000 && beyond > 1000, "{within} within, {beyond} beyond");
    }
}
