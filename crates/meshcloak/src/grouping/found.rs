//! Cliques as searches find them, one after the other.

use std::ops::Range;

/// Cliques, each without the members whose k it cannot meet.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub(super) ends: Vec<u32>,
    pub(super) nodes: Vec<u32>,
    /// Who counts for each member, as bits over the members; empty if everyone does.
    pub(super) rows: Vec<u64>,
    pub(super) row_starts: Vec<usize>,
    /// Steps of all searches.
    pub(super) steps: u64,
    /// Whether a search spent its budget, or cliques did not fit into memory.
    pub(super) truncated: bool,
}

impl Found {
    pub(super) fn clear(&mut self) {
        self.ends.clear();
        self.nodes.clear();
        self.rows.clear();
        self.row_starts.clear();
        (self.steps, self.truncated) = (0, false);
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Where the nodes of one begin.
    fn start(&self, clique: u32) -> u32 {
        if clique == 0 { 0 } else { self.ends[clique as usize - 1] }
    }

    /// The nodes of one.
    pub(super) fn nodes(&self, clique: u32) -> &[u32] {
        &self.nodes[self.start(clique) as usize..self.ends[clique as usize] as usize]
    }

    /// Keeps a clique without those whose k it cannot meet.
    pub(super) fn keep(&mut self, clique: impl Iterator<Item = u32>, k: &[u32]) {
        let start = self.nodes.len();
        self.nodes.extend(clique);
        let members = &self.nodes[start..];
        let mut size = members.len() as u32;
        loop {
            let content = members.iter().filter(|&&node| k[node as usize] <= size).count() as u32;
            if content == size {
                break;
            }
            size = content;
        }
        if size < 2 {
            self.nodes.truncate(start);
            return;
        }
        let mut kept = start;
        for place in start..self.nodes.len() {
            let node = self.nodes[place];
            if k[node as usize] <= size {
                self.nodes[kept] = node;
                kept += 1;
            }
        }
        self.nodes.truncate(kept);
        self.nodes[start..].sort_unstable();
        self.ends.push(kept as u32);
    }

    /// Appends some cliques of another.
    pub(super) fn append(&mut self, other: &Found, cliques: Range<u32>) {
        let Some(last) = cliques.clone().last() else { return };
        let (start, end) = (other.start(cliques.start), other.ends[last as usize]);
        let before = self.nodes.len() as u32;
        self.nodes.extend_from_slice(&other.nodes[start as usize..end as usize]);
        let ends = &other.ends[cliques.start as usize..cliques.end as usize];
        self.ends.extend(ends.iter().map(|end| end - start + before));
        let Some(&start) = other.row_starts.get(cliques.start as usize) else { return };
        let end = other.row_starts.get(cliques.end as usize).copied().unwrap_or(other.rows.len());
        let before = self.rows.len();
        self.rows.extend_from_slice(&other.rows[start..end]);
        let starts = &other.row_starts[cliques.start as usize..cliques.end as usize];
        self.row_starts.extend(starts.iter().map(|row| row - start + before));
    }
}
