//! Cost of segments for the service, and the choice of the next one.

use crate::segment_region::{SegmentPlan, SegmentRegion};
use crate::stars::Stars;
use meshcloak::map::StreetMap;

/// What a region must reach.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    /// K.
    pub(super) users: u32,
    /// L in units of 1/32 m.
    pub(super) length: u64,
}

impl Goal {
    pub(super) fn is_met(&self, region: &SegmentRegion) -> bool {
        region.users() >= self.users && region.length() >= self.length
    }

    /// Share of the goal that users and length add: at most 1 for each.
    fn gain(&self, region: &SegmentRegion, users: u32, length: u64) -> f64 {
        let share = |before: u64, added: u64, goal: u64| {
            let progress = |value: u64| value.min(goal) as f64 / goal.max(1) as f64;
            progress(before + added) - progress(before)
        };
        share(region.users().into(), users.into(), self.users.into())
            + share(region.length(), length, self.length)
    }
}

/// Costs of the segments of a map.
#[derive(Clone, Debug)]
pub(super) struct SegmentCosts {
    /// Weight of open junctions.
    balance: f64,
    /// By segment: number of objects.
    objects: Vec<f64>,
}

/// Length that counts as one object on a map without points of interest, in units of 1/32 m.
const LENGTH_PER_OBJECT: f64 = 3_200.0;

impl SegmentCosts {
    pub(super) fn new(
        map: &StreetMap,
        stars: &Stars,
        lengths: &[u64],
        balance: f64,
    ) -> SegmentCosts {
        let mut objects = vec![0.0; stars.segment_count()];
        for poi in map.pois() {
            objects[stars.segment_of(map.poi(poi).position.street) as usize] += 1.0;
        }
        if map.pois().len() == 0 {
            let per_length = lengths.iter().map(|&length| length as f64 / LENGTH_PER_OBJECT);
            objects = per_length.collect();
        }
        SegmentCosts { balance, objects }
    }

    /// Cost that a segment of the border adds to a region.
    pub(super) fn added(&self, plan: SegmentPlan<'_>, region: &SegmentRegion, segment: u32) -> f64 {
        let opened = f64::from(region.opened_by(plan, segment));
        self.balance * opened + (1.0 - self.balance) * self.objects[segment as usize]
    }

    /// Returns the border index of the segment of that rank by cost for its gain; the last one if
    /// there are fewer. Segments without gain come last, by cost and length.
    pub(super) fn choose(
        &self,
        plan: SegmentPlan<'_>,
        region: &SegmentRegion,
        goal: Goal,
        rank: usize,
    ) -> Option<usize> {
        let key = |index: usize| {
            let segment = region.border()[index];
            let (users, length) =
                (plan.users.on(segment).len() as u32, plan.lengths[segment as usize]);
            let (added, gain) =
                (self.added(plan, region, segment), goal.gain(region, users, length));
            let score = if gain > 0.0 { added / gain } else { added };
            (gain <= 0.0, score, length, segment)
        };
        type Key = (bool, f64, u64, u32);
        let compare = |a: &(Key, usize), b: &(Key, usize)| {
            let ((a, _), (b, _)) = (a, b);
            let by_score = a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
            by_score.then(a.2.cmp(&b.2)).then(a.3.cmp(&b.3))
        };
        let mut keys: Vec<(Key, usize)> =
            (0..region.border().len()).map(|index| (key(index), index)).collect();
        let rank = rank.min(keys.len().checked_sub(1)?);
        let (_, chosen, _) = keys.select_nth_unstable_by(rank, compare);
        Some(chosen.1)
    }
}
