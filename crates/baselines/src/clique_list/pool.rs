//! Sets of small numbers, of which those are wanted that no other contains.

/// Sets as bits, one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    words: usize,
    bits: Vec<u64>,
    /// The sets in the order in which they are looked at: number of elements, place.
    order: Vec<(u32, u32)>,
    kept: Vec<u32>,
}

impl Pool {
    /// Forgets its sets; from now on they are of numbers below `bound`.
    pub(super) fn begin(&mut self, bound: usize) {
        self.words = bound.div_ceil(64).max(1);
        self.bits.clear();
        self.order.clear();
        self.kept.clear();
    }

    /// Adds a set. Gives how many numbers are in it.
    pub(super) fn add(&mut self, numbers: impl Iterator<Item = u32>) -> usize {
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

    /// Finds the sets that no other contains, each once. Gives how many there are.
    pub(super) fn keep_maximal(&mut self) -> usize {
        let Pool { words, bits, order, kept } = self;
        let set = |place: u32| &bits[place as usize * *words..][..*words];
        // Large ones first: a set can then only be contained in one that was kept.
        order.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| set(a.1).cmp(set(b.1))));
        order.dedup_by(|a, b| set(a.1) == set(b.1));
        for &(_, place) in order.iter() {
            let inside = |&other: &u32| set(place).iter().zip(set(other)).all(|(a, b)| a & !b == 0);
            if !kept.iter().any(inside) {
                kept.push(place);
            }
        }
        kept.len()
    }

    /// The numbers in a set that was kept, ascending.
    pub(super) fn kept(&self, place: usize) -> impl Iterator<Item = u32> {
        let words = &self.bits[self.kept[place] as usize * self.words..][..self.words];
        words.iter().enumerate().flat_map(|(word, &bits)| {
            let mut left = bits;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                left &= left.wrapping_sub(1);
                (bit < 64).then_some(word as u32 * 64 + bit)
            })
        })
    }
}
