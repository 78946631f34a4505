//! Adjacency matrix of the candidates of one search, as bit rows.
//!
//! ```text
//! graph rows          matrix of n candidates, bit j of row i: candidates i and j are adjacent
//!                          j →
//! later neighbours    i  . x . x      gathered row by row: the upper triangle in graph order
//! of each candidate   ↓  . . x .
//!                        + + + +      mirrored: matrix |= transpose(matrix)
//! ```
//!
//! The graph stores each edge once, at the earlier node. A gathered row therefore has the later
//! neighbours only; the others are added by a transposition. Gathering has no branch per neighbour,
//! because about half of the neighbours are no candidates: a lookup table maps them to bit 0.
//!
//! The transposition works on blocks of 8 × 8 bits in one word up to 24 candidates, and on blocks of
//! 64 × 64 bits above. Measured gain of the small blocks, instructions of the largest-clique stage:
//! 4 % on P1-3-5, 1 % on P2-10-10.

use super::bitset::BitSet;
use super::byteset::ByteSet;
use super::narrow_search::MAX_CANDIDATES;
use crate::constraint_graph::ConstraintGraph;

/// Builds the matrix of one search after the other with reused buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Adjacency {
    /// For each node its index among the candidates plus one; 0 for other nodes.
    indices: Vec<u32>,
    row: ByteSet,
    /// For each node its bit in a narrow search; 0 for other nodes.
    bits: Vec<u16>,
}

/// Block of 64 × 64 bits.
type Block64 = [u64; 64];

/// Largest number of candidates for blocks of 8 × 8 bits.
const MAX_SMALL_BLOCKS: usize = 24;

impl Adjacency {
    /// Prepares the lookup tables for a graph of `nodes` nodes.
    pub(super) fn begin(&mut self, nodes: usize) {
        self.indices.resize(nodes.max(self.indices.len()), 0);
        self.bits.resize(nodes.max(self.bits.len()), 0);
    }

    /// Fills `rows` with the matrix of `candidates`.
    pub(super) fn connect<B: BitSet>(
        &mut self,
        graph: &ConstraintGraph,
        candidates: &[u32],
        rows: &mut Vec<B>,
    ) {
        let count = candidates.len();
        rows.clear();
        rows.resize(count, B::empty(count));
        for (plus_one, &node) in (1..).zip(candidates) {
            self.indices[node as usize] = plus_one;
        }
        if count <= 64 {
            self.gather_one_word(graph, candidates, rows);
        } else {
            self.gather_many_words(graph, candidates, rows);
        }
        for &node in candidates {
            self.indices[node as usize] = 0;
        }
        if count > MAX_SMALL_BLOCKS {
            mirror(rows);
        }
    }

    /// Returns the matrix of a narrow search. Each row contains its own candidate.
    #[inline]
    pub(super) fn connect_narrow(
        &mut self,
        graph: &ConstraintGraph,
        candidates: &[u32],
    ) -> [u16; MAX_CANDIDATES] {
        let mut bit = 1;
        for &node in candidates {
            self.bits[node as usize] = bit;
            bit <<= 1;
        }
        let later_among = |node: u32| {
            let later = graph.later(node).iter();
            u64::from(later.fold(0, |bits, &later| bits | self.bits[later as usize]))
        };
        let mut rows = [0; MAX_CANDIDATES];
        if candidates.len() <= 8 {
            let blocks = blocks::<1>(candidates, later_among);
            (0..8).for_each(|index| rows[index] = row(&blocks, index) as u16 | 1 << index);
        } else {
            let blocks = blocks::<2>(candidates, later_among);
            (0..16).for_each(|index| rows[index] = row(&blocks, index) as u16 | 1 << index);
        }
        for &node in candidates {
            self.bits[node as usize] = 0;
        }
        rows
    }

    /// Fills rows of one word; only with later neighbours if there are too many candidates for
    /// small blocks.
    fn gather_one_word<B: BitSet>(
        &self,
        graph: &ConstraintGraph,
        candidates: &[u32],
        rows: &mut [B],
    ) {
        let later_among = |node: u32| self.later_among(graph, candidates, node);
        if candidates.len() > MAX_SMALL_BLOCKS {
            for (row, &node) in rows.iter_mut().zip(candidates) {
                row.words_mut()[0] = later_among(node);
            }
            return;
        }
        let blocks = blocks::<{ MAX_SMALL_BLOCKS / 8 }>(candidates, later_among);
        for (number, bits) in rows.iter_mut().enumerate() {
            bits.words_mut()[0] = row(&blocks, number);
        }
    }

