//! A connected region of segments that grows by adjacent segments.

use crate::segment_users::SegmentUsers;
use crate::stars::Stars;
use meshcloak::query::Query;
use meshcloak::stamps::Stamps;

/// What regions grow on: the segments of the map with their lengths, and the users of a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SegmentPlan<'a> {
    pub(crate) stars: &'a Stars,
    /// By segment, in units of 1/32 m.
    pub(crate) lengths: &'a [u64],
    pub(crate) users: &'a SegmentUsers,
    pub(crate) waiting: &'a [Query],
}

/// The growing region.
#[derive(Clone, Debug, Default)]
pub(crate) struct SegmentRegion {
    inside: Stamps<()>,
    /// Segments that are inside or were on the border.
    seen: Stamps<()>,
    /// By star: number of its segments that are inside.
    star_counts: Stamps<u32>,
    segments: Vec<u32>,
    border: Vec<u32>,
    users: u32,
    max_k: u32,
    length: u64,
}

impl SegmentRegion {
    /// Starts with one segment. Only segments that `is_free` accepts are on the border.
    pub(crate) fn start(
        &mut self,
        plan: SegmentPlan<'_>,
        segment: u32,
        is_free: impl Fn(u32) -> bool,
    ) {
        self.inside.clear(plan.stars.segment_count());
        self.seen.clear(plan.stars.segment_count());
        self.star_counts.clear(plan.stars.star_count());
        self.segments.clear();
        self.border.clear();
        (self.users, self.max_k, self.length) = (0, 0, 0);
        self.seen.insert(segment as usize, ());
        self.add(plan, segment, is_free);
    }

    /// Adds the segment at an index of the border.
    pub(crate) fn take(
        &mut self,
        plan: SegmentPlan<'_>,
        border_index: usize,
        is_free: impl Fn(u32) -> bool,
    ) {
        let segment = self.border.swap_remove(border_index);
        self.add(plan, segment, is_free);
    }

    fn add(&mut self, plan: SegmentPlan<'_>, segment: u32, is_free: impl Fn(u32) -> bool) {
        self.inside.insert(segment as usize, ());
        self.segments.push(segment);
        self.length += plan.lengths[segment as usize];
        for &index in plan.users.on(segment) {
            self.users += 1;
            self.max_k = self.max_k.max(plan.waiting[index as usize].k);
        }
        for star in plan.stars.ends(segment) {
            let count = self.star_counts.get(star as usize).unwrap_or(0) + 1;
            self.star_counts.insert(star as usize, count);
        }
        for next in plan.stars.around(segment) {
            if self.seen.get(next as usize).is_none() && is_free(next) {
                self.seen.insert(next as usize, ());
                self.border.push(next);
            }
        }
    }

    /// Segments inside, in the order in which they were added.
    pub(crate) fn segments(&self) -> &[u32] {
        &self.segments
    }

    /// Segments outside that share a star with one inside.
    pub(crate) fn border(&self) -> &[u32] {
        &self.border
    }

    /// Number of users inside.
    pub(crate) fn users(&self) -> u32 {
        self.users
    }

    /// Largest k of the users inside.
    pub(crate) fn max_k(&self) -> u32 {
        self.max_k
    }

    /// Length of the segments inside, in units of 1/32 m.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Change of the number of open stars if a segment of the border is added. A star is open if it
    /// has segments inside and outside.
    pub(crate) fn opened_by(&self, plan: SegmentPlan<'_>, segment: u32) -> i32 {
        let change = |star: u32| {
            let (all, before) = (
                plan.stars.segments(star).len() as u32,
                self.star_counts.get(star as usize).unwrap_or(0),
            );
            let is_open = |count: u32| i32::from(count > 0 && count < all);
            is_open(before + 1) - is_open(before)
        };
        plan.stars.ends(segment).map(change).sum()
    }

    /// Waiting indices of the users inside, by segment.
    pub(crate) fn members<'a>(&'a self, users: &'a SegmentUsers) -> impl Iterator<Item = u32> + 'a {
        self.segments.iter().flat_map(|&segment| users.on(segment).iter().copied())
    }
}
