//! Which candidates of a search are neighbours of each other, as rows of bits.
//!
//! The graph knows of each node the later neighbours only. Their bits are found without a branch
//! for each, half of them being no candidates; then the earlier ones are the same matrix mirrored,
//! eight rows at a time where there are few, sixty-four where there are many.

use super::bits::Bits;
use super::bytes::Bytes;
use super::few;
use crate::constraint_graph::ConstraintGraph;

/// Room for finding out, one search after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Adjacency {
    /// For each node its place among the candidates plus one; 0 if it is none.
    places: Vec<u32>,
    row: Bytes,
    /// For each node its bit among few candidates; 0 if it is none.
    bits: Vec<u16>,
}

/// A square of bits.
type Square = [u64; 64];

/// No more candidates than this are mirrored by blocks of eight.
const MOST_BY_EIGHTS: usize = 24;

impl Adjacency {
    /// Makes room for a graph of so many nodes.
    pub(super) fn begin(&mut self, nodes: usize) {
        self.places.resize(nodes.max(self.places.len()), 0);
        self.bits.resize(nodes.max(self.bits.len()), 0);
    }

    /// For each of `candidates` its neighbours among them.
    pub(super) fn connect<B: Bits>(
        &mut self,
        graph: &ConstraintGraph,
        candidates: &[u32],
        neighbours: &mut Vec<B>,
    ) {
        let count = candidates.len();
        neighbours.clear();
        neighbours.resize(count, B::empty(count));
        for (place, &node) in (1..).zip(candidates) {
            self.places[node as usize] = place;
        }
        if count <= 64 {
            self.note_in_one_word(graph, candidates, neighbours);
        } else {
            self.note_many(graph, candidates, neighbours);
        }
        for &node in candidates {
            self.places[node as usize] = 0;
        }
        if count > MOST_BY_EIGHTS {
            mirror(neighbours);
        }
    }

    /// For each of few `candidates` its neighbours among them, and itself.
    #[inline]
    pub(super) fn connect_few(
        &mut self,
        graph: &ConstraintGraph,
        candidates: &[u32],
    ) -> [u16; few::MOST] {
        let mut bit = 1;
        for &node in candidates {
            self.bits[node as usize] = bit;
            bit <<= 1;
        }
        let later_among = |node: u32| {
            let later = graph.later(node).iter();
            u64::from(later.fold(0, |bits, &later| bits | self.bits[later as usize]))
        };
        let mut rows = [0; few::MOST];
        if candidates.len() <= 8 {
            let blocks = blocks::<1>(candidates, later_among);
            (0..8).for_each(|place| rows[place] = row(&blocks, place) as u16 | 1 << place);
        } else {
            let blocks = blocks::<2>(candidates, later_among);
            (0..16).for_each(|place| rows[place] = row(&blocks, place) as u16 | 1 << place);
        }
        for &node in candidates {
            self.bits[node as usize] = 0;
        }
        rows
    }

    /// The neighbours of each, where one word holds all; the later ones only if the whole is to be
    /// mirrored.
    fn note_in_one_word<B: Bits>(
        &self,
        graph: &ConstraintGraph,
        candidates: &[u32],
        rows: &mut [B],
    ) {
        let later_among = |node: u32| self.later_among(graph, candidates, node);
        if candidates.len() > MOST_BY_EIGHTS {
            for (row, &node) in rows.iter_mut().zip(candidates) {
                row.words_mut()[0] = later_among(node);
            }
            return;
        }
        let blocks = blocks::<{ MOST_BY_EIGHTS / 8 }>(candidates, later_among);
        for (number, bits) in rows.iter_mut().enumerate() {
            bits.words_mut()[0] = row(&blocks, number);
        }
    }

    /// Which of a word of candidates are later neighbours of a node.
    #[inline]
    fn later_among(&self, graph: &ConstraintGraph, candidates: &[u32], node: u32) -> u64 {
        let last = candidates.last().copied().unwrap_or(0);
        let mut bits = 0;
        for &later in graph.later(node).iter().take_while(|&&later| later <= last) {
            let place = self.places[later as usize];
            bits |= u64::from(place > 0) << (place.wrapping_sub(1) % 64);
        }
        bits
    }

    /// The later neighbours of each.
    fn note_many<B: Bits>(&mut self, graph: &ConstraintGraph, candidates: &[u32], rows: &mut [B]) {
        let last = candidates.last().copied().unwrap_or(0);
        for (row, &node) in rows.iter_mut().zip(candidates) {
            self.row.clear(candidates.len());
            for &later in graph.later(node).iter().take_while(|&&later| later <= last) {
                self.row.set(self.places[later as usize], true);
            }
            self.row.add_to(row);
        }
    }
}

