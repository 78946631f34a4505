//! Search for the first clique of a given size among a few candidates, in their order.

/// Candidates, their adjacency matrix, and search buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct CliqueSearch {
    /// Words of a bitset of candidates.
    words: usize,
    /// Adjacency matrix, one bitset per candidate.
    rows: Vec<u64>,
    /// Remaining candidates, one bitset per search depth.
    open: Vec<u64>,
    clique: Vec<u32>,
    /// Steps of the current search.
    spent: u32,
    /// Steps of all searches since [`CliqueSearch::begin`].
    pub(super) steps: u64,
    /// Whether one of them exhausted its budget.
    pub(super) truncated: bool,
}

/// Maximum number of steps of one search.
const BUDGET: u32 = 20_000;

/// Words of a bitset that count as one step.
const WORDS_PER_STEP: usize = 16;

impl CliqueSearch {
    /// Sets the number of candidates and their adjacency.
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

    /// Returns the first clique of `size` among the `allowed` candidates.
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
        self.prune(size);
        self.clique.clear();
        self.spent = 0;
        let found = self.grow(0, size);
        self.steps += u64::from(self.spent);
        self.truncated |= self.spent > BUDGET;
        found.then_some(&self.clique)
    }

    /// Removes candidates with too few remaining neighbours, to a fixpoint.
    fn prune(&mut self, size: usize) {
        let mut changed = true;
        while changed {
            changed = false;
            for candidate in 0..self.words * 64 {
                if self.open[candidate / 64] >> (candidate % 64) & 1 == 0 {
                    continue;
                }
                let row = &self.rows[candidate * self.words..][..self.words];
                let degree = row.iter().zip(&self.open).map(|(a, b)| (a & b).count_ones());
                if (degree.sum::<u32>() as usize) + 1 < size {
                    self.open[candidate / 64] &= !(1 << (candidate % 64));
                    changed = true;
                }
            }
        }
    }

    /// Extends the clique by `need` of the candidates of this depth; `false` if there is none.
    fn grow(&mut self, depth: usize, need: usize) -> bool {
        if need == 0 {
            return true;
        }
        let (here, next) = (depth * self.words, (depth + 1) * self.words);
        let mut remaining: usize =
            self.open[here..next].iter().map(|word| word.count_ones() as usize).sum();
        while remaining >= need {
            self.spent += 1 + (self.words / WORDS_PER_STEP) as u32;
            if self.spent > BUDGET {
                return false;
            }
            let Some(word) = self.open[here..next].iter().position(|&word| word != 0) else {
                return false;
            };
            let candidate = word * 64 + self.open[here + word].trailing_zeros() as usize;
            for word in 0..self.words {
                let row = self.rows[candidate * self.words + word];
                self.open[next + word] = self.open[here + word] & row;
            }
            self.clique.push(candidate as u32);
            if self.grow(depth + 1, need - 1) {
                return true;
            }
            self.clique.pop();
            self.open[here + word] &= self.open[here + word] - 1;
            remaining -= 1;
        }
        false
    }
}
