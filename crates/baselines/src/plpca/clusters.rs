//! Growth of clusters by density.

use crate::segment_region::{SegmentPlan, SegmentRegion};
use std::cmp::Ordering;

/// A cluster of segments.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Cluster {
    pub(super) segments: Vec<u32>,
}

/// Builds clusters; holds buffers only.
#[derive(Clone, Debug, Default)]
pub(super) struct ClusterBuilder {
    /// By segment: cluster, or [`FREE`].
    cluster_of: Vec<u32>,
    region: SegmentRegion,
}

const FREE: u32 = u32::MAX;

impl ClusterBuilder {
    /// Returns clusters that hold all segments with users. A cluster that is not complete is a whole
    /// component of the map.
    pub(super) fn build(&mut self, plan: SegmentPlan<'_>, segments: usize) -> Vec<Cluster> {
        let ClusterBuilder { cluster_of, region } = self;
        cluster_of.clear();
        cluster_of.resize(plan.stars.segment_count(), FREE);
        let mut seeds: Vec<u32> = (0..plan.stars.segment_count() as u32)
            .filter(|&segment| !plan.users.on(segment).is_empty())
            .collect();
        seeds.sort_unstable_by(|&a, &b| denser_first(plan, a, b));
        let mut clusters: Vec<Cluster> = Vec::new();
        for seed in seeds {
            if cluster_of[seed as usize] != FREE {
                continue;
            }
            let is_free = |segment: u32| cluster_of[segment as usize] == FREE;
            region.start(plan, seed, is_free);
            let is_complete = |region: &SegmentRegion| {
                region.users() >= region.max_k() && region.segments().len() >= segments
            };
            while !is_complete(region) {
                let border = region.border().iter().enumerate();
                let Some((next, _)) = border.min_by(|a, b| denser_first(plan, *a.1, *b.1)) else {
                    break;
                };
                region.take(plan, next, is_free);
            }
            let around = region.segments().iter().flat_map(|&segment| plan.stars.around(segment));
            let adjacent = around.map(|segment| cluster_of[segment as usize]).min();
            let number = match adjacent.filter(|&cluster| cluster != FREE) {
                // Enclosed before it was complete.
                Some(cluster) if !is_complete(region) => cluster as usize,
                _ => {
                    clusters.push(Cluster::default());
                    clusters.len() - 1
                }
            };
            for &segment in region.segments() {
                cluster_of[segment as usize] = number as u32;
            }
            clusters[number].segments.extend_from_slice(region.segments());
        }
        clusters
    }
}

/// Orders segments by users per length, largest first; ties by length, then by number.
pub(super) fn denser_first(plan: SegmentPlan<'_>, a: u32, b: u32) -> Ordering {
    let users = |segment: u32| plan.users.on(segment).len() as u128;
    let length = |segment: u32| u128::from(plan.lengths[segment as usize]);
    let density = (users(b) * length(a)).cmp(&(users(a) * length(b)));
    density.then_with(|| length(a).cmp(&length(b))).then_with(|| a.cmp(&b))
}
