//! How one phone moves: from its reports, how often it speaks and how fast it is at most.
//!
//! A phone's clock is believed while it is off by little; else the time of arrival counts. One
//! that keeps reports while it is offline sends them later than it usually does: those are late.

use meshcloak::map::Position;
use meshcloak::units::{Point, Time};
use std::collections::VecDeque;
use std::time::Duration;

/// One report, as it counts for how a phone moves.
#[derive(Clone, Copy)]
pub struct Fix {
    /// When it arrived.
    pub arrived: Time,
    /// When it was made, in milliseconds since 1970 by a clock that is believed.
    pub made: Option<u64>,
    /// Where, as it was reported.
    pub point: Point,
    /// Where on the map.
    pub position: Position,
    /// How fast, as it was reported, in metres per second.
    pub speed: Option<f64>,
}

/// Where somebody is never gets printed.
impl std::fmt::Debug for Fix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Fix(…)")
    }
}

/// How somebody moves and how often she asks, as far as it can be told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Top speed of late, in metres per second.
    pub speed: f64,
    /// Between two reports.
    pub interval: Duration,
}

/// When a report was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// By the phone's clock, in milliseconds since 1970.
    Made(u64),
    /// When it arrived: the phone has no clock, or one that is off.
    Arrived,
    /// Long ago: it was kept until now.
    Late,
}

/// How one phone moves.
#[derive(Clone, Default)]
pub struct Track {
    last: Option<Fix>,
    speeds: VecDeque<(Time, f64)>,
    gaps: VecDeque<Duration>,
    /// By how many milliseconds the phone's clock is behind, and when that was seen.
    behind: Option<(i64, Time)>,
    /// The same of the last report, if that was far ahead of what is known: an error, unless the
    /// next one agrees.
    ahead: Option<i64>,
}

/// Where a phone was never gets printed.
impl std::fmt::Debug for Track {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Track(…)")
    }
}

/// For how long a speed counts.
const WINDOW: Duration = Duration::from_secs(600);
/// Speeds and gaps that count at most.
const MOST_SPEEDS: usize = 64;
const MOST_GAPS: usize = 9;
/// For how long it is known how far a phone's clock is off.
const CLOCK_KEPT: Duration = Duration::from_secs(3600);
/// Nobody moves faster on streets, in metres per second: a jump is an error of the phone.
const FASTEST: f64 = 70.0;
/// Who stands can begin to walk.
const SLOWEST: f64 = 1.5;
/// Of whom nothing is known may drive.
const UNKNOWN: f64 = 14.0;
/// Before there are two reports.
const UNKNOWN_INTERVAL: Duration = Duration::from_secs(30);
/// What is seen from report to report is less than the top speed between them.
const MARGIN: f64 = 1.1;
/// Streets are not straight, where their length is not known.
const DETOUR: f64 = 1.5;

impl Track {
    /// When a report was made that says `made`, and arrived at `now`, `unix` on the wall.
    pub fn when(&mut self, made: Option<u64>, unix: u64, now: Time, skew: Duration) -> When {
        let Some(made) = made else { return When::Arrived };
        let skew = i64::try_from(skew.as_millis()).unwrap_or(i64::MAX);
        let behind = unix as i64 - made as i64;
        let usual = self.behind.filter(|(_, seen)| *seen + CLOCK_KEPT >= now);
        let known = usual.map_or(0, |(usual, _)| usual.min(0));
        if behind < known.saturating_sub(skew) {
            let agrees = |before: i64| before.abs_diff(behind) <= skew.unsigned_abs();
            if !self.ahead.replace(behind).is_some_and(agrees) {
                return When::Arrived;
            }
        }
        self.ahead = None;
        match usual {
            Some((usual, _)) if behind.saturating_sub(usual) > skew => return When::Late,
            Some((usual, _)) => self.behind = Some((behind.min(usual), now)),
            None => self.behind = Some((behind, now)),
        }
        if behind.abs() <= skew { When::Made(made) } else { When::Arrived }
    }

    /// Counts a report; `metres` is the way along streets from one position to another, where it
    /// is known.
    pub fn add(
        &mut self,
        fix: Fix,
        metres: impl FnOnce(Position, Position) -> Option<f64>,
    ) -> Pace {
        let now = fix.arrived;
        if let Some(last) = self.last.filter(|last| last.arrived + WINDOW >= now) {
            let arrived = now.as_millis().saturating_sub(last.arrived.as_millis());
            let made = last.made.zip(fix.made).map(|(last, this)| this.saturating_sub(last));
            let gap = made.filter(|made| *made > 0).unwrap_or(arrived);
            push(&mut self.gaps, Duration::from_millis(gap), MOST_GAPS);
            let way = metres(last.position, fix.position)
                .unwrap_or_else(|| last.point.distance(fix.point) * DETOUR);
            // The engine goes by arrival: both spans must do.
            let span = gap.min(arrived);
            if span > 0 {
                self.see(now, way / (span as f64 / 1000.0) * MARGIN);
            }
        }
        if let Some(speed) = fix.speed {
            self.see(now, speed * MARGIN);
        }
        self.last = Some(fix);
        self.pace(now)
    }

    fn see(&mut self, now: Time, speed: f64) {
        if (0.0..=FASTEST).contains(&speed) {
            push(&mut self.speeds, (now, speed), MOST_SPEEDS);
        }
    }

