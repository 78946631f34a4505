//! A set whose mesh is to be built: the mesh keys of its members, without those that are covered.

use super::{MeshBuilder, MeshKey, MeshRule};
use crate::map::StreetId;
use crate::units::Length;

/// A street that no member is on.
const NO_STREET: StreetId = StreetId(u32::MAX);

/// A set under construction.
pub(crate) struct PendingSet<'a> {
    builder: &'a mut MeshBuilder,
    /// Street and `dc` of the last member.
    street: StreetId,
    dc: Length,
}

impl<'a> PendingSet<'a> {
    #[inline]
    pub(super) fn new(builder: &'a mut MeshBuilder) -> PendingSet<'a> {
        PendingSet { builder, street: NO_STREET, dc: Length::ZERO }
    }

    /// Adds a member. It replaces the last one if it is on the same street with at least the same
    /// `dc`: its mesh contains the other. Branchless.
    #[inline]
    pub(crate) fn push(&mut self, key: MeshKey) {
        let builder = &mut *self.builder;
        let covers = key.street == self.street && key.dc >= self.dc;
        let covers = covers & (builder.rule == MeshRule::Reach);
        builder.keys.truncate(builder.keys.len() - usize::from(covers));
        builder.keys.push(key);
        (self.street, self.dc) = (key.street, key.dc);
    }

    /// Completes the set.
    #[inline]
    pub(crate) fn finish(self) {
        self.builder.ends.push(self.builder.keys.len() as u32);
    }
}
