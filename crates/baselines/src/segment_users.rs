//! Users of a batch by segment of the map.

use crate::runs::Runs;
use crate::stars::Stars;
use meshcloak::query::Query;

/// Users of a batch by segment.
#[derive(Clone, Debug, Default)]
pub(crate) struct SegmentUsers {
    /// Waiting indices of the users on each segment.
    indices: Runs<u32>,
    /// Number of users in each component of the map.
    parts: Vec<u32>,
}

impl SegmentUsers {
    /// Replaces the users by those of a batch.
    pub(crate) fn fill(&mut self, stars: &Stars, waiting: &[Query], indices: &[u32]) {
        let segment = |index: u32| stars.segment_of(waiting[index as usize].position.street);
        let users = indices.iter().map(|&index| (segment(index) as usize, index));
        self.indices.fill(stars.segment_count(), users);
        self.parts.clear();
        self.parts.resize(stars.part_sizes().len(), 0);
        for &index in indices {
            self.parts[stars.part_of(segment(index)) as usize] += 1;
        }
    }

    /// Waiting indices of the users on a segment.
    pub(crate) fn on(&self, segment: u32) -> &[u32] {
        self.indices.get(segment)
    }

    /// Waiting indices of all users, by segment.
    pub(crate) fn all(&self) -> &[u32] {
        self.indices.items()
    }

    /// Number of users in a component of the map.
    pub(crate) fn in_part(&self, part: usize) -> u32 {
        self.parts[part]
    }
}
