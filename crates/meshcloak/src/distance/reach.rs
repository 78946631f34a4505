//! For every street, the streets that can be reached from it within `dc_max`, nearest first.
//!
//! One row serves twice: whoever looks for people within reach walks its beginning, and the
//! expanding mesh of a person *is* its beginning (Algorithm 3). A row entry holds the distances
//! from either end of the one street to either end of the other, so that `d(A, B)` needs no
//! search and no look-up (§IV-A).

use super::gather::Gather;
use super::matrix::DistanceMatrix;
use crate::map::{Arm, StreetId, StreetMap};
use crate::units::Length;
use rayon::prelude::*;
use std::ops::Range;

/// A distance beyond `dc_max`, or a way that does not exist.
pub(crate) const BEYOND: u16 = u16::MAX;

/// Distances in 1/32 m from the ends of one street to the ends of another:
/// `[from → from, from → to, to → from, to → to]`, as far as one may leave and enter there.
pub type Crossing = [u16; 4];

/// A street that can be reached from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The street.
    pub street: StreetId,
    /// The least of the distances: how far it is to where the street begins to be entered.
    pub nearest: u16,
    /// The distances themselves.
    pub crossing: Crossing,
    /// The place of this street in the order of streets, among those of the near part of the row
    /// and the street that the row is of.
    pub(crate) place: u8,
}

/// The rows of all streets.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    /// The near beginning of every row, all of them in one place: whoever walks street after street
    /// reads on where she is. Then the rest.
    bands: [Band; 2],
    /// What is asked first of each street.
    heads: Vec<Head>,
    two_way: bool,
}

/// So many entries of a row are in the first band, at most: few rows are walked farther where people
/// are about on foot, and the places of all of them and of the street itself fit a word of bits.
const NEAR: usize = 47;

/// The beginning of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Head {
    /// From the street round to itself.
    own: Crossing,
    /// Where its entries of the first band begin.
    start: u32,
    /// How near its entries of the second band are at least.
    beyond: u16,
    /// How many entries of the first band there are.
    len: u8,
    /// The place of the street in the order of streets, among those of the first band.
    place: u8,
}

/// Some entries of a row, and the ways back from them, should they not be the same.
pub(crate) type Part<'a> = (&'a [Reached], Option<&'a [Crossing]>);

/// A part of every row.
#[derive(Clone, Debug, PartialEq)]
struct Band {
    starts: Vec<usize>,
    rows: Vec<Reached>,
    /// The way back of each entry; empty if every street is two-way, for then it is the same way.
    back: Vec<Crossing>,
}

impl Reach {
    /// About how many bytes the rows of a map would take.
    pub fn size_in_bytes(map: &StreetMap, matrix: &DistanceMatrix) -> usize {
        // Two streets are met once for every pair of ends between which one can travel, so each
        // end counts as its share of a street.
        let share = |arms: &[Arm]| -> f64 {
            let ends =
                arms.iter().map(|arm| if map.street(arm.street).one_way { 1.0 } else { 0.5 });
            ends.sum()
        };
        let enter: Vec<f64> = map.terminals().map(|v| share(map.leaving(v))).collect();
        let entries = map.terminals().map(|u| {
            let within: f64 = matrix.row(u).map(|(v, _)| enter[v.index()]).sum();
            share(map.arriving(u)) * within
        });
        let entries = entries.sum::<f64>().ceil() as usize;
        entries * (size_of::<Reached>() + size_of::<Crossing>())
    }

    /// The rows of all streets of `map`.
    pub fn new(map: &StreetMap, matrix: &DistanceMatrix) -> Reach {
        let streets: Vec<StreetId> = map.streets().collect();
        let chunks: Vec<Rows> = streets
            .par_chunks(128)
            .map_init(Gather::default, |gather, chunk| Rows::of(gather, map, matrix, chunk))
            .collect();
        // All at once: what grows while it is filled is there twice each time it is moved.
        let entries = chunks.iter().map(|chunk| chunk.rows.len()).sum();
        let rows = Vec::with_capacity(entries);
        let mut band = Band { starts: vec![0], rows, back: Vec::new() };
        let mut own = Vec::with_capacity(streets.len());
        for chunk in chunks {
            for size in chunk.sizes {
                band.starts.push(band.starts[band.starts.len() - 1] + size);
            }
            band.rows.extend(chunk.rows);
            own.extend(chunk.own);
        }
        let two_way = !map.streets().any(|street| map.street(street).one_way);
        if !two_way {
            band.back = band.ways_back(map.street_count());
        }
        let mut near = band.split_off(NEAR);
        let head = |(street, own): (StreetId, Crossing)| {
            let (run, place) = (near.run(street), near.put_in_order(street));
            let beyond = band.rows[band.run(street)].first().map_or(BEYOND, |first| first.nearest);
            Head { own, start: run.start as u32, beyond, len: run.len() as u8, place }
        };
        let heads = map.streets().zip(own).map(head).collect();
        Reach { bands: [near, band], heads, two_way }
    }

