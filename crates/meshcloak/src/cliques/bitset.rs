//! Bit sets of small integers, generic over the storage: a fixed number of words or a vector.

/// Set of integers below a bound that is fixed at construction.
pub(crate) trait BitSet: Clone {
    /// Largest bound that the type supports.
    const CAPACITY: usize;

    /// Returns the empty set of integers below `bound`.
    fn empty(bound: usize) -> Self;
    /// Returns the words of the set, lowest integers first.
    fn words(&self) -> &[u64];
    /// Returns the words of the set for modification.
    fn words_mut(&mut self) -> &mut [u64];

    #[inline]
    fn insert(&mut self, index: usize) {
        self.words_mut()[index / 64] |= 1 << (index % 64);
    }

    /// Inserts `index` if `is_member`; otherwise `index` may exceed the bound.
    #[inline]
    fn insert_if(&mut self, is_member: bool, index: usize) {
        if is_member {
            self.insert(index);
        }
    }

    #[inline]
    fn remove(&mut self, index: usize) {
        self.words_mut()[index / 64] &= !(1 << (index % 64));
    }

    #[inline]
    fn has(&self, index: usize) -> bool {
        self.words()[index / 64] >> (index % 64) & 1 == 1
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.words().iter().all(|word| *word == 0)
    }

    fn count(&self) -> u32 {
        self.words().iter().map(|word| word.count_ones()).sum()
    }

    /// Returns the size of the intersection.
    fn count_common(&self, other: &Self) -> u32 {
        self.words().iter().zip(other.words()).map(|(a, b)| (a & b).count_ones()).sum()
    }

    /// Returns the size of the difference.
    fn count_without(&self, other: &Self) -> u32 {
        self.words().iter().zip(other.words()).map(|(a, b)| (a & !b).count_ones()).sum()
    }

    /// Returns the intersection.
    fn common(&self, other: &Self) -> Self {
        let mut common = self.clone();
        common.words_mut().iter_mut().zip(other.words()).for_each(|(a, b)| *a &= b);
        common
    }

    /// Returns the difference.
    fn without(&self, other: &Self) -> Self {
        let mut rest = self.clone();
        rest.words_mut().iter_mut().zip(other.words()).for_each(|(a, b)| *a &= !b);
        rest
    }

    /// Inserts all elements of the other set.
    fn insert_all(&mut self, other: &Self) {
        self.words_mut().iter_mut().zip(other.words()).for_each(|(a, b)| *a |= b);
    }

    /// Returns the set of all integers below `bound`.
    fn full(bound: usize) -> Self {
        let mut full = Self::empty(bound);
        for (word, first) in full.words_mut().iter_mut().zip((0..bound).step_by(64)) {
            *word = u64::MAX >> 64_usize.saturating_sub(bound - first);
        }
        full
    }

    /// Returns the smallest element.
    fn first(&self) -> Option<usize> {
        let word = self.words().iter().position(|word| *word != 0)?;
        Some(word * 64 + self.words()[word].trailing_zeros() as usize)
    }

    /// Iterates over the elements in ascending order.
    #[inline]
    fn iter(&self) -> Elements<'_> {
        let (&word, rest) = self.words().split_first().unwrap_or((&0, &[]));
        Elements { word, base: 0, rest }
    }
}

/// Iterator over the elements of a set, ascending.
pub(crate) struct Elements<'a> {
    /// Elements of the present word that are not yet returned.
    word: u64,
    /// Value of bit 0 of the present word.
    base: usize,
    rest: &'a [u64],
}

impl Iterator for Elements<'_> {
    type Item = usize;
    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.word == 0 {
            let (&word, rest) = self.rest.split_first()?;
            (self.word, self.rest) = (word, rest);
            self.base += 64;
        }
        let bit = self.word.trailing_zeros() as usize;
        self.word &= self.word - 1;
        Some(self.base + bit)
    }
}

impl<const WORDS: usize> BitSet for [u64; WORDS] {
    const CAPACITY: usize = WORDS * 64;

    fn empty(bound: usize) -> Self {
        assert!(bound <= WORDS * 64, "{bound} bits do not fit into {WORDS} words");
        [0; WORDS]
    }
    fn words(&self) -> &[u64] {
        self
    }
    fn words_mut(&mut self) -> &mut [u64] {
        self
    }
    // The remainder replaces the bounds check; with one word the index is constant.
    #[inline]
    fn insert(&mut self, index: usize) {
        self[index / 64 % WORDS] |= 1 << (index % 64);
    }
    #[inline]
    fn remove(&mut self, index: usize) {
        self[index / 64 % WORDS] &= !(1 << (index % 64));
    }
    #[inline]
    fn has(&self, index: usize) -> bool {
        self[index / 64 % WORDS] >> (index % 64) & 1 == 1
    }
    /// Branchless: whether an element is a member is unpredictable.
    #[inline]
    fn insert_if(&mut self, is_member: bool, index: usize) {
        self[index / 64 % WORDS] |= u64::from(is_member) << (index % 64);
    }
}

impl BitSet for Vec<u64> {
    const CAPACITY: usize = usize::MAX;

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
