//! Both sides of every edge among those who can be served at all, and who of them counts for whom.

use super::WhoCounts;
use crate::constraint_graph::ConstraintGraph;
use rayon::prelude::*;
use std::ops::Range;

/// For each node its neighbours, ascending; none of a node that cannot be served whatever is done.
///
/// A node's k is met by the members of its set that *count* for it. Without a past everyone
/// counts for everyone.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbours {
    starts: Vec<u32>,
    nodes: Vec<u32>,
    /// For each entry of `nodes` whether it counts for the node whose row it is in; empty if
    /// everyone counts for everyone.
    counts: Vec<bool>,
    /// Whether a node counts for itself.
    own: Vec<bool>,
    /// For each entry of `nodes`, while rows are whole, whether the node whose row it is in counts
    /// for it; empty if everyone counts for everyone.
    mirrored: Vec<bool>,
    /// For each node those who count for her, ascending; nothing if everyone counts for everyone.
    counting_starts: Vec<u32>,
    counting: Vec<u32>,
    /// How long each row is.
    degree: Vec<u32>,
    /// How many more count for each than she needs.
    spare: Vec<u32>,
    hopeless: Vec<u32>,
    filled: Vec<u32>,
}

/// Rows to ask about.
#[derive(Clone, Copy)]
struct Rows<'a> {
    starts: &'a [u32],
    nodes: &'a [u32],
    spare: &'a [u32],
}

/// Who is asked about which nodes, with room for what she says of their neighbours and of
/// themselves.
type Share<'a, 'b> = (&'a mut WhoCounts<'b>, Range<usize>, &'a mut [bool], &'a mut [bool]);

impl Rows<'_> {
    fn ask(&self, (past, range, counts, own): Share<'_, '_>) {
        let base = self.starts[range.start] as usize;
        for (node, own) in range.zip(own) {
            let row = self.starts[node] as usize..self.starts[node + 1] as usize;
            let counts = &mut counts[row.start - base..row.end - base];
            let gone = self.spare[node] & GONE != 0;
            *own = !gone && past(node as u32, &self.nodes[row], counts);
        }
    }
}

/// In `spare`: this node cannot be served.
const GONE: u32 = 1 << 31;