/// The neighbours of each, by blocks of eight times eight; `later_among` tells the later ones.
#[inline]
fn blocks<const WIDTH: usize>(
    candidates: &[u32],
    later_among: impl Fn(u32) -> u64,
) -> [[u64; WIDTH]; WIDTH] {
    let mut blocks = [[0; WIDTH]; WIDTH];
    for (number, &node) in candidates.iter().enumerate() {
        let bits = later_among(node);
        for (part, block) in blocks[number / 8 % WIDTH].iter_mut().enumerate() {
            *block |= (bits >> (8 * part) & 0xff) << (8 * (number % 8));
        }
    }
    for (a, b) in (0..WIDTH).flat_map(|a| (a..WIDTH).map(move |b| (a, b))) {
        blocks[a][b] |= transposed(blocks[b][a]);
        blocks[b][a] = transposed(blocks[a][b]);
    }
    blocks
}

/// One row of the blocks.
#[inline]
fn row<const WIDTH: usize>(blocks: &[[u64; WIDTH]; WIDTH], number: usize) -> u64 {
    let parts = blocks[number / 8].as_slice().iter().enumerate();
    let byte = |block: u64| block >> (8 * (number % 8)) & 0xff;
    parts.fold(0, |row, (part, block)| row | byte(*block) << (8 * part))
}

/// Adds to each row those in whose rows it is, sixty-four rows at a time.
fn mirror<B: Bits>(rows: &mut [B]) {
    let words = rows.len().div_ceil(64);
    for a in 0..words {
        for b in a..words {
            let mut below = square(rows, b, a);
            transpose(&mut below);
            add(rows, a, b, &below);
            let mut above = square(rows, a, b);
            transpose(&mut above);
            add(rows, b, a, &above);
        }
    }
}

/// One word of sixty-four rows.
fn square<B: Bits>(rows: &[B], from: usize, word: usize) -> Square {
    let mut square = [0; 64];
    for (bits, row) in square.iter_mut().zip(&rows[from * 64..]) {
        *bits = row.words()[word];
    }
    square
}

fn add<B: Bits>(rows: &mut [B], from: usize, word: usize, square: &Square) {
    for (bits, row) in square.as_slice().iter().zip(&mut rows[from * 64..]) {
        row.words_mut()[word] |= bits;
    }
}

/// Eight rows of eight bits become columns: blocks change places across the diagonal, of one bit,
/// then of two, then of four.
fn transposed(mut rows: u64) -> u64 {
    for (shift, upper) in [(7, 0x00aa_00aa_00aa_00aa), (14, 0xcccc_0000_cccc), (28, 0xf0f0_f0f0)] {
        let changed = (rows ^ rows >> shift) & upper;
        rows ^= changed ^ changed << shift;
    }
    rows
}

/// Rows become columns: halves of the square change places, then quarters, and so on.
fn transpose(square: &mut Square) {
    let mut low = u64::MAX;
    for half in [32, 16, 8, 4, 2, 1] {
        low ^= low << half;
        for pair in square.chunks_exact_mut(2 * half) {
            let (upper, lower) = pair.split_at_mut(half);
            for (upper, lower) in upper.iter_mut().zip(lower) {
                let changed = ((*upper >> half) ^ *lower) & low;
                *upper ^= changed << half;
                *lower ^= changed;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;

    fn compare<B: Bits>(adjacency: &mut Adjacency, graph: &ConstraintGraph, candidates: &[u32]) {
        let mut rows: Vec<B> = Vec::new();
        adjacency.begin(graph.len());
        adjacency.connect(graph, candidates, &mut rows);
        for (place, &node) in candidates.iter().enumerate() {
            for (other_place, &other) in candidates.iter().enumerate() {
                let expected = node != other && naive::is_clique(graph, &[node, other]);
                assert_eq!(rows[place].has(other_place), expected, "{node} and {other}");
            }
        }
    }

    #[test]
    fn rows_hold_the_neighbours_among_the_candidates_whatever_their_number() {
        let adjacency = &mut Adjacency::default();
        for (nodes, seed) in [
            (3, 6),
            (8, 7),
            (9, 8),
            (16, 9),
            (24, 10),
            (25, 11),
            (30, 1),
            (63, 2),
            (90, 3),
            (150, 4),
            (300, 5),
        ] {
            let mixed = |a: u32, b: u32| (a * 31 + b * 17 + a * b + seed) % 5 < 2;
            let graph = ConstraintGraph::from_fn(nodes, mixed).turned();
            for step in [1, 2, 3, 7] {
                let candidates: Vec<u32> = (0..nodes).step_by(step).collect();
                compare::<Vec<u64>>(adjacency, &graph, &candidates);
                match candidates.len() {
                    ..=64 => compare::<[u64; 1]>(adjacency, &graph, &candidates),
                    65..=128 => compare::<[u64; 2]>(adjacency, &graph, &candidates),
                    _ => compare::<[u64; 8]>(adjacency, &graph, &candidates),
                }
            }
        }
    }
}
