//! A set of small numbers while it is being filled: a byte for each number, so that one is put in
//! without looking at what was put in before it. Then eight bytes make eight bits.

use super::bits::Bits;

/// Some of the numbers below a bound; what has no number is written where nobody reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bytes(Vec<u8>);

impl Bytes {
    /// Empties the set, and makes room for the numbers below `bound`.
    pub(crate) fn clear(&mut self, bound: usize) {
        self.0.clear();
        self.0.resize(bound.next_multiple_of(64) + 1, 0);
    }

    /// Puts a number in if it is `wanted`. It is given plus one; 0 is no number.
    #[inline]
    pub(crate) fn set(&mut self, plus_one: u32, wanted: bool) {
        self.0[plus_one as usize] = wanted.into();
    }

    /// Takes a number out, given plus one; whether it was in.
    #[inline]
    pub(crate) fn take(&mut self, plus_one: u32) -> bool {
        std::mem::take(&mut self.0[plus_one as usize]) == 1
    }

    /// Adds the numbers to a set of bits.
    #[inline]
    pub(crate) fn add_to<B: Bits>(&self, bits: &mut B) {
        for (word, bytes) in bits.words_mut().iter_mut().zip(self.0[1..].chunks_exact(64)) {
            for (number, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
                *word |= packed(*eight) << (number * 8);
            }
        }
    }
}

/// Eight bytes, each 0 or 1, as eight bits: the product moves each to a place of its own in the
/// highest byte.
fn packed(bytes: [u8; 8]) -> u64 {
    u64::from_le_bytes(bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_the_numbers_that_were_put_in() {
        let mut bytes = Bytes::default();
        for bound in [1, 63, 64, 65, 200, 256] {
            bytes.clear(bound);
            let is_in = |number: usize| number * number % 7 < 3;
            (0..bound).for_each(|number| bytes.set(number as u32 + 1, is_in(number)));
            bytes.set(0, true);
            bytes.set(bound as u32, true);
            assert!(bytes.take(bound as u32) && !bytes.take(bound as u32));
            bytes.set(bound as u32, is_in(bound - 1));
            let mut bits: [u64; 4] = Bits::empty(bound);
            bytes.add_to(&mut bits);
            let expected: Vec<usize> = (0..bound).filter(|&number| is_in(number)).collect();
            assert_eq!(Bits::iter(&bits).collect::<Vec<_>>(), expected, "{bound}");
        }
    }
}
