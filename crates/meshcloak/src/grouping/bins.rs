//! The maximal cliques among those who can be served at all, each without the members whose k it
//! cannot meet. Whatever set can be published lies in one of them.

use super::neighbours::Neighbours;
use crate::cliques::bits::Bits;

/// The cliques, and for each node those that hold it.
#[derive(Clone, Debug, Default)]
pub(super) struct Bins {
    ends: Vec<u32>,
    nodes: Vec<u32>,
    of_starts: Vec<u32>,
    of: Vec<u32>,
    /// Who counts for each member, as bits over the members; empty if everyone does.
    rows: Vec<u64>,
    row_starts: Vec<usize>,
    local: Vec<u32>,
    /// Steps of all searches.
    pub(super) steps: u64,
    /// Whether a search spent its budget, or cliques did not fit into memory.
    pub(super) truncated: bool,
}

const NOWHERE: u32 = u32::MAX;

/// How many words of bits a step may look at.
const WORDS_OF_A_STEP: usize = 256;

/// More members than this, of all cliques together, are not kept.
const MOST_MEMBERS: usize = 1 << 22;

impl Bins {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The nodes of one.
    pub(super) fn nodes(&self, bin: u32) -> &[u32] {
        let start = if bin == 0 { 0 } else { self.ends[bin as usize - 1] };
        &self.nodes[start as usize..self.ends[bin as usize] as usize]
    }

    /// Who counts for the member at `place` of one, as bits over its members.
    pub(super) fn row(&self, bin: u32, place: usize) -> &[u64] {
        let words = self.nodes(bin).len().div_ceil(64);
        let start = self.row_starts[bin as usize] + place * words;
        &self.rows[start..start + words]
    }

    /// Those that hold a node, ascending.
    pub(super) fn of(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.of[self.of_starts[node] as usize..self.of_starts[node + 1] as usize]
    }

    /// Finds them; the search from one node may take `budget` steps.
    pub(super) fn find(&mut self, graph: &Neighbours, k: &[u32], budget: u32) {
        self.ends.clear();
        self.nodes.clear();
        self.rows.clear();
        self.row_starts.clear();
        self.local.clear();
        self.local.resize(graph.len(), NOWHERE);
        (self.steps, self.truncated) = (0, false);
        for root in 0..graph.len() as u32 {
            let around = graph.of(root);
            let earlier = around.partition_point(|&other| other < root);
            match around.len() {
                _ if earlier == around.len() => {}
                _ if dominated(graph, &around[..earlier], &around[earlier..]) => {}
                1..=64 => self.search::<[u64; 1]>(graph, root, k, budget),
                65..=256 => self.search::<[u64; 4]>(graph, root, k, budget),
                _ => self.search::<Vec<u64>>(graph, root, k, budget),
            }
        }
        self.index(graph.len());
    }

    fn search<B: Bits>(&mut self, graph: &Neighbours, root: u32, k: &[u32], budget: u32) {
        let around = graph.of(root);
        let nobody = B::empty(around.len());
        let mut neighbours: Vec<B> = vec![nobody.clone(); around.len()];
        let mut counts: Vec<B> = Vec::new();
        for (place, &node) in around.iter().enumerate() {
            self.local[node as usize] = place as u32;
        }
        for (place, &node) in around.iter().enumerate() {
            for &other in graph.of(node) {
                let other = self.local[other as usize];
                if other != NOWHERE {
                    neighbours[place].insert(other as usize);
                }
            }
        }
        let mut past = None;
        if let Some(hers) = graph.counting(root) {
            let (mut root_counts, mut for_root) = (nobody.clone(), nobody.clone());
            for (place, &node) in around.iter().enumerate() {
                let mut row = nobody.clone();
                let counting = graph.counting(node).unwrap_or(&[]);
                for (&other, _) in graph.of(node).iter().zip(counting).filter(|entry| *entry.1) {
                    match self.local[other as usize] {
                        _ if other == root => for_root.insert(place),
                        NOWHERE => {}
                        local => row.insert(local as usize),
                    }
                }
                if graph.counts_itself(node) {
                    row.insert(place);
                }
                if hers[place] {
                    root_counts.insert(place);
                }
                counts.push(row);
            }
            let root_itself = graph.counts_itself(root);
            past = Some(Past { counts: &counts, root_counts, for_root, root_itself });
        }
        for &node in around {
            self.local[node as usize] = NOWHERE;
        }
        let (mut open, mut done) = (nobody.clone(), nobody);
        for (place, &node) in around.iter().enumerate() {
            if node < root { done.insert(place) } else { open.insert(place) }
        }
        let mut expand =
            Expand { root, around, neighbours: &neighbours, past, k, bins: self, steps: 0, budget };
        expand.grow(&mut Vec::new(), open, done);
        let steps = expand.steps;
        self.steps += u64::from(steps);
        self.truncated |= steps > budget;
    }

