//! A clique of a given size among a few candidates, the first in their order.

/// Candidates, who of them is adjacent to whom, and the room a search needs.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    words: usize,
    /// For each candidate its neighbours, as bits.
    rows: Vec<u64>,
    /// For each depth of the search the candidates that are left.
    open: Vec<u64>,
    clique: Vec<u32>,
    /// Steps of the present search.
    spent: u32,
    /// Steps of all searches since [`Search::begin`].
    pub(super) steps: u64,
    /// Whether one of them spent its budget.
    pub(super) truncated: bool,
}

/// So many steps one search may take.
const BUDGET: u32 = 20_000;

/// So many words of bits a step may look at.
const WORDS_OF_A_STEP: usize = 16;

impl Search {
    /// Takes new candidates, by number from 0.
    pub(super) fn begin(&mut self, candidates: usize, adjacent: impl Fn(usize, usize) -> bool) {
        self.words = candidates.div_ceil(64);
        self.rows.clear();
        self.rows.resize(candidates * self.words, 0);
        for a in 0..candidates {
            for b in a + 1..candidates {
                if adjacent(a, b) {
                    self.rows[a * self.words + b / 64] |= 1 << (b % 64);
                    self.rows[b * self.words + a / 64] |= 1 << (a % 64);
                }
            }
        }
        (self.steps, self.truncated) = (0, false);
    }

    /// The first clique of `size` among the candidates that are `allowed`.
    pub(super) fn find(
        &mut self,
        size: usize,
        candidates: usize,
        allowed: impl Fn(usize) -> bool,
    ) -> Option<&[u32]> {
        if size > candidates {
            return None;
        }
        self.open.clear();
        self.open.resize(self.words * (size + 1), 0);
        for candidate in (0..candidates).filter(|&candidate| allowed(candidate)) {
            self.open[candidate / 64] |= 1 << (candidate % 64);
        }
        self.drop_hopeless(size);
        self.clique.clear();
        self.spent = 0;
        let found = self.grow(0, size);
        self.steps += u64::from(self.spent);
        self.truncated |= self.spent > BUDGET;
        found.then_some(&self.clique)
    }

    /// Drops those with too few neighbours among the rest, until nobody else is to be dropped.
    fn drop_hopeless(&mut self, size: usize) {
        let mut changed = true;
        while changed {
            changed = false;
            for candidate in 0..self.words * 64 {
                if self.open[candidate / 64] >> (candidate % 64) & 1 == 0 {
                    continue;
                }
                let row = &self.rows[candidate * self.words..][..self.words];
                let near = row.iter().zip(&self.open).map(|(a, b)| (a & b).count_ones());
                if (near.sum::<u32>() as usize) + 1 < size {
                    self.open[candidate / 64] &= !(1 << (candidate % 64));
                    changed = true;
                }
            }
        }
    }

    /// Adds `need` of the candidates that are left at this depth; `false` if that cannot be done.
    fn grow(&mut self, depth: usize, need: usize) -> bool {
        if need == 0 {
            return true;
        }
        let (here, next) = (depth * self.words, (depth + 1) * self.words);
        let mut left: usize =
            self.open[here..next].iter().map(|word| word.count_ones() as usize).sum();
        while left >= need {
            self.spent += 1 + (self.words / WORDS_OF_A_STEP) as u32;
            if self.spent > BUDGET {
                return false;
            }
            let Some(word) = self.open[here..next].iter().position(|&word| word != 0) else {
                return false;
            };
            let candidate = word * 64 + self.open[here + word].trailing_zeros() as usize;
            for word in 0..self.words {
                let near = self.rows[candidate * self.words + word];
                self.open[next + word] = self.open[here + word] & near;
            }
            self.clique.push(candidate as u32);
            if self.grow(depth + 1, need - 1) {
                return true;
            }
            self.clique.pop();
            self.open[here + word] &= self.open[here + word] - 1;
            left -= 1;
        }
        false
    }
}