    /// The streets within reach of `street`, itself aside, nearest first.
    pub fn row(&self, street: StreetId) -> impl Iterator<Item = &Reached> {
        self.bands.iter().flat_map(move |band| &band.rows[band.run(street)])
    }

    /// The same in two parts, near and far, as far as somebody needs them who looks no farther than
    /// `farthest`: each with the ways back of its entries; `None` where they are the same as the
    /// ways there. A far part that is not needed is empty, for to look at it is to wait for memory.
    pub(crate) fn parts(&self, street: StreetId, farthest: i32) -> [Part<'_>; 2] {
        let far = &self.bands[1];
        let is_near = self.is_near(street, farthest);
        [self.near(street), far.part(if is_near { 0..0 } else { far.run(street) })]
    }

    /// Whether the near part of its row is all that somebody needs who looks no farther than
    /// `farthest`.
    #[inline]
    pub(crate) fn is_near(&self, street: StreetId, farthest: i32) -> bool {
        farthest < i32::from(self.heads[street.index()].beyond)
    }

    /// The near part of a row.
    #[inline]
    pub(crate) fn near(&self, street: StreetId) -> Part<'_> {
        let Head { start, len, .. } = self.heads[street.index()];
        self.bands[0].part(start as usize..start as usize + usize::from(len))
    }

    /// The place of a street in the order of streets, among those of the near part of its row.
    #[inline]
    pub(crate) fn place(&self, street: StreetId) -> u32 {
        self.heads[street.index()].place.into()
    }

    /// Reads the beginning of the near part of the row of a street that is soon to be walked, so
    /// that nobody waits for it then.
    #[inline]
    pub(crate) fn read_ahead(&self, street: StreetId) {
        let Some(head) = self.heads.get(street.index()) else { return };
        let entry = |number: usize| self.bands[0].rows.get(head.start as usize + number);
        let read = [0, 4, 8].map(|number| entry(number).map_or(0, |reached| reached.nearest));
        std::hint::black_box(read[0] ^ read[1] ^ read[2]);
    }

    /// Whether every street is two-way, so that the ways back are the ways there.
    pub(crate) fn is_two_way(&self) -> bool {
        self.two_way
    }

    /// The distances from the ends of a street round to its own ends.
    pub(crate) fn own(&self, street: StreetId) -> Crossing {
        self.heads[street.index()].own
    }

    /// The streets that belong to `EMesh` of someone on `street` with constraint `dc`, the street
    /// itself aside: those that can be entered at a terminal nearer than `dc` to its exits.
    pub fn expanding(&self, street: StreetId, dc: Length) -> impl Iterator<Item = &Reached> {
        self.row(street).take_while(move |reached| u32::from(reached.nearest) < dc.units())
    }

    /// How many entries all rows have.
    pub fn entry_count(&self) -> usize {
        self.bands.iter().map(|band| band.rows.len()).sum()
    }

    /// How many bytes they take.
    pub fn bytes(&self) -> usize {
        self.bands.iter().map(Band::bytes).sum::<usize>() + size_of_val(&self.heads[..])
    }
}

impl Band {
    fn bytes(&self) -> usize {
        size_of_val(&self.starts[..]) + size_of_val(&self.rows[..]) + size_of_val(&self.back[..])
    }

