//! Quadtree of the users of a batch as one array sorted by Z-order: the users of a quadrant of any
//! level are a contiguous run of ranks.

use crate::square::{DEPTH, Square, SquareCell};
use meshcloak::map::StreetMap;
use meshcloak::query::Query;
use meshcloak::units::{Point, Rectangle};
use std::ops::Range;

/// A quadrant of the square around a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Quadrant {
    /// Number of halvings; 0 is the whole square.
    level: u32,
    /// Interleaved bits of row and column (Morton code); the column has bit 0.
    number: u32,
}

impl Quadrant {
    /// Number of halvings.
    pub(crate) fn level(self) -> u32 {
        self.level
    }

    /// Returns the parent; `None` for the whole square.
    pub(crate) fn parent(self) -> Option<Quadrant> {
        let level = self.level.checked_sub(1)?;
        Some(Quadrant { level, number: self.number >> 2 })
    }

    /// Returns the horizontal neighbour in the same parent.
    pub(crate) fn horizontal_sibling(self) -> Quadrant {
        Quadrant { number: self.number ^ 1, ..self }
    }

    /// Returns the vertical neighbour in the same parent.
    pub(crate) fn vertical_sibling(self) -> Quadrant {
        Quadrant { number: self.number ^ 2, ..self }
    }

    /// Number that is different for every quadrant of every level.
    pub(crate) fn key(self) -> u64 {
        u64::from(self.level) << 32 | u64::from(self.number)
    }

    fn cell(self) -> SquareCell {
        SquareCell { column: compact_bits(self.number), row: compact_bits(self.number >> 1) }
    }
}

/// Compacts the even bits into the lower 16 bits.
fn compact_bits(bits: u32) -> u32 {
    [(1, 0x3333_3333), (2, 0x0f0f_0f0f), (4, 0x00ff_00ff), (8, 0x0000_ffff)]
        .into_iter()
        .fold(bits & 0x5555_5555, |bits, (shift, mask)| (bits | bits >> shift) & mask)
}

/// Inverse of [`compact_bits`]: moves the lower 16 bits to the even positions.
fn spread_bits(bits: u32) -> u32 {
    [(8, 0x00ff_00ff), (4, 0x0f0f_0f0f), (2, 0x3333_3333), (1, 0x5555_5555)]
        .into_iter()
        .fold(bits & 0xffff, |bits, (shift, mask)| (bits | bits << shift) & mask)
}

/// Morton code of a smallest cell.
fn morton(cell: SquareCell) -> u32 {
    spread_bits(cell.row) << 1 | spread_bits(cell.column)
}

/// Users sorted by quadrant.
#[derive(Clone, Debug)]
pub(crate) struct Quadrants {
    square: Square,
    /// Morton code of the smallest quadrant (high 32 bits) and waiting index (low 32 bits).
    keys: Vec<u64>,
}

impl Quadrants {
    /// Creates an empty tree over a map.
    pub(crate) fn new(map: &StreetMap) -> Quadrants {
        Quadrants { square: Square::around(map), keys: Vec::new() }
    }

    /// Replaces the content by the queries at these waiting indices.
    pub(crate) fn fill(&mut self, map: &StreetMap, waiting: &[Query], indices: &[u32]) {
        let Quadrants { square, keys } = self;
        keys.clear();
        keys.extend(indices.iter().map(|&index| {
            let cell = square.cell(map.point(waiting[index as usize].position));
            u64::from(morton(cell)) << 32 | u64::from(index)
        }));
        keys.sort_unstable();
    }

    /// Number of users.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Waiting index of the query of that rank.
    pub(crate) fn waiting_index(&self, rank: usize) -> u32 {
        self.keys[rank] as u32
    }

    /// Quadrant of that level around the user of that rank.
    pub(crate) fn around(&self, rank: usize, level: u32) -> Quadrant {
        Quadrant {
            level,
            number: (self.keys[rank] >> (64 - 2 * DEPTH) >> (2 * (DEPTH - level))) as u32,
        }
    }

    /// Quadrant of that level around a point.
    pub(crate) fn at(&self, point: Point, level: u32) -> Quadrant {
        let code = u64::from(morton(self.square.cell(point)));
        Quadrant { level, number: (code >> (2 * (DEPTH - level))) as u32 }
    }

    /// Ranks of the users in a quadrant; `near` is a rank close to them.
    pub(crate) fn within(&self, quadrant: Quadrant, near: usize) -> Range<usize> {
        let Quadrant { level, number } = quadrant;
        let first_code = |number: u64| number << (2 * (DEPTH - level));
        let start = self.count_below(first_code(number.into()), near);
        start..self.count_below(first_code(u64::from(number) + 1), start.max(near))
    }

    /// Rectangle of a quadrant.
    pub(crate) fn rectangle(&self, quadrant: Quadrant) -> Rectangle {
        self.square.rectangle(quadrant.level, quadrant.cell())
    }

    /// Area of a quadrant of that level.
    pub(crate) fn area(&self, level: u32) -> f64 {
        self.square.area(level)
    }

    /// Number of users whose Morton code is below `number`, by exponential search from `near`.
    fn count_below(&self, number: u64, near: usize) -> usize {
        let is_before = |rank: usize| self.keys[rank] >> 32 < number;
        let len = self.keys.len();
        let (mut low, mut high, mut step) = (near.min(len), near.min(len), 1);
        while high < len && is_before(high) {
            low = high + 1;
            high = (high + step).min(len);
            step *= 2;
        }
        while low > 0 && !is_before(low - 1) {
            high = low - 1;
            low = low.saturating_sub(step);
            step *= 2;
        }
        low + self.keys[low..high].partition_point(|&key| key >> 32 < number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::Town;

    #[test]
    fn a_run_holds_exactly_the_users_of_the_quadrant() {
        for seed in 0..150 {
            let town = Town::random(seed * 3);
            let waiting = town.random_queries(&mut Town::generator(seed), 1 + seed as usize % 40);
            let indices: Vec<u32> = (0..waiting.len() as u32).collect();
            let mut quadrants = Quadrants::new(&town.map);
            quadrants.fill(&town.map, &waiting, &indices);
            for rank in 0..quadrants.len() {
                for level in 0..=DEPTH {
                    let own = quadrants.around(rank, level);
                    for quadrant in [own, own.horizontal_sibling(), own.vertical_sibling()] {
                        check(&quadrants, &town, &waiting, quadrant, rank);
                        if level == 0 {
                            break;
                        }
                    }
                    assert!(quadrants.within(own, rank).contains(&rank));
                    let up = level.checked_sub(1).map(|level| quadrants.around(rank, level));
                    assert_eq!(own.parent(), up);
                }
            }
        }
    }

    fn check(
        quadrants: &Quadrants,
        town: &Town,
        waiting: &[Query],
        quadrant: Quadrant,
        rank: usize,
    ) {
        let Quadrant { level, .. } = quadrant;
        let inside = |query: &Query| {
            let cell = quadrants.square.cell(town.map.point(query.position));
            cell.ancestor(DEPTH - level) == quadrant.cell()
        };
        let expected: Vec<u32> =
            (0..waiting.len() as u32).filter(|&index| inside(&waiting[index as usize])).collect();
        for near in [rank, 0, quadrants.len()] {
            let ranks = quadrants.within(quadrant, near);
            let mut found: Vec<u32> = ranks.map(|rank| quadrants.waiting_index(rank)).collect();
            found.sort_unstable();
            assert_eq!(found, expected, "{quadrant:?}\n{town}");
        }
    }
}
