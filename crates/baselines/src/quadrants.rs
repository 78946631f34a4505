//! The people of a batch in a quadtree that is one sorted array: whoever is in a quadrant, of
//! whichever level, is a run of it (Z-order).

use crate::square::{DEPTH, Square};
use meshcloak::map::StreetMap;
use meshcloak::query::Query;
use meshcloak::units::Rectangle;
use std::ops::Range;

/// A quadrant of the square around a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Quadrant {
    /// 0 for the whole square, one more for every halving.
    level: u32,
    /// Bits of column and row in turns, the column's last.
    number: u32,
}

impl Quadrant {
    /// How often the square was halved.
    pub(crate) fn level(self) -> u32 {
        self.level
    }

    /// The quadrant of which this is a quarter; none of the whole square.
    pub(crate) fn parent(self) -> Option<Quadrant> {
        let level = self.level.checked_sub(1)?;
        Some(Quadrant { level, number: self.number >> 2 })
    }

    /// The quarter of the same parent to the left or right.
    pub(crate) fn beside(self) -> Quadrant {
        Quadrant { number: self.number ^ 1, ..self }
    }

    /// The quarter of the same parent above or below.
    pub(crate) fn above(self) -> Quadrant {
        Quadrant { number: self.number ^ 2, ..self }
    }

    fn cell(self) -> (u32, u32) {
        (every_other_bit(self.number), every_other_bit(self.number >> 1))
    }
}

/// Bits 0, 2, 4, … side by side.
fn every_other_bit(bits: u32) -> u32 {
    [(1, 0x3333_3333), (2, 0x0f0f_0f0f), (4, 0x00ff_00ff), (8, 0x0000_ffff)]
        .into_iter()
        .fold(bits & 0x5555_5555, |bits, (shift, mask)| (bits | bits >> shift) & mask)
}

/// The inverse: the lower 16 bits at 0, 2, 4, …
fn spread(bits: u32) -> u32 {
    [(8, 0x00ff_00ff), (4, 0x0f0f_0f0f), (2, 0x3333_3333), (1, 0x5555_5555)]
        .into_iter()
        .fold(bits & 0xffff, |bits, (shift, mask)| (bits | bits << shift) & mask)
}

/// People by quadrant.
#[derive(Clone, Debug)]
pub(crate) struct Quadrants {
    square: Square,
    /// The number of the smallest quadrant, and the place in the waiting list, in one number.
    keys: Vec<u64>,
}

impl Quadrants {
    /// Nobody on a map.
    pub(crate) fn of(map: &StreetMap) -> Quadrants {
        Quadrants { square: Square::around(map), keys: Vec::new() }
    }

    /// Takes in the people at these places of the waiting list, and nobody else.
    pub(crate) fn fill(&mut self, map: &StreetMap, waiting: &[Query], places: &[u32]) {
        let Quadrants { square, keys } = self;
        keys.clear();
        keys.extend(places.iter().map(|&place| {
            let (column, row) = square.cell(map.point(waiting[place as usize].position));
            u64::from(spread(row) << 1 | spread(column)) << 32 | u64::from(place)
        }));
        keys.sort_unstable();
    }

    /// How many people there are.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The place in the waiting list of the one of a rank.
    pub(crate) fn place(&self, rank: usize) -> u32 {
        self.keys[rank] as u32
    }

    /// The quadrant of a level that holds the one of a rank.
    pub(crate) fn around(&self, rank: usize, level: u32) -> Quadrant {
        Quadrant {
            level,
            number: (self.keys[rank] >> (64 - 2 * DEPTH) >> (2 * (DEPTH - level))) as u32,
        }
    }

    /// The ranks of those in a quadrant; `near` is a rank not far from them.
    pub(crate) fn within(&self, quadrant: Quadrant, near: usize) -> Range<usize> {
        let Quadrant { level, number } = quadrant;
        let begins = |number: u64| number << (2 * (DEPTH - level));
        let start = self.before(begins(number.into()), near);
        start..self.before(begins(u64::from(number) + 1), start.max(near))
    }

    /// The rectangle of a quadrant.
    pub(crate) fn rectangle(&self, quadrant: Quadrant) -> Rectangle {
        self.square.rectangle(quadrant.level, quadrant.cell())
    }

    /// The area of a quadrant of a level.
    pub(crate) fn area(&self, level: u32) -> f64 {
        self.square.area(level)
    }

    /// How many people are in smallest quadrants before a number: steps of doubled length from
    /// `near`, for what is looked for is close by.
    fn before(&self, number: u64, near: usize) -> usize {
        let is_before = |rank: usize| self.keys[rank] >> 32 < number;
        let people = self.keys.len();
        let (mut low, mut high, mut step) = (near.min(people), near.min(people), 1);
        while high < people && is_before(high) {
            low = high + 1;
            high = (high + step).min(people);
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
    fn a_run_holds_exactly_those_whose_cell_is_in_the_quadrant() {
        for seed in 0..150 {
            let town = Town::random(seed * 3);
            let waiting = town.random_queries(&mut Town::generator(seed), 1 + seed as usize % 40);
            let places: Vec<u32> = (0..waiting.len() as u32).collect();
            let mut quadrants = Quadrants::of(&town.map);
            quadrants.fill(&town.map, &waiting, &places);
            for rank in 0..quadrants.len() {
                for level in 0..=DEPTH {
                    let own = quadrants.around(rank, level);
                    for quadrant in [own, own.beside(), own.above()] {
                        check(&quadrants, &town, &waiting, (quadrant, rank));
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

    fn check(quadrants: &Quadrants, town: &Town, waiting: &[Query], at: (Quadrant, usize)) {
        let (quadrant, rank) = at;
        let Quadrant { level, .. } = quadrant;
        let inside = |query: &Query| {
            let (column, row) = quadrants.square.cell(town.map.point(query.position));
            (column >> (DEPTH - level), row >> (DEPTH - level)) == quadrant.cell()
        };
        let expected: Vec<u32> =
            (0..waiting.len() as u32).filter(|&place| inside(&waiting[place as usize])).collect();
        for near in [rank, 0, quadrants.len()] {
            let ranks = quadrants.within(quadrant, near);
            let mut found: Vec<u32> = ranks.map(|rank| quadrants.place(rank)).collect();
            found.sort_unstable();
            assert_eq!(found, expected, "{quadrant:?}\n{town}");
        }
    }
}
