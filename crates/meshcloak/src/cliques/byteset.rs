//! Set under construction with one byte per element, converted to bits at the end.
//!
//! ```text
//! byte   0            1          2     …   bound
//!        write sink   element 0  1     …   bound - 1
//! ```
//!
//! A store to a byte does not depend on earlier stores, whereas `word |= bit` is a chain of
//! read-modify-write operations. Lookups of nodes that are not in the set return 0, so they are
//! stored to the sink without a branch.

use super::bitset::BitSet;

/// Set of the integers below a bound. Elements are passed plus one; 0 addresses the write sink.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByteSet(Vec<u8>);

impl ByteSet {
    /// Empties the set and sets its bound.
    pub(crate) fn clear(&mut self, bound: usize) {
        self.0.clear();
        self.0.resize(bound.next_multiple_of(64) + 1, 0);
    }

    /// Sets whether an element is a member.
    #[inline]
    pub(crate) fn set(&mut self, plus_one: u32, is_member: bool) {
        self.0[plus_one as usize] = is_member.into();
    }

    /// Adds the elements to a bit set.
    #[inline]
    pub(crate) fn add_to<B: BitSet>(&self, bits: &mut B) {
        for (word, bytes) in bits.words_mut().iter_mut().zip(self.0[1..].chunks_exact(64)) {
            for (number, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
                *word |= pack(*eight) << (number * 8);
            }
        }
    }
}

/// Packs eight bytes of value 0 or 1 into eight bits. The product moves each byte to its own bit of
/// the highest byte.
fn pack(bytes: [u8; 8]) -> u64 {
    u64::from_le_bytes(bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_equal_the_elements_that_were_set() {
        let mut bytes = ByteSet::default();
        for bound in [1, 63, 64, 65, 200, 256] {
            bytes.clear(bound);
            let is_member = |index: usize| index * index % 7 < 3;
            (0..bound).for_each(|index| bytes.set(index as u32 + 1, is_member(index)));
            bytes.set(0, true);
            bytes.set(bound as u32, true);
            bytes.set(bound as u32, is_member(bound - 1));
            let mut bits: [u64; 4] = BitSet::empty(bound);
            bytes.add_to(&mut bits);
            let expected: Vec<usize> = (0..bound).filter(|&index| is_member(index)).collect();
            assert_eq!(BitSet::iter(&bits).collect::<Vec<_>>(), expected, "{bound}");
        }
    }
}
