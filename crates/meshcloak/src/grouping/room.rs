//! Room for the search from one root: who of those around it is whose neighbour, and who counts for
//! whom, as bits.

use super::expand::{Expand, Past};
use super::found::Found;
use super::neighbours::Neighbours;
use super::searcher::Quest;
use crate::cliques::bits::Bits;
use crate::cliques::bytes::Bytes;

/// Those whom a search is about.
pub(super) struct Around<'a, N> {
    /// Earlier neighbours of the root, then later ones, then the root.
    pub(super) nodes: &'a [u32],
    /// How many of them are earlier.
    pub(super) earlier: usize,
    /// The place of each node of the graph among them, plus one; 0 of all others.
    pub(super) local: &'a mut [N],
}

/// A place plus one.
pub(super) trait Number: Copy + Default + Into<u32> {
    fn of(plus_one: usize) -> Self;
}

impl Number for u8 {
    fn of(plus_one: usize) -> u8 {
        plus_one as u8
    }
}

impl Number for u32 {
    fn of(plus_one: usize) -> u32 {
        plus_one as u32
    }
}

impl<N: Number> Around<'_, N> {
    fn root(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Gives everyone her place, or takes it.
    fn place(&mut self) {
        for (place, &node) in (1..).zip(self.nodes) {
            self.local[node as usize] = N::of(place);
        }
    }

    fn leave(&mut self) {
        self.nodes.iter().for_each(|&node| self.local[node as usize] = N::default());
    }
}

/// Sets of those around a root.
#[derive(Clone, Debug, Default)]
pub(super) struct Room<B> {
    neighbours: Vec<B>,
    /// The k of each around the present root.
    k: Vec<u32>,
    counts: Vec<B>,
    bytes: Bytes,
}

impl<B: Bits> Room<B> {
    /// Whether a set can begin at the root.
    pub(super) fn begins(&mut self, mut around: Around<'_, impl Number>, quest: Quest<'_>) -> bool {
        around.place();
        let content = self.content(&around, quest);
        around.leave();
        content.is_some()
    }

    /// Finds the cliques whose first node is the root; `false` if no set can begin there.
    pub(super) fn search(
        &mut self,
        mut around: Around<'_, impl Number>,
        quest: Quest<'_>,
        found: &mut Found,
    ) -> bool {
        around.place();
        let root = around.root();
        let everyone = quest.graph.everyone_counts();
        let open = if everyone { Some(later(&around)) } else { self.content(&around, quest) };
        let Some(mut open) = open else {
            around.leave();
            return false;
        };
        open.remove(root);
        let mut done = B::empty(around.nodes.len());
        (0..around.earlier).for_each(|place| done.insert(place));
        self.connect(quest.graph, &around, (&open, &done));
        around.leave();
        let Room { neighbours, counts, k: ks, .. } = self;
        let past = (!everyone).then_some(Past { k: ks, counts });
        let mut clique = B::empty(around.nodes.len());
        clique.insert(root);
        let Quest { k, budget, .. } = quest;
        let around = around.nodes;
        let mut expand = Expand { around, neighbours, past, k, found, steps: 0, budget };
        expand.grow(&clique, open, done);
        let steps = expand.steps;
        found.steps += u64::from(steps);
        found.truncated |= steps > budget;
        true
    }

    /// Notes who counts for whom among the root and the later ones. Gives those who could be
    /// content; `None` if the root is none of them.
    fn content(&mut self, around: &Around<'_, impl Number>, quest: Quest<'_>) -> Option<B> {
        let Quest { graph, k, .. } = quest;
        self.k.clear();
        self.k.extend(around.nodes.iter().map(|&node| k[node as usize]));
        self.counts.clear();
        self.counts.resize(around.nodes.len(), B::empty(around.nodes.len()));
        let root = around.root();
        let mut members = later(around);
        self.note_counting(graph, around, root);
        let hers = self.counts[root].common(&members);
        let mut spare = hers.count().checked_sub(self.k[root])?;
        for place in hers.iter().filter(|&place| place != root) {
            if !self.is_content(graph, around, (place, &members)) {
                members.remove(place);
                spare = spare.checked_sub(1)?;
            }
        }
        for place in later::<B>(around).without(&hers).iter().filter(|&place| place != root) {
            if !self.is_content(graph, around, (place, &members)) {
                members.remove(place);
            }
        }
        Past { k: &self.k, counts: &self.counts }.content(&mut members);
        members.has(root).then_some(members)
    }

    /// Notes who counts for somebody; whether enough of the members do.
    fn is_content(
        &mut self,
        graph: &Neighbours,
        around: &Around<'_, impl Number>,
        (place, members): (usize, &B),
    ) -> bool {
        self.note_counting(graph, around, place);
        self.counts[place].count_common(members) >= self.k[place]
    }

    fn note_counting(
        &mut self,
        graph: &Neighbours,
        around: &Around<'_, impl Number>,
        place: usize,
    ) {
        let node = around.nodes[place];
        let others = graph.who_counts(node).iter();
        let others = others.map(|&other| around.local[other as usize].into());
        gather(others, (around.nodes.len(), 0), &mut self.bytes, &mut self.counts[place]);
        self.counts[place].insert_if(graph.counts_itself(node), place);
    }

    /// Notes who is whose neighbour, of each two of whom one is `open` and the other too, or `done`.
    fn connect(
        &mut self,
        graph: &Neighbours,
        around: &Around<'_, impl Number>,
        (open, done): (&B, &B),
    ) {
        let Room { neighbours, bytes, .. } = self;
        neighbours.clear();
        neighbours.resize(around.nodes.len(), B::empty(around.nodes.len()));
        for place in open.iter() {
            let others = graph.of(around.nodes[place]).iter();
            let others = others.map(|&other| around.local[other as usize].into());
            // The root is in the clique already. It is the last.
            let bound = (around.nodes.len(), around.nodes.len() as u32);
            gather(others, bound, bytes, &mut neighbours[place]);
            for witness in neighbours[place].common(done).iter() {
                neighbours[witness].insert(place);
            }
        }
    }
}

/// The later ones and the root.
fn later<B: Bits>(around: &Around<'_, impl Number>) -> B {
    let mut later = B::first_numbers(around.nodes.len());
    (0..around.earlier).for_each(|place| later.remove(place));
    later
}

/// Puts places into an empty set, and leaves one out. They are given plus one; 0 is none.
#[inline]
fn gather<B: Bits>(
    places: impl Iterator<Item = u32>,
    (bound, left_out): (usize, u32),
    bytes: &mut Bytes,
    bits: &mut B,
) {
    if let [word] = bits.words_mut()
        && bound < 64
    {
        let gathered = places.fold(0, |bits, place| bits | 1_u64 << (place % 64));
        *word = (gathered & !(1 << (left_out % 64))) >> 1;
        return;
    }
    bytes.clear(bound);
    places.for_each(|place| bytes.set(place, true));
    bytes.take(left_out);
    bytes.add_to(bits);
}
