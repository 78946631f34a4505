//! The neighbours that were found, one node after the other.

/// A list that grows ahead of what is in it: so one is put in without a branch.
#[derive(Clone, Debug, Default)]
pub(super) struct Later {
    nodes: Vec<u32>,
    len: usize,
}

impl Later {
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Room for so many more.
    #[inline]
    pub(super) fn room(&mut self, more: usize) -> &mut [u32] {
        if self.len + more > self.nodes.len() {
            self.grow(more);
        }
        &mut self.nodes[self.len..]
    }

    #[cold]
    fn grow(&mut self, more: usize) {
        let room = (self.len + self.len / 2).max(self.len + more);
        self.nodes.reserve_exact(room - self.nodes.len());
        self.nodes.resize(room, 0);
    }

    /// So many of those written into the room are there to stay.
    #[inline]
    pub(super) fn keep_written(&mut self, count: usize) {
        self.len += count;
    }

    /// Of those behind the first `before` keeps the first `most`, and sorts them.
    pub(super) fn keep(&mut self, before: usize, most: usize) {
        self.len = self.len.min(before.saturating_add(most));
        self.nodes[before..self.len].sort_unstable();
    }

    /// For how many memory was taken.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.nodes.capacity()
    }

    pub(super) fn as_slice(&self) -> &[u32] {
        &self.nodes[..self.len]
    }
}
