//! One search for cliques, with witnesses that a clique without them is not maximal (Tomita et al.
//! 2006). Where not everyone counts for everyone, a branch goes on only with those who could still
//! be content in it, and ends when there are none: whatever set can be published lies among them.

use super::found::Found;
use crate::cliques::bits::Bits;

/// How many words of bits a step may look at.
const WORDS_OF_A_STEP: usize = 256;

/// More members than this, of all cliques together, are not kept.
pub(super) const MOST_MEMBERS: usize = 1 << 22;

/// Who counts for whom around a root.
pub(super) struct Past<'a, B> {
    /// The k of the root and of each around it.
    pub(super) root_k: u32,
    pub(super) k: &'a [u32],
    /// Who counts for each around it.
    pub(super) counts: &'a [B],
    pub(super) counted: Counted<B>,
}

/// Who counts for the root, and for whom it counts.
pub(super) struct Counted<B> {
    /// Who counts for the root.
    pub(super) root_counts: B,
    /// For whom the root counts.
    pub(super) for_root: B,
    pub(super) root_itself: bool,
}

impl<B: Bits> Past<'_, B> {
    /// Leaves only those of the root and some others for whom enough of them count; whether the
    /// root is one of them.
    pub(super) fn content(&self, members: &mut B) -> bool {
        let Counted { root_counts, for_root, root_itself } = &self.counted;
        let mut with_root = true;
        loop {
            let root = u32::from(*root_itself) + root_counts.count_common(members);
            let (before, had_root) = (members.clone(), with_root);
            with_root &= root >= self.root_k;
            let mut changed = with_root != had_root;
            for place in before.iter() {
                let root = u32::from(with_root && for_root.has(place));
                if self.counts[place].count_common(members) + root < self.k[place] {
                    members.remove(place);
                    changed = true;
                }
            }
            if !changed {
                return with_root;
            }
        }
    }
}

/// The search from one root.
pub(super) struct Expand<'a, B> {
    pub(super) root: u32,
    pub(super) around: &'a [u32],
    pub(super) neighbours: &'a [B],
    pub(super) past: Option<Past<'a, B>>,
    pub(super) k: &'a [u32],
    pub(super) found: &'a mut Found,
    pub(super) steps: u32,
    pub(super) budget: u32,
}

impl<B: Bits> Expand<'_, B> {
    /// Extends `clique` by nodes of `open`; `done` are the nodes whose cliques were met already.
    pub(super) fn grow(&mut self, clique: &mut Vec<usize>, mut open: B, mut done: B) {
        if !self.narrow(clique, &mut open) {
            return;
        }
        let count = open.count();
        self.steps += 1 + (count as usize * open.words().len() / WORDS_OF_A_STEP) as u32;
        if count == 0 {
            if done.count() == 0 {
                self.keep(clique, &open);
            }
            return;
        }
        if self.steps > self.budget || self.found.nodes.len() > MOST_MEMBERS {
            self.found.truncated = true;
            return self.keep(clique, &B::empty(0));
        }
        let mut pivot = (0, open.first().unwrap_or(0));
        for place in done.iter() {
            let common = open.count_common(&self.neighbours[place]);
            if common == count {
                return; // every clique from here could be extended by this one
            }
            if common > pivot.0 {
                pivot = (common, place);
            }
        }
        let mut least = count;
        for place in open.iter() {
            let common = open.count_common(&self.neighbours[place]);
            least = least.min(common);
            if common > pivot.0 {
                pivot = (common, place);
            }
        }
        if least == count - 1 {
            return self.keep(clique, &open); // all of them are adjacent to one another
        }
        for next in open.without(&self.neighbours[pivot.1]).iter() {
            let near = &self.neighbours[next];
            clique.push(next);
            let (further, witnesses) = (open.common(near), done.common(near));
            self.grow(clique, further, witnesses);
            clique.pop();
            open.remove(next);
            done.insert(next);
        }
    }

    /// Leaves only those of `open` who could be content beside others of it and the clique; whether
    /// anybody could.
    fn narrow(&self, clique: &[usize], open: &mut B) -> bool {
        let Some(past) = &self.past else { return true };
        let mut content = open.clone();
        clique.iter().for_each(|&place| content.insert(place));
        let with_root = past.content(&mut content);
        *open = open.common(&content);
        content.count() + u32::from(with_root) >= 2
    }

    fn keep(&mut self, clique: &[usize], more: &B) {
        if self.past.is_some() {
            return self.keep_counting(clique, more);
        }
        let places = clique.iter().copied().chain(more.iter());
        let nodes = std::iter::once(self.root).chain(places.map(|place| self.around[place]));
        self.found.keep(nodes, self.k);
    }

    /// Keeps a clique without those for whom too few of it count, and who counts for whom.
    fn keep_counting(&mut self, clique: &[usize], more: &B) {
        let Some(past) = &self.past else { return };
        let mut members = B::empty(self.around.len());
        clique.iter().copied().chain(more.iter()).for_each(|place| members.insert(place));
        let with_root = past.content(&mut members);
        let size = members.count() as usize + usize::from(with_root);
        if size < 2 {
            return;
        }
        let Found { ends, nodes, rows, row_starts, .. } = &mut *self.found;
        let shift = usize::from(with_root);
        let words = size.div_ceil(64);
        row_starts.push(rows.len());
        if with_root {
            nodes.push(self.root);
            let row = row_of(rows, words);
            if past.counted.root_itself {
                row[0] |= 1;
            }
            for (local, _) in
                members.iter().enumerate().filter(|m| past.counted.root_counts.has(m.1))
            {
                row[(local + 1) / 64] |= 1 << ((local + 1) % 64);
            }
        }
        for place in members.iter() {
            nodes.push(self.around[place]);
            let row = row_of(rows, words);
            if with_root && past.counted.for_root.has(place) {
                row[0] |= 1;
            }
            let counts = &past.counts[place];
            for (local, _) in members.iter().enumerate().filter(|m| counts.has(m.1)) {
                row[(local + shift) / 64] |= 1 << ((local + shift) % 64);
            }
        }
        ends.push(nodes.len() as u32);
    }
}

/// A new empty row.
fn row_of(rows: &mut Vec<u64>, words: usize) -> &mut [u64] {
    let start = rows.len();
    rows.resize(start + words, 0);
    &mut rows[start..]
}
