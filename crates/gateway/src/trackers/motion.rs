//! Motion of one tracker, estimated from its reports: top speed and reporting interval.
//!
//! The tracker's clock is used while its error is small, otherwise the arrival time. Trackers store
//! reports while they are offline; a report that arrives later than the tracker's usual delay is
//! late.

#[cfg(test)]
mod tests;

use crate::city::CityId;
use meshcloak::map::Position;
use meshcloak::units::{Point, Time};
use std::collections::VecDeque;
use std::time::Duration;

/// One position report.
#[derive(Clone, Copy)]
pub struct Fix {
    /// Arrival time.
    pub arrived: Time,
    /// Unix time in milliseconds by the tracker's clock, if that clock is trusted.
    pub tracker_millis: Option<u64>,
    /// City of the position.
    pub city: CityId,
    /// Reported position in map coordinates.
    pub point: Point,
    /// Snapped position.
    pub position: Position,
    /// Reported speed in metres per second.
    pub speed: Option<f64>,
}

/// Prints no position.
impl std::fmt::Debug for Fix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Fix(…)")
    }
}

/// Estimated motion of a tracker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Top speed within `WINDOW`, in metres per second.
    pub speed: f64,
    /// Median time between two reports.
    pub interval: Duration,
}

/// Classification of a report's timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixTime {
    /// Unix time in milliseconds by the tracker's clock.
    Tracker(u64),
    /// No timestamp, or a clock with a large error: the arrival time counts.
    Arrival,
    /// Stored by the tracker and sent too late to be used.
    Late,
}

/// Timestamp and arrival time of a report.
#[derive(Clone, Copy, Debug)]
pub struct ReportTime {
    /// Unix time in milliseconds by the tracker's clock.
    pub tracker_millis: Option<u64>,
    /// Unix time of arrival in milliseconds.
    pub unix: u64,
    /// Arrival time by the gateway's clock.
    pub now: Time,
}

/// How far a tracker's timestamps lie behind their arrival.
#[derive(Clone, Copy)]
struct ClockDelay {
    millis: i64,
    seen: Time,
}

/// Recent motion of one tracker.
#[derive(Clone, Default)]
pub struct MotionTrack {
    last: Option<Fix>,
    speeds: VecDeque<(Time, f64)>,
    intervals: VecDeque<Duration>,
    /// Smallest delay of a report.
    delay: Option<ClockDelay>,
    /// Delay of the last report if it was implausibly small: an error unless the next report
    /// confirms it.
    suspected_delay: Option<i64>,
}

/// Prints no positions.
impl std::fmt::Debug for MotionTrack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MotionTrack(…)")
    }
}

/// How long a speed sample is used.
const WINDOW: Duration = Duration::from_secs(600);
/// Largest number of speed samples.
const MAX_SPEEDS: usize = 64;
/// Largest number of interval samples.
const MAX_INTERVALS: usize = 9;
/// How long a measured clock delay is used.
const DELAY_RETENTION: Duration = Duration::from_secs(3600);
/// Largest plausible speed in metres per second: a larger one is a positioning error.
const MAX_SPEED: f64 = 70.0;
/// Smallest estimate in metres per second: a standing user can start to walk.
const MIN_SPEED: f64 = 1.5;
/// Estimate without samples, in metres per second: urban driving.
const DEFAULT_SPEED: f64 = 14.0;
/// Estimate before the second report.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(30);
/// Factor from mean speed between reports to top speed.
const SPEED_MARGIN: f64 = 1.1;
/// Factor from straight-line to street distance, where the latter is unknown.
const DETOUR_FACTOR: f64 = 1.5;

