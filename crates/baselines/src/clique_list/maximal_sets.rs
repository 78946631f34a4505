//! Sets of small numbers, filtered for those that no other set contains.

/// Bitsets of equal length in one array.
#[derive(Clone, Debug, Default)]
pub(super) struct MaximalSets {
    /// Words per set.
    words: usize,
    bits: Vec<u64>,
    /// Size and index of each set, in processing order.
    order: Vec<(u32, u32)>,
    maximal: Vec<u32>,
}

impl MaximalSets {
    /// Removes all sets; new ones hold numbers below `bound`.
    pub(super) fn clear(&mut self, bound: usize) {
        self.words = bound.div_ceil(64).max(1);
        self.bits.clear();
        self.order.clear();
        self.maximal.clear();
    }

    /// Adds a set and returns its size.
    pub(super) fn push(&mut self, numbers: impl Iterator<Item = u32>) -> usize {
        let start = self.bits.len();
        self.bits.resize(start + self.words, 0);
        let mut count = 0;
        for number in numbers {
            self.bits[start + number as usize / 64] |= 1 << (number % 64);
            count += 1;
        }
        self.order.push((count, self.order.len() as u32));
        count as usize
    }

    /// Finds the distinct maximal sets and returns their number.
    pub(super) fn find_maximal(&mut self) -> usize {
        let MaximalSets { words, bits, order, maximal } = self;
        let set = |index: u32| &bits[index as usize * *words..][..*words];
        // Largest first: a set can then only be contained in an earlier maximal one.
        order.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| set(a.1).cmp(set(b.1))));
        order.dedup_by(|a, b| set(a.1) == set(b.1));
        for &(_, index) in order.iter() {
            let inside = |&other: &u32| set(index).iter().zip(set(other)).all(|(a, b)| a & !b == 0);
            if !maximal.iter().any(inside) {
                maximal.push(index);
            }
        }
        maximal.len()
    }

    /// Numbers of a maximal set, ascending.
    pub(super) fn maximal(&self, index: usize) -> impl Iterator<Item = u32> {
        let words = &self.bits[self.maximal[index] as usize * self.words..][..self.words];
        words.iter().enumerate().flat_map(|(word, &bits)| {
            let mut remaining = bits;
            std::iter::from_fn(move || {
                let bit = remaining.trailing_zeros();
                remaining &= remaining.wrapping_sub(1);
                (bit < 64).then_some(word as u32 * 64 + bit)
            })
        })
    }
}
