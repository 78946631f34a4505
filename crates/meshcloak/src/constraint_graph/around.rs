//! The people around one street, ready to be compared with everyone who walks from it.
//!
//! How far it is from somebody on the street to somebody around it depends on her alone through her
//! distances to the two ends: so what lies beyond the ends is added up once for all walkers of the
//! street, and a walker compares sixteen people at a time, without a branch for each.

use super::crowd::Person;
use crate::distance::{BEYOND, Crossing};

/// People around a street, in the order in which they were found.
#[derive(Clone, Debug, Default)]
pub(super) struct Around {
    blocks: Vec<Block>,
    len: usize,
    /// The way back from each, where it is not the way there.
    back: Vec<Crossing>,
}

/// Sixteen people: so many distances of 16 bits fit the widest registers that are common, and a
/// byte for each of them one number.
#[derive(Clone, Debug)]
struct Block {
    /// How far it is to each of them from the `from` end of the street.
    from: [u16; LANES],
    /// How far it is from the `to` end.
    to: [u16; LANES],
    dc: [u16; LANES],
    nodes: [u32; LANES],
}

const LANES: usize = 16;

/// Nobody: out of everyone's reach.
const EMPTY: Block =
    Block { from: [BEYOND; LANES], to: [BEYOND; LANES], dc: [0; LANES], nodes: [0; LANES] };

impl Around {
    pub(super) fn clear(&mut self) {
        let used = self.len.div_ceil(LANES);
        for block in &mut self.blocks[..used] {
            (block.from, block.to) = (EMPTY.from, EMPTY.to);
        }
        self.len = 0;
        self.back.clear();
    }

    /// Adds somebody on a street that can be reached, and the way back from there if it is known
    /// not to be the way there.
    #[inline]
    pub(super) fn add(
        &mut self,
        node: u32,
        person: Person,
        there: Crossing,
        back: Option<Crossing>,
    ) {
        let [from_from, from_to, to_from, to_to] = there;
        let reach =
            |from: u16, to: u16| from.saturating_add(person.from).min(to.saturating_add(person.to));
        if self.len == self.blocks.len() * LANES {
            self.blocks.push(EMPTY);
        }
        let block = &mut self.blocks[self.len / LANES];
        let lane = self.len % LANES;
        block.from[lane] = reach(from_from, from_to);
        block.to[lane] = reach(to_from, to_to);
        block.dc[lane] = person.dc;
        block.nodes[lane] = node;
        self.len += 1;
        self.back.extend(back);
    }

    /// Calls `meet` with everyone within the reach of `walker` whose own reach is no smaller: her
    /// node, and her place here.
    #[inline]
    pub(super) fn within(&self, walker: Person, mut meet: impl FnMut(u32, usize)) {
        for (number, block) in self.blocks[..self.len.div_ceil(LANES)].iter().enumerate() {
            let mut met = block.within(walker);
            while met != 0 {
                let lane = met.trailing_zeros() as usize / 8 % LANES;
                meet(block.nodes[lane], number * LANES + lane);
                met &= met - 1;
            }
        }
    }

    /// The way back from somebody, where it is not the way there.
    pub(super) fn back(&self, place: usize) -> Crossing {
        self.back[place]
    }
}

impl Block {
    /// A byte for each person, 1 if she is met.
    #[inline]
    fn within(&self, walker: Person) -> u128 {
        let met: [u8; LANES] = std::array::from_fn(|lane| {
            let by_from = walker.from.saturating_add(self.from[lane]);
            let by_to = walker.to.saturating_add(self.to[lane]);
            u8::from((by_from.min(by_to) <= walker.dc) & (self.dc[lane] >= walker.dc))
        });
        u128::from_le_bytes(met)
    }
}