    /// Some entries, and the ways back from them.
    #[inline]
    fn part(&self, run: Range<usize>) -> Part<'_> {
        (&self.rows[run.clone()], (!self.back.is_empty()).then(|| &self.back[run]))
    }

    /// Numbers the entries of a row, and the street itself, in the order of streets; gives the place
    /// of the street.
    fn put_in_order(&mut self, street: StreetId) -> u8 {
        let run = self.run(street);
        let row = &mut self.rows[run];
        let mut order: Vec<u8> = (0..row.len() as u8).collect();
        order.sort_unstable_by_key(|&entry| row[usize::from(entry)].street);
        let before = order.partition_point(|&entry| row[usize::from(entry)].street < street) as u8;
        for (number, &entry) in (0..).zip(&order) {
            row[usize::from(entry)].place = number + u8::from(number >= before);
        }
        before
    }

    fn run(&self, street: StreetId) -> Range<usize> {
        self.starts[street.index()]..self.starts[street.index() + 1]
    }

    /// Takes the beginning of every row out, no more than `most` entries.
    fn split_off(&mut self, most: usize) -> Band {
        let count = self.starts.windows(2).map(|ends| (ends[1] - ends[0]).min(most)).sum();
        let (rows, back) =
            (Vec::with_capacity(count), Vec::with_capacity(self.back.len().min(count)));
        let mut taken = Band { starts: vec![0], rows, back };
        let (mut kept, mut start) = (0, 0);
        for street in 1..self.starts.len() {
            let end = std::mem::replace(&mut self.starts[street], 0);
            let middle = end.min(start + most);
            taken.rows.extend_from_slice(&self.rows[start..middle]);
            taken.starts.push(taken.rows.len());
            self.rows.copy_within(middle..end, kept);
            if !self.back.is_empty() {
                taken.back.extend_from_slice(&self.back[start..middle]);
                self.back.copy_within(middle..end, kept);
            }
            kept += end - middle;
            self.starts[street] = kept;
            start = end;
        }
        self.rows.truncate(kept);
        self.back.truncate(kept);
        self.rows.shrink_to_fit();
        self.back.shrink_to_fit();
        taken
    }

    /// For each entry t of row s, the crossing from t to s.
    ///
    /// Entries are visited by the street they lead to, so that one row at a time lies open.
    fn ways_back(&self, streets: usize) -> Vec<Crossing> {
        let mut starts = vec![0_usize; streets + 2];
        for reached in &self.rows {
            starts[reached.street.index() + 2] += 1;
        }
        for index in 2..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut incoming = vec![(0_u32, 0_u32); self.rows.len()];
        for street in 0..streets {
            for entry in self.starts[street]..self.starts[street + 1] {
                let slot = &mut starts[self.rows[entry].street.index() + 1];
                incoming[*slot] = (street as u32, entry as u32);
                *slot += 1;
            }
        }
        let mut there = vec![[BEYOND; 4]; streets];
        let mut back = vec![[BEYOND; 4]; self.rows.len()];
        for street in (0..streets as u32).map(StreetId) {
            for reached in &self.rows[self.run(street)] {
                there[reached.street.index()] = reached.crossing;
            }
            for &(from, entry) in &incoming[starts[street.index()]..starts[street.index() + 1]] {
                back[entry as usize] = there[from as usize];
            }
            for reached in &self.rows[self.run(street)] {
                there[reached.street.index()] = [BEYOND; 4];
            }
        }
        back
    }
}

/// The rows of some streets.
#[derive(Default)]
struct Rows {
    sizes: Vec<usize>,
    rows: Vec<Reached>,
    own: Vec<Crossing>,
}

impl Rows {
    fn of(
        gather: &mut Gather,
        map: &StreetMap,
        matrix: &DistanceMatrix,
        streets: &[StreetId],
    ) -> Rows {
        let mut rows = Rows::default();
        let terminals =
            |exit| matrix.row(exit).map(|(terminal, length)| (terminal, length.units() as u16));
        for &street in streets {
            let start = rows.rows.len();
            rows.own.push(gather.row(map, street, terminals, &mut rows.rows));
            rows.rows[start..].sort_unstable_by_key(|reached| (reached.nearest, reached.street));
            rows.sizes.push(rows.rows.len() - start);
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::LARGEST_DC_MAX;
    use crate::naive;
    use crate::town::Town;

    #[test]
    fn a_row_holds_the_distances_between_the_ends_of_two_streets() {
        let mut entries = 0;
        for seed in 0..200 {
            let town = Town::random(seed);
            let map = &town.map;
            let matrix = DistanceMatrix::new(map, LARGEST_DC_MAX);
            let reach = Reach::new(map, &matrix);
            let table = naive::terminal_distances(map);
            let crossing = |from: StreetId, to: StreetId| -> Crossing {
                let (a, b) = (map.street(from), map.street(to));
                let ends = [(a.from, b.from), (a.from, b.to), (a.to, b.from), (a.to, b.to)];
                let allowed = [!a.one_way, !a.one_way && !b.one_way, true, !b.one_way];
                std::array::from_fn(|way| {
                    let (u, w) = ends[way];
                    let length = table[u.index()][w.index()].filter(|d| *d <= LARGEST_DC_MAX);
                    let length = length.filter(|_| allowed[way]);
                    length.map_or(BEYOND, |length| length.units() as u16)
                })
            };
            for street in map.streets() {
                let row: Vec<&Reached> = reach.row(street).collect();
                let back: Vec<Option<Crossing>> = reach
                    .parts(street, i32::MAX)
                    .into_iter()
                    .flat_map(|(row, back)| (0..row.len()).map(move |at| back.map(|back| back[at])))
                    .collect();
                assert!(row.is_sorted_by_key(|reached| (reached.nearest, reached.street)));
                assert_eq!(reach.own(street), crossing(street, street), "seed {seed}\n{town}");
                for (entry, reached) in row.iter().enumerate() {
                    let there = crossing(street, reached.street);
                    assert_eq!(reached.crossing, there, "seed {seed} {street:?}\n{town}");
                    assert_eq!(Some(reached.nearest), there.into_iter().min());
                    let expected = crossing(reached.street, street);
                    assert_eq!(back[entry].unwrap_or(expected), expected, "seed {seed}\n{town}");
                }
                let others = map.streets().filter(|&other| other != street);
                let near = others.filter(|&other| crossing(street, other) != [BEYOND; 4]).count();
                assert_eq!(near, row.len(), "seed {seed} {street:?}\n{town}");
                entries += near;
            }
        }
        assert!(entries > 4_000, "only {entries} entries were compared");
    }
}
