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
    /// The k of each around the root, and its own.
    pub(super) k: &'a [u32],
    /// Who counts for each.
    pub(super) counts: &'a [B],
}

impl<B: Bits> Past<'_, B> {
    /// Leaves only those of some for whom enough of them count.
    pub(super) fn content(&self, members: &mut B) {
        loop {
            let before = members.clone();
            let mut changed = false;
            for place in before.iter() {
                if self.counts[place].count_common(members) < self.k[place] {
                    members.remove(place);
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }
}

/// The search from one root.
pub(super) struct Expand<'a, B> {
    /// Those around the root, and last the root.
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
    pub(super) fn grow(&mut self, clique: &B, mut open: B, mut done: B) {
        if !self.narrow(clique, &mut open) {
            return;
        }
        let count = open.count();
        self.steps += 1 + (count as usize * open.words().len() / WORDS_OF_A_STEP) as u32;
        if count == 0 {
            if done.count() == 0 {
                self.keep(clique);
            }
            return;
        }
        if self.steps > self.budget || self.found.nodes.len() > MOST_MEMBERS {
            self.found.truncated = true;
            return self.keep(clique);
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
            return self.keep(&union(clique, &open)); // all are adjacent to one another
        }
        for next in open.without(&self.neighbours[pivot.1]).iter() {
            let near = &self.neighbours[next];
            let mut larger = clique.clone();
            larger.insert(next);
            self.grow(&larger, open.common(near), done.common(near));
            open.remove(next);
            done.insert(next);
        }
    }

    /// Leaves only those of `open` who could be content beside others of it and the clique; whether
    /// anybody could.
    fn narrow(&self, clique: &B, open: &mut B) -> bool {
        let Some(past) = &self.past else { return true };
        let mut content = union(clique, open);
        past.content(&mut content);
        *open = open.common(&content);
        content.count() >= 2
    }

    fn keep(&mut self, clique: &B) {
        if self.past.is_some() {
            return self.keep_counting(clique.clone());
        }
        self.found.keep(clique.iter().map(|place| self.around[place]), self.k);
    }

    /// Keeps a clique without those for whom too few of it count, and who counts for whom: first
    /// the root, then the others ascending.
    fn keep_counting(&mut self, mut members: B) {
        let Some(past) = &self.past else { return };
        past.content(&mut members);
        let size = members.count() as usize;
        if size < 2 {
            return;
        }
        let root = Some(self.around.len() - 1).filter(|&root| members.has(root));
        root.into_iter().for_each(|root| members.remove(root));
        let Found { ends, nodes, rows, row_starts, .. } = &mut *self.found;
        row_starts.push(rows.len());
        for place in root.into_iter().chain(members.iter()) {
            nodes.push(self.around[place]);
            let counts = &past.counts[place];
            let mut word = 0;
            for (local, other) in root.into_iter().chain(members.iter()).enumerate() {
                word |= u64::from(counts.has(other)) << (local % 64);
                if local % 64 == 63 || local + 1 == size {
                    rows.push(std::mem::take(&mut word));
                }
            }
        }
        ends.push(nodes.len() as u32);
    }
}

/// Those in either.
fn union<B: Bits>(a: &B, b: &B) -> B {
    let mut both = a.clone();
    both.words_mut().iter_mut().zip(b.words()).for_each(|(a, b)| *a |= b);
    both
}
