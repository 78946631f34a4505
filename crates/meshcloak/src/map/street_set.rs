//! A set of streets that is filled and emptied again and again: one bit for each street, and one
//! for each word of such bits that is not empty, so that taking the streets out costs what is in.

use super::StreetId;

/// Streets, each once.
#[derive(Clone, Debug, Default)]
pub struct StreetSet {
    words: Vec<Word>,
    filled: Vec<u64>,
    /// Room for the streets on their way out.
    out: Vec<StreetId>,
}

/// Small words make small layers, of which many are kept and waiting for them is what laying costs.
type Word = u32;

const BITS: usize = Word::BITS as usize;

/// So many streets of a word are written at once.
const AT_ONCE: usize = 4;

/// Some streets that stand next to each other: one word of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layer {
    word: u32,
    bits: Word,
}

impl Layer {
    /// X.
    pub fn touch(&self) -> usize {
        self.bits as usize
    }
}

impl StreetSet {
    /// Makes room for the streets of a map.
    pub fn reserve(&mut self, streets: usize) {
        let words = streets.div_ceil(BITS);
        self.words.resize(words.max(self.words.len()), 0);
        self.filled.resize(words.div_ceil(64).max(self.filled.len()), 0);
        self.out.resize(self.words.len() * BITS + AT_ONCE, StreetId(0));
    }

    /// Puts a street in; there must be room for it.
    #[inline]
    pub fn insert(&mut self, street: StreetId) {
        let word = street.index() / BITS;
        self.words[word] |= 1 << (street.index() % BITS);
        self.filled[word / 64] |= 1 << (word % 64);
    }

    /// Puts many streets in at once; there must be room for them.
    #[inline]
    pub fn lay(&mut self, layers: &[Layer]) {
        for &Layer { word, bits } in layers {
            let word = word as usize;
            self.words[word] |= bits;
            self.filled[word / 64] |= 1 << (word % 64);
        }
    }

    /// Takes all streets out and appends them to `layers`.
    pub fn drain_layers(&mut self, layers: &mut Vec<Layer>) {
        self.drain(|word, bits| layers.push(Layer { word: word as u32, bits }));
    }

    /// Takes all streets out and appends them to `streets`, ascending.
    pub fn drain_into(&mut self, streets: &mut Vec<StreetId>) {
        let mut out = std::mem::take(&mut self.out);
        let mut len = 0;
        self.drain(|word, mut bits| {
            let (first, count) = (word as u32 * Word::BITS, bits.count_ones() as usize);
            // Some at once, whether there are so many or not: what is too much is written over by
            // the next word, and how many there are need not be guessed.
            for start in (len..len + count).step_by(AT_ONCE) {
                for street in &mut out[start..start + AT_ONCE] {
                    *street = StreetId(first.wrapping_add(bits.trailing_zeros()));
                    bits &= bits.wrapping_sub(1);
                }
            }
            len += count;
        });
        streets.extend_from_slice(&out[..len]);
        self.out = out;
    }

    #[inline]
    fn drain(&mut self, mut take: impl FnMut(usize, Word)) {
        for (group, filled) in self.filled.iter_mut().enumerate() {
            let mut open = std::mem::take(filled);
            while open != 0 {
                let word = group * 64 + open.trailing_zeros() as usize;
                open &= open - 1;
                take(word, std::mem::take(&mut self.words[word]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn streets_come_out_once_and_ascending_and_leave_nothing_behind() {
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
