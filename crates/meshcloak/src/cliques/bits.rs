//! Sets of small numbers as bits: one word, a few words, or as many as it takes.

/// A set of numbers below some bound.
pub(crate) trait Bits: Clone {
    /// The empty set of numbers below `bound`.
    fn empty(bound: usize) -> Self;
    /// The words of the set, lowest numbers first.
    fn words(&self) -> &[u64];
    /// The words of the set, to change.
    fn words_mut(&mut self) -> &mut [u64];

    fn insert(&mut self, number: usize) {
        self.words_mut()[number / 64] |= 1 << (number % 64);
    }

    /// Puts a number in that is `wanted`; of one that is not, nothing need hold.
    #[inline]
    fn insert_if(&mut self, wanted: bool, number: usize) {
        if wanted {
            self.insert(number);
        }
    }

    fn remove(&mut self, number: usize) {
        self.words_mut()[number / 64] &= !(1 << (number % 64));
    }

    fn has(&self, number: usize) -> bool {
        self.words()[number / 64] >> (number % 64) & 1 == 1
    }

    fn count(&self) -> u32 {
        self.words().iter().map(|word| word.count_ones()).sum()
    }

    /// How many numbers are in both.
    fn count_common(&self, other: &Self) -> u32 {
        self.words().iter().zip(other.words()).map(|(a, b)| (a & b).count_ones()).sum()
    }

    /// How many numbers are in this set and not in the other.
    fn count_without(&self, other: &Self) -> u32 {
        self.words().iter().zip(other.words()).map(|(a, b)| (a & !b).count_ones()).sum()
    }

    /// Those in both.
    fn common(&self, other: &Self) -> Self {
        let mut common = self.clone();
        common.words_mut().iter_mut().zip(other.words()).for_each(|(a, b)| *a &= b);
        common
    }

    /// The numbers below `bound`.
    fn first_numbers(bound: usize) -> Self {
        let mut all = Self::empty(bound);
        for (word, first) in all.words_mut().iter_mut().zip((0..bound).step_by(64)) {
            *word = u64::MAX >> 64_usize.saturating_sub(bound - first);
        }
        all
    }

    /// Those in this set and not in the other.
    fn without(&self, other: &Self) -> Self {
        let mut rest = self.clone();
        rest.words_mut().iter_mut().zip(other.words()).for_each(|(a, b)| *a &= !b);
        rest
    }

    /// The lowest number.
    fn first(&self) -> Option<usize> {
        let place = self.words().iter().position(|word| *word != 0)?;
        Some(place * 64 + self.words()[place].trailing_zeros() as usize)
    }

    /// The numbers, ascending.
    fn iter(&self) -> impl Iterator<Item = usize> {
        self.words()
            .iter()
            .enumerate()
            .flat_map(|(place, &word)| Ones(word).map(move |bit| place * 64 + bit))
    }
}

struct Ones(u64);

impl Iterator for Ones {
    type Item = usize;
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

impl<const WORDS: usize> Bits for [u64; WORDS] {
    fn empty(bound: usize) -> Self {
        assert!(bound <= WORDS * 64, "{bound} numbers do not fit {WORDS} words");
        [0; WORDS]
    }
    fn words(&self) -> &[u64] {
        self
    }
    fn words_mut(&mut self) -> &mut [u64] {
        self
    }
    /// Without a branch: whether a number is wanted is hard to guess.
    #[inline]
    fn insert_if(&mut self, wanted: bool, number: usize) {
        self[number / 64 % WORDS] |= u64::from(wanted) << (number % 64);
    }
}

impl Bits for Vec<u64> {
    fn empty(bound: usize) -> Self {
        vec![0; bound.div_ceil(64)]
    }
    fn words(&self) -> &[u64] {
        self
    }
    fn words_mut(&mut self) -> &mut [u64] {
        self
    }
}