    /// Returns the later neighbours of a node among at most 64 candidates.
    #[inline]
    fn later_among(&self, graph: &ConstraintGraph, candidates: &[u32], node: u32) -> u64 {
        let last = candidates.last().copied().unwrap_or(0);
        let mut bits = 0;
        for &later in graph.later(node).iter().take_while(|&&later| later <= last) {
            let plus_one = self.indices[later as usize];
            bits |= u64::from(plus_one > 0) << (plus_one.wrapping_sub(1) % 64);
        }
        bits
    }

    /// Fills rows of any length with the later neighbours.
    fn gather_many_words<B: BitSet>(
        &mut self,
        graph: &ConstraintGraph,
        candidates: &[u32],
        rows: &mut [B],
    ) {
        let last = candidates.last().copied().unwrap_or(0);
        for (row, &node) in rows.iter_mut().zip(candidates) {
            self.row.clear(candidates.len());
            for &later in graph.later(node).iter().take_while(|&&later| later <= last) {
                self.row.set(self.indices[later as usize], true);
            }
            self.row.add_to(row);
        }
    }
}

/// Returns the mirrored matrix in blocks of 8 × 8 bits. `later_among` returns the later neighbours
/// of a candidate.
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
        blocks[a][b] |= transpose_8x8(blocks[b][a]);
        blocks[b][a] = transpose_8x8(blocks[a][b]);
    }
    blocks
}

/// Returns one row of the matrix.
#[inline]
fn row<const WIDTH: usize>(blocks: &[[u64; WIDTH]; WIDTH], number: usize) -> u64 {
    let parts = blocks[number / 8].as_slice().iter().enumerate();
    let byte = |block: u64| block >> (8 * (number % 8)) & 0xff;
    parts.fold(0, |row, (part, block)| row | byte(*block) << (8 * part))
}

/// Adds the transpose to a matrix, in blocks of 64 × 64 bits.
fn mirror<B: BitSet>(rows: &mut [B]) {
    let words = rows.len().div_ceil(64);
    for a in 0..words {
        for b in a..words {
            let mut below = block_64x64(rows, b, a);
            transpose_64x64(&mut below);
            add_block(rows, a, b, &below);
            let mut above = block_64x64(rows, a, b);
            transpose_64x64(&mut above);
            add_block(rows, b, a, &above);
        }
    }
}

/// Returns one word of 64 rows.
fn block_64x64<B: BitSet>(rows: &[B], from: usize, word: usize) -> Block64 {
    let mut block = [0; 64];
    for (bits, row) in block.iter_mut().zip(&rows[from * 64..]) {
        *bits = row.words()[word];
    }
    block
}

fn add_block<B: BitSet>(rows: &mut [B], from: usize, word: usize, block: &Block64) {
    for (bits, row) in block.as_slice().iter().zip(&mut rows[from * 64..]) {
        row.words_mut()[word] |= bits;
    }
}

/// Transposes eight rows of eight bits: swaps blocks of 1, 2 and 4 bits across the diagonal.
fn transpose_8x8(mut rows: u64) -> u64 {
    for (shift, upper) in [(7, 0x00aa_00aa_00aa_00aa), (14, 0xcccc_0000_cccc), (28, 0xf0f0_f0f0)] {
        let changed = (rows ^ rows >> shift) & upper;
        rows ^= changed ^ changed << shift;
    }
    rows
}

/// Transposes 64 rows of 64 bits: swaps blocks of 32, 16, … bits across the diagonal.
fn transpose_64x64(block: &mut Block64) {
    let mut low = u64::MAX;
    for half in [32, 16, 8, 4, 2, 1] {
        low ^= low << half;
        for pair in block.chunks_exact_mut(2 * half) {
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

    fn compare<B: BitSet>(adjacency: &mut Adjacency, graph: &ConstraintGraph, candidates: &[u32]) {
        let mut rows: Vec<B> = Vec::new();
        adjacency.begin(graph.len());
        adjacency.connect(graph, candidates, &mut rows);
        for (index, &node) in candidates.iter().enumerate() {
            for (other_index, &other) in candidates.iter().enumerate() {
                let expected = node != other && naive::is_clique(graph, &[node, other]);
                assert_eq!(rows[index].has(other_index), expected, "{node} and {other}");
            }
        }
    }

    #[test]
    fn rows_equal_the_adjacency_for_every_number_of_candidates() {
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
            let graph = ConstraintGraph::from_fn(nodes, mixed).reoriented();
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
