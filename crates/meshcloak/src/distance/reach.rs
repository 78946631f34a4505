//! For every street, the streets that can be reached from it within `dc_max`, nearest first.
//!
//! One row serves twice: whoever looks for people within reach walks its beginning, and the
//! expanding mesh of a person *is* its beginning (Algorithm 3). A row entry holds the distances
//! from either end of the one street to either end of the other, so that `d(A, B)` needs no
//! search and no look-up (§IV-A).

use super::band::{Band, Part};
use super::gather::Gather;
use super::matrix::DistanceMatrix;
use crate::map::{Arm, StreetId, StreetMap};
use crate::units::Length;
use rayon::prelude::*;

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
    /// and the street that the row is of; 0 in the far part.
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
/// are about on foot, and the places of all of them and of the street itself fit a word of bits. In
/// tests fewer, for towns are small.
const NEAR: usize = if cfg!(test) { 5 } else { 47 };

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
                    assert_eq!(back[entry].is_none(), reach.is_two_way());
                }
                let others = map.streets().filter(|&other| other != street);
                let near = others.filter(|&other| crossing(street, other) != [BEYOND; 4]).count();
                assert_eq!(near, row.len(), "seed {seed} {street:?}\n{town}");
                entries += near;
            }
        }
        assert!(entries > 4_000, "only {entries} entries were compared");
    }

    #[test]
    fn near_entries_know_their_places_in_the_order_of_streets() {
        let (mut near, mut far) = (0, 0);
        for seed in 0..200 {
            let town = Town::random(seed);
            let matrix = DistanceMatrix::new(&town.map, LARGEST_DC_MAX);
            let reach = Reach::new(&town.map, &matrix);
            for street in town.map.streets() {
                let (row, _) = reach.near(street);
                let others = row.iter().map(|reached| (u32::from(reached.place), reached.street));
                let mut places: Vec<_> = others.chain([(reach.place(street), street)]).collect();
                places.sort_unstable();
                assert!(places.is_sorted_by_key(|(_, street)| *street), "seed {seed}\n{town}");
                assert!((0..).zip(&places).all(|(number, (place, _))| *place == number));
                for farthest in [-1, 0, 3_000, 10_000, 65_000] {
                    let within = |reached: &&Reached| i32::from(reached.nearest) <= farthest;
                    let needed = reach.row(street).filter(within).count();
                    assert_eq!(reach.is_near(street, farthest), needed <= row.len(), "{farthest}");
                    let [_, (rest, _)] = reach.parts(street, farthest);
                    assert!(needed <= row.len() + rest.len());
                    assert_eq!(rest.is_empty(), needed <= row.len());
                    *if needed <= row.len() { &mut near } else { &mut far } += 1;
                }
            }
        }
        assert!(near > 1_000 && far > 500, "{near} near, {far} far");
    }
}
