//! A reusable bitset of streets with a summary level.
//!
//! ```text
//! words   [u32]        one bit per street
//! filled  [[u64; 4]]   one bit per pair of words that may be non-empty, in 4 lanes (OR of lanes)
//! ```
//!
//! Draining costs time in proportion to the non-empty words, not to the number of streets.

use super::StreetId;

/// A set of streets.
#[derive(Clone, Debug, Default)]
pub struct StreetSet {
    words: Vec<Word>,
    filled: Vec<[u64; LANES]>,
    /// Next lane of `filled`.
    lane: usize,
    /// Scratch buffer of drained streets.
    out: Vec<StreetId>,
}

/// Bitset word. 32 bits keep stored layers small; loading them dominates the cost of `lay`.
type Word = u32;

const BITS: usize = Word::BITS as usize;

/// Lanes of the summary level, used in turn to break store-to-load dependencies.
const LANES: usize = 4;

/// Streets written per step.
const CHUNK: usize = 8;

/// A word of the bitset: up to 32 adjacent streets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layer {
    word: u32,
    bits: Word,
}

impl Layer {
    /// Returns one bit per street.
    #[inline]
    pub fn bits(self) -> u32 {
        self.bits
    }
}

impl StreetSet {
    /// Reserves capacity for the streets of a map.
    pub fn reserve(&mut self, streets: usize) {
        let pairs = streets.div_ceil(2 * BITS);
        self.words.resize((2 * pairs).max(self.words.len()), 0);
        self.filled.resize(pairs.div_ceil(64).max(self.filled.len()), [0; LANES]);
    }

    /// Inserts a street; capacity must be reserved.
    #[inline]
    pub fn insert(&mut self, street: StreetId) {
        let street = street.index();
        self.put(street / BITS, 1 << (street % BITS), street % LANES);
    }

    /// Inserts the streets of all layers; capacity must be reserved.
    #[inline]
    pub fn lay(&mut self, layers: &[Layer]) {
        let lane = self.lane % LANES;
        self.lane += 1;
        for &Layer { word, bits } in layers {
            self.put(word as usize, bits, lane);
        }
    }

    #[inline]
    fn put(&mut self, word: usize, bits: Word, lane: usize) {
        let pair = word / 2;
        self.words[word] |= bits;
        self.filled[pair / 64][lane] |= 1 << (pair % 64);
    }

    /// Removes all streets and appends them to `layers`.
    pub fn drain_layers(&mut self, layers: &mut Vec<Layer>) {
        self.drain(|pair, words| {
            for (word, bits) in (2 * pair as u32..).zip(words) {
                if bits != 0 {
                    layers.push(Layer { word, bits });
                }
            }
        });
    }

    /// Removes all streets and appends them to `streets`, ascending.
    pub fn drain_into(&mut self, streets: &mut Vec<StreetId>) {
        let mut out = std::mem::take(&mut self.out);
        let end = self.write(&mut out, 0);
        streets.extend_from_slice(&out[..end]);
        self.out = out;
    }

    /// Removes all streets and writes them to `out` from `start`, ascending. Overwrites the content
    /// after `start` and grows `out` if necessary. Returns the end index.
    pub fn write(&mut self, out: &mut Vec<StreetId>, start: usize) -> usize {
        let needed = start + self.words.len() * BITS + CHUNK;
        if out.len() < needed {
            out.resize(2 * needed, StreetId(0));
        }
        let mut end = start;
        self.drain(|pair, [low, high]| {
            let mut bits = u64::from(low) | u64::from(high) << BITS;
            let (first, count) = (pair as u32 * 2 * Word::BITS, bits.count_ones() as usize);
            // Branchless: always writes a full chunk; surplus entries are overwritten by the next
            // one. The number of streets is unpredictable.
            let mut rest = &mut out[end..];
            while let Some((some, others)) = rest.split_first_chunk_mut::<CHUNK>() {
                for street in some {
                    *street = StreetId(first.wrapping_add(bits.trailing_zeros()));
                    bits &= bits.wrapping_sub(1);
                }
                if bits == 0 {
                    break;
                }
                rest = others;
            }
            end += count;
        });
        end
    }

    #[inline]
    fn drain(&mut self, mut take: impl FnMut(usize, [Word; 2])) {
        for (group, filled) in self.filled.iter_mut().enumerate() {
            let mut open = std::mem::take(filled).into_iter().fold(0, |all, lane| all | lane);
            while open != 0 {
                let pair = group * 64 + open.trailing_zeros() as usize;
                open &= open - 1;
                if let [low, high] = &mut self.words[2 * pair..2 * pair + 2] {
                    take(pair, [std::mem::take(low), std::mem::take(high)]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn streets_are_drained_once_in_ascending_order() {
        let mut set = StreetSet::default();
        let mut seed = 1_u32;
        for round in 0..50 {
            let streets = 1 + round * 311;
            set.reserve(streets as usize);
            let mut expected = BTreeSet::new();
            for _ in 0..round * 3 {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let street = StreetId((seed >> 8) % streets);
                set.insert(street);
                expected.insert(street);
            }
            if round % 7 == 3 {
                (0..streets).for_each(|street| set.insert(StreetId(street)));
                expected.extend((0..streets).map(StreetId));
            }
            if round % 2 == 0 {
                let mut layers = Vec::new();
                set.drain_layers(&mut layers);
                set.lay(&layers);
                set.lay(&layers[..layers.len() / 2]);
            }
            let mut found = vec![StreetId(7)];
            set.drain_into(&mut found);
            assert_eq!(found.split_off(1), expected.into_iter().collect::<Vec<_>>(), "{round}");
        }
    }
}
