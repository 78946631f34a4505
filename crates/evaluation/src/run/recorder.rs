//! Measurements of a run.

use super::region_meter::{RegionMeter, SetSize};
use super::timeline::Timeline;
use crate::metrics::{Success, Tally};
use crate::stopwatch::Stopwatch;
use meshcloak::engine::Turn;
use meshcloak::units::Time;

/// Collects the measurements of a run.
pub(super) struct Recorder<'a> {
    pub meter: RegionMeter<'a>,
    pub watch: Stopwatch,
    pub tally: Tally,
    pub timeline: Timeline,
}

impl Recorder<'_> {
    /// Records a turn that began at `now` and whose sets were published at `done_at`. `asking` is the
    /// number of members that ask, by set.
    pub fn record(&mut self, now: Time, done_at: Time, done: &Turn<'_>, asking: &[usize]) {
        let Recorder { meter, tally, timeline, .. } = self;
        let second = timeline.at(now.as_millis());
        (second.nodes, second.edges) = (done.published.stats.nodes, done.published.stats.edges);
        let (expired, replaced) = (done.expired.len() as u64, done.replaced.len() as u64);
        second.expired += expired + replaced;
        tally.expired += expired;
        tally.replaced += replaced;
        meter.begin(done.published);
        let second = timeline.at(done_at.as_millis());
        for (query, set) in &done.served {
            if query.has_expired(done_at) {
                tally.expired += 1;
                second.expired += 1;
                continue;
            }
            second.succeeded += 1;
            let SetSize { members, metres, area } = meter.measure(done.published, *set);
            tally.succeed(&Success {
                k: query.k,
                tolerance: query.temporal_tolerance,
                delay: done_at - query.asked_at,
                members,
                asking: asking[*set as usize],
                metres,
                area,
            });
        }
    }
}
