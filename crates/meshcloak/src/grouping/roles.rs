//! Members that ask and present members: which of them count for each other, and that a group needs
//! one that asks.
//!
//! ```text
//! Role           bit 0  asks            RoleSets   asking       members that ask
//!                bit 1  counts for members that ask            for_asking    members with bit 1
//!                bit 2  counts for present members             for_present   members with bit 2
//! ```
//!
//! Both conditions are monotone: another member never lowers a count, and never takes the asking
//! member away. So the largest valid subset of a set stays unique, and pruning in any order finds it.

use crate::cliques::bitset::BitSet;

/// Whether a node asks, and for which nodes it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Role(u8);

const ASKS: u8 = 1;
const FOR_ASKING: u8 = 2;
const FOR_PRESENT: u8 = 4;

impl Role {
    /// A node that asks. It counts for all nodes.
    pub const ASKING: Role = Role(ASKS | FOR_ASKING | FOR_PRESENT);

    /// Returns the role of a present node, by whether it counts for nodes that ask and for present
    /// ones.
    pub fn present(for_asking: bool, for_present: bool) -> Role {
        Role((FOR_ASKING * u8::from(for_asking)) | (FOR_PRESENT * u8::from(for_present)))
    }

    /// Returns whether the node asks.
    #[inline]
    pub fn asks(self) -> bool {
        self.0 & ASKS != 0
    }
}

/// Roles of the members of a set, one bit per member.
#[derive(Clone, Debug, Default)]
pub(super) struct RoleSets<B> {
    asking: B,
    for_asking: B,
    for_present: B,
}

impl<B: BitSet> RoleSets<B> {
    /// Returns the roles of members given as (index, node); `None` if all nodes ask.
    pub(super) fn of(
        roles: &[Role],
        bound: usize,
        members: impl Iterator<Item = (usize, u32)>,
    ) -> Option<RoleSets<B>> {
        if roles.is_empty() {
            return None;
        }
        let empty = || B::empty(bound);
        let mut sets = RoleSets { asking: empty(), for_asking: empty(), for_present: empty() };
        for (index, node) in members {
            let Role(bits) = roles[node as usize];
            sets.asking.insert_if(bits & ASKS != 0, index);
            sets.for_asking.insert_if(bits & FOR_ASKING != 0, index);
            sets.for_present.insert_if(bits & FOR_PRESENT != 0, index);
        }
        Some(sets)
    }

    pub(super) fn words(&self) -> RoleWords<'_> {
        RoleWords {
            asking: self.asking.words(),
            for_asking: self.for_asking.words(),
            for_present: self.for_present.words(),
        }
    }
}

/// [`RoleSets`] as words of bit sets.
#[derive(Clone, Copy)]
pub(super) struct RoleWords<'a> {
    asking: &'a [u64],
    for_asking: &'a [u64],
    for_present: &'a [u64],
}

impl<'a> RoleWords<'a> {
    /// Returns the members that may count for a member.
    #[inline]
    pub(super) fn counting_for(self, index: usize) -> &'a [u64] {
        let asks = self.asking[index / 64] >> (index % 64) & 1 == 1;
        if asks { self.for_asking } else { self.for_present }
    }

    /// Returns whether one of some members asks.
    #[inline]
    pub(super) fn has_asking<B: BitSet>(self, members: &B) -> bool {
        members.words().iter().zip(self.asking).any(|(member, asks)| member & asks != 0)
    }
}
