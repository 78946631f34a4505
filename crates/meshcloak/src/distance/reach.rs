//! For every street, the streets within `dc_max` of it, nearest first, in two bands.
//!
//! ```text
//! heads[street]   16 B: distances around to itself, start and length of the near row, distance at
//!                 which the far row begins, rank of the street
//! near band       | row 0: ≤ 47 entries | row 1 | row 2 | …      all near rows, contiguous
//! far band        | rest of row 0       | rest of row 1 | …
//! ReachedStreet   16 B: street u32 │ nearest u16 │ crossing 4 × u16 │ rank u8
//! back            crossing of the opposite direction per entry; empty if all streets are two-way
//! ```
//!
//! `crossing` holds the distances between the ends of two streets, so `d(A, B)` is two additions and
//! a minimum per exit, without a search or a look-up (§IV-A). Both readers of a row need a prefix: the
//! edge search follows it up to the largest `dc` on the street, and the expanding mesh (Algorithm 3)
//! *is* the prefix with `nearest < dc`.
//!
//! Invariant: a row ascends by (`nearest`, `street`), near and far part together. `rank` is the
//! position of an entry in street order among the near part and the street itself, so that a set of
//! near streets is a 64-bit mask that is already sorted.
//!
//! The simple version, one list per street, spreads the short prefixes that are read in every batch
//! over hundreds of megabytes. In one band they are read almost sequentially, can be prefetched, and
//! few rows are followed beyond 47 entries. Measured gain, together with SIMD
//! comparison and batched prefetch of meshes: 0.52 → 0.39 µs a query (Oldenburg, P1-3-5); see
//! docs/BENCHMARKS.md, "Where the engine's time goes".

use super::RowLimits;
use super::band::{Band, RowPart};
use super::matrix::DistanceMatrix;
use super::row_gatherer::RowGatherer;
use crate::map::{Arm, StreetId, StreetMap};
use crate::units::Length;
use rayon::prelude::*;

/// A distance beyond `dc_max`, or a path that does not exist.
pub(crate) const UNREACHABLE: u16 = u16::MAX;

/// Distances in 1/32 m from the ends of one street to the ends of another:
/// `[from → from, from → to, to → from, to → to]`. One-way streets cannot be left at `from` nor
/// entered at `to`.
pub type Crossing = [u16; 4];

/// An entry of a row: a street that can be reached from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReachedStreet {
    /// The street.
    pub street: StreetId,
    /// Distance to the nearest entrance: the minimum of `crossing`.
    pub nearest: u16,
    /// Distances between the ends of the two streets.
    pub crossing: Crossing,
    /// Rank in street order among the near part of the row and the row's own street; 0 in the far
    /// part.
    pub(crate) rank: u8,
}

/// The rows of all streets.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    /// Near and far parts.
    bands: [Band; 2],
    heads: Vec<Head>,
    two_way: bool,
}

/// What is read first of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Head {
    /// Distances from the ends of the street around to its own ends.
    own: Crossing,
    /// Start of the near part.
    start: u32,
    /// Distance of the first entry of the far part.
    far_from: u16,
    /// Length of the near part.
    len: u8,
    /// Rank of the street itself in street order among the near part.
    rank: u8,
}

impl Reach {
    /// Estimates the size of the rows of a map in bytes.
    pub fn size_in_bytes(map: &StreetMap, matrix: &DistanceMatrix) -> usize {
        // A pair of streets is counted once per pair of usable ends, so an end counts as its
        // share of the street.
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
        entries * (size_of::<ReachedStreet>() + size_of::<Crossing>())
    }

    /// Computes the rows of all streets of `map`.
    pub fn new(map: &StreetMap, matrix: &DistanceMatrix) -> Reach {
        Reach::with_near_len(map, matrix, RowLimits::default().near_len)
    }