    /// Keeps a clique without those whose k it cannot meet.
    fn keep(&mut self, clique: impl Iterator<Item = u32>, k: &[u32]) {
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

    fn index(&mut self, nodes: usize) {
        self.of_starts.clear();
        self.of_starts.resize(nodes + 2, 0);
        for &node in &self.nodes {
            self.of_starts[node as usize + 2] += 1;
        }
        for node in 0..nodes {
            self.of_starts[node + 2] += self.of_starts[node + 1];
        }
        self.of.clear();
        self.of.resize(self.nodes.len(), 0);
        let mut start = 0;
        for (bin, &end) in self.ends.iter().enumerate() {
            for &node in &self.nodes[start as usize..end as usize] {
                let slot = &mut self.of_starts[node as usize + 1];
                self.of[*slot as usize] = bin as u32;
                *slot += 1;
            }
            start = end;
        }
    }
}

/// Whether an earlier neighbour is adjacent to all the later ones: then no clique begins here. Only
/// a few are looked at.
fn dominated(graph: &Neighbours, earlier: &[u32], later: &[u32]) -> bool {
    let covers = |&node: &u32| {
        let mut hers = graph.of(node).iter();
        later.iter().all(|other| hers.any(|node| node == other))
    };
    earlier.iter().take(4).any(covers)
}

/// Who counts for whom around a root.
struct Past<'a, B> {
    counts: &'a [B],
    /// Who counts for the root.
    root_counts: B,
    /// For whom the root counts.
    for_root: B,
    root_itself: bool,
}

struct Expand<'a, B> {
    root: u32,
    around: &'a [u32],
    neighbours: &'a [B],
    past: Option<Past<'a, B>>,
    k: &'a [u32],
    bins: &'a mut Bins,
    steps: u32,
    budget: u32,
}

impl<B: Bits> Expand<'_, B> {
    /// Extends `clique` by nodes of `open`; `done` are the nodes whose cliques were met already.
    fn grow(&mut self, clique: &mut Vec<usize>, mut open: B, mut done: B) {
        let count = open.count();
        self.steps += 1 + (count as usize * open.words().len() / WORDS_OF_A_STEP) as u32;
        if count == 0 {
            if done.count() == 0 {
                self.keep(clique, &open);
            }
            return;
        }
        if self.steps > self.budget || self.bins.nodes.len() > MOST_MEMBERS {
            self.bins.truncated = true;
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

    fn keep(&mut self, clique: &[usize], more: &B) {
        if self.past.is_some() {
            return self.keep_counting(clique, more);
        }
        let places = clique.iter().copied().chain(more.iter());
        let nodes = std::iter::once(self.root).chain(places.map(|place| self.around[place]));
        self.bins.keep(nodes, self.k);
    }

    /// Keeps a clique without those for whom too few of it count, and who counts for whom.
    fn keep_counting(&mut self, clique: &[usize], more: &B) {
        let Some(past) = &self.past else { return };
        let mut members = B::empty(self.around.len());
        clique.iter().copied().chain(more.iter()).for_each(|place| members.insert(place));
        let mut with_root = true;
        loop {
            let root = u32::from(past.root_itself) + past.root_counts.count_common(&members);
            let (before, had_root) = (members.clone(), with_root);
            with_root &= root >= self.k[self.root as usize];
            for place in before.iter() {
                let root = u32::from(with_root && past.for_root.has(place));
                let have = past.counts[place].count_common(&members) + root;
                if have < self.k[self.around[place] as usize] {
                    members.remove(place);
                }
            }
            if members.count() == before.count() && with_root == had_root {
                break;
            }
        }
        let size = members.count() as usize + usize::from(with_root);
        if size < 2 {
            return;
        }
        let Bins { ends, nodes, rows, row_starts, .. } = &mut *self.bins;
        let shift = usize::from(with_root);
        let words = size.div_ceil(64);
        row_starts.push(rows.len());
        if with_root {
            nodes.push(self.root);
            let row = row_of(rows, words);
            if past.root_itself {
                row[0] |= 1;
            }
            for (local, _) in members.iter().enumerate().filter(|m| past.root_counts.has(m.1)) {
                row[(local + 1) / 64] |= 1 << ((local + 1) % 64);
            }
        }
        for place in members.iter() {
            nodes.push(self.around[place]);
            let row = row_of(rows, words);
            if with_root && past.for_root.has(place) {
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