    fn pace(&mut self, now: Time) -> Pace {
        while self.speeds.front().is_some_and(|(seen, _)| *seen + WINDOW < now) {
            self.speeds.pop_front();
        }
        let top = self.speeds.iter().map(|(_, speed)| *speed).reduce(f64::max);
        let mut gaps: Vec<Duration> = self.gaps.iter().copied().collect();
        gaps.sort_unstable();
        let interval = gaps.get(gaps.len() / 2).copied().unwrap_or(UNKNOWN_INTERVAL);
        Pace { speed: top.unwrap_or(UNKNOWN).max(SLOWEST), interval }
    }

    /// When it last moved.
    pub fn seen(&self) -> Option<Time> {
        self.last.map(|last| last.arrived)
    }
}

fn push<T>(queue: &mut VecDeque<T>, item: T, most: usize) {
    if queue.len() >= most {
        queue.pop_front();
    }
    queue.push_back(item);
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::map::StreetId;
    use meshcloak::units::Length;

    const SKEW: Duration = Duration::from_secs(30);
    const DAY: u64 = 86_400_000;

    fn fix(seconds: f64, x: f64, speed: Option<f64>) -> Fix {
        let position = Position { street: StreetId(0), offset: Length::ZERO };
        let arrived = Time::from_millis((seconds * 1000.0) as u64);
        Fix { arrived, made: None, point: Point::new(x, 0.0), position, speed }
    }

    fn straight(track: &mut Track, fix: Fix) -> Pace {
        let from = track.last.map_or(fix.point, |last| last.point);
        track.add(fix, |_, _| Some(from.distance(fix.point)))
    }

    #[test]
    fn pace_is_top_speed_and_middle_interval_and_a_jump_changes_nothing() {
        let mut track = Track::default();
        assert_eq!(
            straight(&mut track, fix(0.0, 0.0, None)),
            Pace { speed: UNKNOWN, interval: UNKNOWN_INTERVAL }
        );
        let pace = straight(&mut track, fix(10.0, 100.0, None));
        assert_eq!((pace.speed, pace.interval), (11.0, Duration::from_secs(10)));
        straight(&mut track, fix(20.0, 120.0, Some(15.0)));
        let jumped = straight(&mut track, fix(30.0, 500_000.0, None));
        assert_eq!((jumped.speed, jumped.interval), (16.5, Duration::from_secs(10)));
        let back = straight(&mut track, fix(40.0, 140.0, None));
        assert_eq!(back, jumped);
        for second in 5..100 {
            straight(&mut track, fix(f64::from(second) * 10.0, 140.0, Some(0.0)));
        }
        let still = straight(&mut track, fix(1000.0, 140.0, None));
        assert_eq!(still.speed, SLOWEST, "speeds are forgotten");
    }

    #[test]
    fn a_clock_that_is_off_is_not_believed_and_what_was_kept_is_late() {
        let at = Time::from_millis;
        let mut right = Track::default();
        let mut when = |made: u64, unix: u64| right.when(Some(made), unix, at(unix), SKEW);
        assert_eq!(when(DAY, DAY + 2_000), When::Made(DAY));
        assert_eq!(when(DAY + 10_000, DAY + 90_000), When::Late, "it was offline");
        assert_eq!(when(DAY + 90_000, DAY + 91_000), When::Made(DAY + 90_000));
        let mut wrong = Track::default();
        let mut when = |made: u64, unix: u64| wrong.when(Some(made), unix, at(unix), SKEW);
        for minute in 0..5 {
            let unix = 9 * DAY + minute * 60_000;
            assert_eq!(when(unix - DAY, unix), When::Arrived, "a day behind, always");
        }
        let unix = 9 * DAY + 360_000;
        assert_eq!(when(unix, unix), When::Made(unix), "somebody has set it");
        assert_eq!(Track::default().when(None, unix, at(unix), SKEW), When::Arrived);
        // A time that is ahead once is an error, and silences nobody.
        let mut glitch = Track::default();
        let mut when = |made: u64, unix: u64| glitch.when(Some(made), unix, at(unix), SKEW);
        assert_eq!(when(unix + DAY, unix), When::Arrived);
        assert_eq!(when(unix + 10_000, unix + 10_000), When::Made(unix + 10_000));
        assert_eq!(when(unix + 99 * DAY, unix + 20_000), When::Arrived);
        assert_eq!(when(unix + 30_000, unix + 30_000), When::Made(unix + 30_000));
        // A clock that is always ahead is known from the second report on.
        let mut fast = Track::default();
        let mut when = |made: u64, unix: u64| fast.when(Some(made), unix, at(unix), SKEW);
        for minute in 0..5 {
            let unix = unix + minute * 60_000;
            assert_eq!(when(unix + DAY, unix), When::Arrived);
        }
        assert_eq!(when(unix + DAY, unix + 300_000), When::Late, "it was kept for five minutes");
        let mut wild = Track::default();
        for made in [0, u64::MAX, DAY] {
            wild.when(Some(made), unix, at(unix), SKEW);
        }
    }

    #[test]
    fn a_report_twice_a_second_has_half_a_second_between_and_two_at_once_none() {
        let mut track = Track::default();
        for half in 0..10 {
            straight(&mut track, fix(f64::from(half) * 0.5, f64::from(half), None));
        }
        let pace = straight(&mut track, fix(5.0, 10.0, None));
        assert_eq!(pace, Pace { speed: 2.2, interval: Duration::from_millis(500) });
        let pace = straight(&mut track, fix(5.0, 400.0, None));
        assert_eq!(pace.speed, 2.2);
    }
}
