//! A set whose mesh is wanted: who is in it, as far as it matters to the mesh.

use super::{MeshBuilder, MeshKey, MeshRule};
use crate::map::StreetId;
use crate::units::Length;

/// No street.
const NOWHERE: StreetId = StreetId(u32::MAX);

/// A set that is being noted; whoever was noted last is on `street`.
pub(crate) struct Noted<'a> {
    builder: &'a mut MeshBuilder,
    street: StreetId,
    dc: Length,
}

impl<'a> Noted<'a> {
    /// Nobody yet.
    #[inline]
    pub(super) fn of(builder: &'a mut MeshBuilder) -> Noted<'a> {
        Noted { builder, street: NOWHERE, dc: Length::ZERO }
    }

    /// Notes one more member.
    #[inline]
    pub(crate) fn add(&mut self, member: MeshKey) {
        let builder = &mut *self.builder;
        // On one street whoever gets farther gets wherever the other does.
        let covers = member.street == self.street && member.dc >= self.dc;
        let covers = covers & (builder.rule == MeshRule::Reach);
        builder.members.truncate(builder.members.len() - usize::from(covers));
        builder.members.push(member);
        (self.street, self.dc) = (member.street, member.dc);
    }

    /// There are no more.
    #[inline]
    pub(crate) fn end(self) {
        self.builder.ends.push(self.builder.members.len() as u32);
    }
}
