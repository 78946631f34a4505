//! Groups of the nodes of a constraint graph, in flat arrays.
//!
//! ```text
//! group_of   by node     group, or NONE
//! members    | group 0 | group 1 | …
//! ends              e0        e1           end of each group in `members`
//! is_open    by group    a member has a neighbour without a group; empty if nobody asked
//! ```

/// Disjoint groups, numbered from 0; none is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GroupTable {
    group_of: Vec<u32>,
    ends: Vec<u32>,
    members: Vec<u32>,
    is_open: Vec<bool>,
}

/// Value of `group_of` for a node without a group.
const NONE: u32 = u32::MAX;

impl GroupTable {
    /// Removes all nodes.
    pub(crate) fn clear(&mut self) {
        self.group_of.clear();
        self.ends.clear();
        self.members.clear();
        self.is_open.clear();
    }

    /// Appends `count` nodes without a group and returns the number of the first.
    pub(crate) fn add_nodes(&mut self, count: usize) -> u32 {
        let first = self.group_of.len();
        self.group_of.resize(first + count, NONE);
        first as u32
    }

    /// Adds a group of these nodes.
    pub(crate) fn add_group(&mut self, members: impl Iterator<Item = u32>) {
        let (start, group) = (self.members.len(), self.ends.len() as u32);
        self.members.extend(members);
        for &node in &self.members[start..] {
            self.group_of[node as usize] = group;
        }
        self.ends.push(self.members.len() as u32);
    }

    /// Sets whether the last group has a member with a neighbour without a group.
    pub(crate) fn set_open(&mut self, is_open: bool) {
        self.is_open.resize(self.ends.len() - 1, false);
        self.is_open.push(is_open);
    }

    /// Appends the nodes and groups of another table.
    pub(crate) fn append(&mut self, other: &GroupTable) {
        let (node, group) = (self.group_of.len() as u32, self.ends.len() as u32);
        let member = self.members.len() as u32;
        let renumber = |&of: &u32| if of == NONE { NONE } else { of + group };
        self.group_of.extend(other.group_of.iter().map(renumber));
        self.ends.extend(other.ends.iter().map(|end| end + member));
        self.members.extend(other.members.iter().map(|member| member + node));
        self.is_open.extend_from_slice(&other.is_open);
    }

    /// Returns the number of groups.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the group of a node.
    pub(crate) fn group_of(&self, node: u32) -> Option<u32> {
        Some(self.group_of[node as usize]).filter(|&group| group != NONE)
    }

    /// Returns the members of a group.
    pub(crate) fn members(&self, group: u32) -> &[u32] {
        let start = if group == 0 { 0 } else { self.ends[group as usize - 1] };
        &self.members[start as usize..self.ends[group as usize] as usize]
    }

    /// Whether a member of a group has a neighbour without a group, as [`GroupTable::set_open`] set it.
    pub(crate) fn is_open(&self, group: u32) -> bool {
        self.is_open.get(group as usize).copied().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn appended_tables_are_renumbered() {
        let mut tables = [GroupTable::default(), GroupTable::default()];
        for table in &mut tables {
            assert_eq!(table.add_nodes(2), 0);
            table.add_group([1, 0].into_iter());
            table.set_open(false);
            assert_eq!(table.add_nodes(3), 2);
            table.add_group([4, 2].into_iter());
            table.set_open(true);
        }
        let [mut all, other] = tables;
        all.append(&other);
        assert_eq!(all.len(), 4);
        assert_eq!((all.members(2), all.members(3)), (&[6, 5][..], &[9, 7][..]));
        let groups = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(|node| all.group_of(node));
        let expected = [0, 0, 1, NONE, 1, 2, 2, 3, NONE, 3];
        assert_eq!(groups, expected.map(|group| Some(group).filter(|&group| group != NONE)));
        assert_eq!([0, 1, 2, 3].map(|group| all.is_open(group)), [false, true, false, true]);
        all.clear();
        assert_eq!(all, GroupTable::default());
    }
}