    /// Computes the rows of all streets, with at most `near_len` entries in the near part.
    ///
    /// # Panics
    /// If `near_len` is above [`RowLimits::MAX_NEAR_LEN`].
    pub fn with_near_len(map: &StreetMap, matrix: &DistanceMatrix, near_len: usize) -> Reach {
        assert!(near_len <= RowLimits::MAX_NEAR_LEN, "near_len is {near_len}, above 63");
        let streets: Vec<StreetId> = map.streets().collect();
        let chunks: Vec<RowChunk> = streets
            .par_chunks(CHUNK)
            .map_init(RowGatherer::default, |gatherer, chunk| {
                RowChunk::compute(gatherer, map, matrix, chunk)
            })
            .collect();
        // Allocated at full size: a growing vector needs twice the memory while it is moved.
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
            band.back = band.return_paths(map.street_count());
        }
        let mut near = band.split_front(near_len);
        let head = |(street, own): (StreetId, Crossing)| {
            let (run, rank) = (near.run(street), near.set_ranks(street));
            let far = band.rows[band.run(street)].first();
            let far_from = far.map_or(UNREACHABLE, |first| first.nearest);
            Head { own, start: run.start as u32, far_from, len: run.len() as u8, rank }
        };
        let heads = map.streets().zip(own).map(head).collect();
        Reach { bands: [near, band], heads, two_way }
    }

    /// Returns the streets within `dc_max` of `street`, except itself, nearest first.
    pub fn row(&self, street: StreetId) -> impl Iterator<Item = &ReachedStreet> {
        self.bands.iter().flat_map(move |band| &band.rows[band.run(street)])
    }

    /// Returns the near and the far part of a row. The far part is empty if it has no entry within
    /// `max_distance`, which avoids a cache miss.
    pub(crate) fn parts(&self, street: StreetId, max_distance: i32) -> [RowPart<'_>; 2] {
        let far = &self.bands[1];
        let is_near = self.is_near(street, max_distance);
        [self.near(street), far.part(if is_near { 0..0 } else { far.run(street) })]
    }

    /// Returns whether the near part holds every entry within `max_distance`, 1/32 m.
    #[inline]
    pub(crate) fn is_near(&self, street: StreetId, max_distance: i32) -> bool {
        max_distance < i32::from(self.heads[street.index()].far_from)
    }

    /// Returns the near part of a row.
    #[inline]
    pub(crate) fn near(&self, street: StreetId) -> RowPart<'_> {
        let Head { start, len, .. } = self.heads[street.index()];
        self.bands[0].part(start as usize..start as usize + usize::from(len))
    }

    /// Returns the rank of a street in street order among the near part of its row.
    #[inline]
    pub(crate) fn rank(&self, street: StreetId) -> u32 {
        self.heads[street.index()].rank.into()
    }

    /// Prefetches the first cache lines of the near part of a row.
    #[inline]
    pub(crate) fn prefetch(&self, street: StreetId) {
        let Some(head) = self.heads.get(street.index()) else { return };
        let entry = |number: usize| self.bands[0].rows.get(head.start as usize + number);
        let read = [0, 4, 8].map(|number| entry(number).map_or(0, |reached| reached.nearest));
        std::hint::black_box(read[0] ^ read[1] ^ read[2]);
    }

    /// Whether every street is two-way, so that return paths are the outward paths.
    pub(crate) fn is_two_way(&self) -> bool {
        self.two_way
    }

    /// Returns the distances from the ends of a street around to its own ends.
    pub(crate) fn own(&self, street: StreetId) -> Crossing {
        self.heads[street.index()].own
    }

    /// Returns the expanding mesh `EMesh` of `street` and `dc`, except the street itself: the
    /// streets that can be entered at a terminal nearer than `dc` to an exit.
    pub fn expanding(&self, street: StreetId, dc: Length) -> impl Iterator<Item = &ReachedStreet> {
        self.row(street).take_while(move |reached| u32::from(reached.nearest) < dc.units())
    }

    /// Number of entries of all rows.
    pub fn entry_count(&self) -> usize {
        self.bands.iter().map(|band| band.rows.len()).sum()
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        self.bands.iter().map(Band::bytes).sum::<usize>() + size_of_val(&self.heads[..])
    }
}

/// Streets per parallel task.
const CHUNK: usize = 128;

/// The rows of consecutive streets.
#[derive(Default)]
struct RowChunk {
    sizes: Vec<usize>,
    rows: Vec<ReachedStreet>,
    own: Vec<Crossing>,
}

impl RowChunk {
    fn compute(
        gatherer: &mut RowGatherer,
        map: &StreetMap,
        matrix: &DistanceMatrix,
        streets: &[StreetId],
    ) -> RowChunk {
        let mut chunk = RowChunk::default();
        let terminals =
            |exit| matrix.row(exit).map(|(terminal, length)| (terminal, length.units() as u16));
        for &street in streets {
            let start = chunk.rows.len();
            chunk.own.push(gatherer.gather(map, street, terminals, &mut chunk.rows));
            chunk.rows[start..].sort_unstable_by_key(|reached| (reached.nearest, reached.street));
            chunk.sizes.push(chunk.rows.len() - start);
        }
        chunk
    }
}