impl Neighbours {
    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.degree.len()
    }

    /// The neighbours of a node.
    pub(super) fn of(&self, node: u32) -> &[u32] {
        let start = self.starts[node as usize] as usize;
        &self.nodes[start..start + self.degree[node as usize] as usize]
    }

    /// Whether everyone counts for everyone.
    pub(super) fn everyone_counts(&self) -> bool {
        self.own.is_empty()
    }

    /// Those of them who count for it, since rows were tidied.
    pub(super) fn who_counts(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.counting[self.counting_starts[node] as usize..self.counting_starts[node + 1] as usize]
    }

    /// Which of them count for it; `None` if everyone counts for everyone.
    pub(super) fn counting(&self, node: u32) -> Option<&[bool]> {
        let start = self.starts[node as usize] as usize;
        let end = start + self.degree[node as usize] as usize;
        (!self.own.is_empty()).then(|| &self.counts[start..end])
    }

    /// Whether a node counts for itself.
    pub(super) fn counts_itself(&self, node: u32) -> bool {
        self.own.is_empty() || self.own[node as usize]
    }

    /// Whether a neighbour, or the node itself, counts for a node.
    pub(super) fn counts(&self, node: u32, other: u32) -> bool {
        match self.counting(node) {
            None => true,
            Some(_) if node == other => self.counts_itself(node),
            Some(row) => self.of(node).binary_search(&other).is_ok_and(|place| row[place]),
        }
    }

    /// Takes the edges of a graph in which everyone counts for everyone.
    pub(super) fn mirror(&mut self, graph: &ConstraintGraph) {
        let count = graph.len();
        self.counts.clear();
        self.own.clear();
        self.degree.clear();
        self.degree.resize(count, 0);
        for node in 0..count as u32 {
            self.degree[node as usize] += graph.later(node).len() as u32;
            for &later in graph.later(node) {
                self.degree[later as usize] += 1;
            }
        }
        self.starts.clear();
        self.starts.push(0);
        let mut end = 0;
        for &degree in &self.degree {
            end += degree;
            self.starts.push(end);
        }
        self.nodes.clear();
        self.nodes.resize(end as usize, 0);
        // From the other side each row is in order as it is met; it is kept at the end of the room.
        self.filled.clear();
        let kept = |node: usize| self.starts[node] + graph.later(node as u32).len() as u32;
        self.filled.extend((0..count).map(kept));
        for node in 0..count as u32 {
            for &later in graph.later(node) {
                let slot = &mut self.filled[later as usize];
                self.nodes[*slot as usize] = node;
                *slot += 1;
            }
        }
        for node in 0..count {
            let row = self.starts[node] as usize..self.starts[node + 1] as usize;
            merge(graph.later(node as u32), &mut self.nodes[row]);
        }
    }

    /// Asks who counts for every node that was not given up. Those who can be asked share the nodes,
    /// about as many edges for each.
    pub(super) fn remember(&mut self, past: &mut [WhoCounts<'_>]) {
        let (len, threads) = (self.len(), past.len());
        self.counts.resize(self.nodes.len(), true);
        self.own.resize(len, false);
        let Neighbours { starts, nodes, spare, counts, own, .. } = self;
        let rows = Rows { starts, nodes, spare };
        let (mut counts, mut own) = (&mut counts[..], &mut own[..]);
        let mut shares = Vec::with_capacity(threads);
        let mut first = 0;
        for (number, past) in (1..).zip(past) {
            let end = (nodes.len() * number / threads) as u32;
            let next = starts.partition_point(|&start| start < end).clamp(first, len);
            let next = if number == threads { len } else { next };
            let (hers, rest) = counts.split_at_mut((starts[next] - starts[first]) as usize);
            let (selves, more) = own.split_at_mut(next - first);
            (counts, own) = (rest, more);
            shares.push((past, first..next, hers, selves));
            first = next;
        }
        if let [_] = shares[..] {
            shares.into_iter().for_each(|share| rows.ask(share));
        } else {
            shares.into_par_iter().for_each(|share| rows.ask(share));
        }
    }

    /// Gives up whoever has fewer neighbours than her k needs, again and again. Rows stay as they
    /// are until they are tidied.
    pub(super) fn peel(&mut self, k: &[u32]) {
        self.hopeless.clear();
        self.spare.clear();
        self.spare.resize(self.len(), 0);
        self.mirrored.clear();
        for node in 0..self.len() as u32 {
            self.spare(node, self.degree[node as usize] + 1, k);
        }
        self.give_up_others();
    }

    /// Gives up whoever then has fewer neighbours that count than her k needs.
    pub(super) fn peel_counting(&mut self, k: &[u32]) {
        self.mirror_counts();
        for node in 0..self.len() as u32 {
            if self.spare[node as usize] & GONE == 0 {
                let row = &self.counts[self.row(node)];
                let counting = row.iter().map(|&counts| u32::from(counts)).sum::<u32>();
                self.spare(node, counting + u32::from(self.counts_itself(node)), k);
            }
        }
        self.give_up_others();
    }

    /// Notes for each entry of a row whether the node counts for its neighbour. Rows are whole, and
    /// ascending, so whoever has her neighbours in order is met by each of them in order.
    fn mirror_counts(&mut self) {
        let Neighbours { starts, nodes, counts, mirrored, filled, .. } = self;
        filled.clear();
        filled.extend_from_slice(&starts[..starts.len() - 1]);
        mirrored.resize(nodes.len(), false);
        for (&other, &counts) in nodes.iter().zip(&*counts) {
            let slot = &mut filled[other as usize];
            mirrored[*slot as usize] = counts;
            *slot += 1;
        }
    }

    /// Notes how many more somebody has than she needs, or gives her up.
    fn spare(&mut self, node: u32, have: u32, k: &[u32]) {
        match have.checked_sub(k[node as usize]) {
            Some(spare) => self.spare[node as usize] = spare,
            None => self.give_up(node),
        }
    }

    fn give_up(&mut self, node: u32) {
        self.spare[node as usize] = GONE;
        self.hopeless.push(node);
    }

    /// Gives up whom those who were given up leave without enough.
    fn give_up_others(&mut self) {
        let mut next = 0;
        while let Some(&node) = self.hopeless.get(next) {
            next += 1;
            for place in self.row(node) {
                let other = self.nodes[place];
                let counted = self.mirrored.get(place).is_none_or(|counts| *counts);
                if self.spare[other as usize] & GONE != 0 || !counted {
                    continue;
                }
                match self.spare[other as usize].checked_sub(1) {
                    Some(spare) => self.spare[other as usize] = spare,
                    None => self.give_up(other),
                }
            }
        }
    }

    fn row(&self, node: u32) -> Range<usize> {
        let start = self.starts[node as usize] as usize;
        start..start + self.degree[node as usize] as usize
    }

    /// Rows without those who were given up; and, if not everyone counts, rows of those who do.
    pub(super) fn tidy(&mut self) {
        for &node in &self.hopeless {
            self.degree[node as usize] = 0;
        }
        let everyone = self.own.is_empty();
        self.counting.resize(if everyone { 0 } else { self.nodes.len() }, 0);
        self.counting_starts.clear();
        self.counting_starts.push(0);
        let mut counting = 0;
        for node in 0..self.len() as u32 {
            let row = self.row(node);
            let mut kept = row.start;
            for place in row.clone() {
                let other = self.nodes[place];
                let stays = self.spare[other as usize] & GONE == 0;
                self.nodes[kept] = other;
                if !everyone {
                    let counts = self.counts[place];
                    self.counts[kept] = counts;
                    self.counting[counting] = other;
                    counting += usize::from(stays & counts);
                }
                kept += usize::from(stays);
            }
            self.degree[node as usize] = (kept - row.start) as u32;
            self.counting_starts.push(counting as u32);
        }
    }
}

/// Merges what is in order with the end of a row, which is too and leaves as much room before it.
fn merge(hers: &[u32], row: &mut [u32]) {
    let (mut next, mut kept) = (0, hers.len());
    while let Some(&other) = hers.get(next) {
        let take = row.get(kept).is_some_and(|&kept| kept < other);
        row[next + kept - hers.len()] = if take { row[kept] } else { other };
        kept += usize::from(take);
        next += usize::from(!take);
    }
}
