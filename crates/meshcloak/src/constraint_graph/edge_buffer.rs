//! Output buffer of the edge search: the neighbours of consecutive nodes.

/// A list whose backing memory is initialised ahead of its length, so that elements are stored
/// without a capacity check or a branch each.
#[derive(Clone, Debug, Default)]
pub(super) struct EdgeBuffer {
    nodes: Vec<u32>,
    len: usize,
}

impl EdgeBuffer {
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the unused memory behind the list, at least `additional` elements.
    #[inline]
    pub(super) fn spare(&mut self, additional: usize) -> &mut [u32] {
        if self.len + additional > self.nodes.len() {
            self.grow(additional);
        }
        &mut self.nodes[self.len..]
    }

    #[cold]
    fn grow(&mut self, additional: usize) {
        let new_len = (self.len + self.len / 2).max(self.len + additional);
        self.nodes.reserve_exact(new_len - self.nodes.len());
        self.nodes.resize(new_len, 0);
    }

    /// Appends the first `count` elements of the spare memory to the list.
    #[inline]
    pub(super) fn advance(&mut self, count: usize) {
        self.len += count;
    }

    /// Truncates the list to `len` elements.
    pub(super) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Truncates the elements from `start` on to `max`, and sorts them.
    pub(super) fn truncate_and_sort(&mut self, start: usize, max: usize) {
        self.len = self.len.min(start.saturating_add(max));
        self.nodes[start..self.len].sort_unstable();
    }

    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.nodes.capacity()
    }

    pub(super) fn as_slice(&self) -> &[u32] {
        &self.nodes[..self.len]
    }
}