impl MotionTrack {
    /// Classifies the timestamp of a report and updates the clock delay of the tracker.
    #[expect(clippy::arithmetic_side_effects, reason = "times saturate")]
    pub fn classify(&mut self, report: ReportTime, skew: Duration) -> FixTime {
        let ReportTime { tracker_millis, unix, now } = report;
        let Some(tracker_millis) = tracker_millis else { return FixTime::Arrival };
        let skew = i64::try_from(skew.as_millis()).unwrap_or(i64::MAX);
        let delay = (unix as i64).saturating_sub(tracker_millis as i64);
        let usual = self.delay.filter(|usual| usual.seen + DELAY_RETENTION >= now);
        let min_plausible = usual.map_or(0, |usual| usual.millis.min(0)).saturating_sub(skew);
        if delay < min_plausible {
            let confirms = |before: i64| before.abs_diff(delay) <= skew.unsigned_abs();
            if !self.suspected_delay.replace(delay).is_some_and(confirms) {
                return FixTime::Arrival;
            }
        }
        self.suspected_delay = None;
        let millis = match usual {
            Some(usual) if delay.saturating_sub(usual.millis) > skew => return FixTime::Late,
            Some(usual) => delay.min(usual.millis),
            None => delay,
        };
        self.delay = Some(ClockDelay { millis, seen: now });
        if delay.abs() <= skew { FixTime::Tracker(tracker_millis) } else { FixTime::Arrival }
    }

    /// Adds a report and returns the new estimate. `metres` returns the street distance between
    /// two positions, if known.
    #[expect(clippy::arithmetic_side_effects, reason = "times saturate")]
    pub fn add(
        &mut self,
        fix: Fix,
        metres: impl FnOnce(Position, Position) -> Option<f64>,
    ) -> Motion {
        let now = fix.arrived;
        if let Some(last) = self.last.filter(|last| last.arrived + WINDOW >= now) {
            let arrived = now.as_millis().saturating_sub(last.arrived.as_millis());
            let tracker_millis = last
                .tracker_millis
                .zip(fix.tracker_millis)
                .map(|(last, this)| this.saturating_sub(last));
            let interval = tracker_millis.filter(|millis| *millis > 0).unwrap_or(arrived);
            push(&mut self.intervals, Duration::from_millis(interval), MAX_INTERVALS);
            // The engine uses arrival times: the speed must be an upper bound for both clocks.
            let span = interval.min(arrived);
            // Positions in two cities have no common plane.
            if span > 0 && last.city == fix.city {
                let distance = metres(last.position, fix.position)
                    .unwrap_or_else(|| last.point.distance(fix.point) * DETOUR_FACTOR);
                self.add_speed(now, distance / (span as f64 / 1000.0) * SPEED_MARGIN);
            }
        }
        if let Some(speed) = fix.speed {
            self.add_speed(now, speed * SPEED_MARGIN);
        }
        self.last = Some(fix);
        self.estimate(now)
    }

    fn add_speed(&mut self, now: Time, speed: f64) {
        if (0.0..=MAX_SPEED).contains(&speed) {
            push(&mut self.speeds, (now, speed), MAX_SPEEDS);
        }
    }

    #[expect(clippy::arithmetic_side_effects, reason = "times saturate")]
    fn estimate(&mut self, now: Time) -> Motion {
        while self.speeds.front().is_some_and(|(seen, _)| *seen + WINDOW < now) {
            self.speeds.pop_front();
        }
        let top = self.speeds.iter().map(|(_, speed)| *speed).reduce(f64::max);
        let mut intervals: Vec<Duration> = self.intervals.iter().copied().collect();
        intervals.sort_unstable();
        let median = intervals.get(intervals.len() / 2).copied();
        Motion {
            speed: top.unwrap_or(DEFAULT_SPEED).max(MIN_SPEED),
            interval: median.unwrap_or(DEFAULT_INTERVAL),
        }
    }

    /// Returns the arrival time of the last report.
    pub fn last_seen(&self) -> Option<Time> {
        self.last.map(|last| last.arrived)
    }
}

/// Appends an item; removes the oldest one at the capacity.
fn push<T>(queue: &mut VecDeque<T>, item: T, capacity: usize) {
    if queue.len() >= capacity {
        queue.pop_front();
    }
    queue.push_back(item);
}
