//! Tests of speeds and times of fixes.

use super::*;
use meshcloak::map::StreetId;
use meshcloak::units::Length;

const SKEW: Duration = Duration::from_secs(30);
const DAY: u64 = 86_400_000;

fn fix(seconds: f64, x: f64, speed: Option<f64>) -> Fix {
    let position = Position { street: StreetId(0), offset: Length::ZERO };
    let arrived = Time::from_millis((seconds * 1000.0) as u64);
    let (city, point) = (CityId(0), Point::new(x, 0.0));
    Fix { arrived, tracker_millis: None, city, point, position, speed }
}

fn add_straight(track: &mut MotionTrack, fix: Fix) -> Motion {
    let from = track.last.map_or(fix.point, |last| last.point);
    track.add(fix, |_, _| Some(from.distance(fix.point)))
}

fn classify(track: &mut MotionTrack, tracker_millis: Option<u64>, unix: u64) -> FixTime {
    track.classify(ReportTime { tracker_millis, unix, now: Time::from_millis(unix) }, SKEW)
}

#[test]
fn the_estimate_is_top_speed_and_median_interval_and_ignores_jumps() {
    let mut track = MotionTrack::default();
    assert_eq!(
        add_straight(&mut track, fix(0.0, 0.0, None)),
        Motion { speed: DEFAULT_SPEED, interval: DEFAULT_INTERVAL }
    );
    let motion = add_straight(&mut track, fix(10.0, 100.0, None));
    assert_eq!((motion.speed, motion.interval), (11.0, Duration::from_secs(10)));
    add_straight(&mut track, fix(20.0, 120.0, Some(15.0)));
    let jumped = add_straight(&mut track, fix(30.0, 500_000.0, None));
    assert_eq!((jumped.speed, jumped.interval), (16.5, Duration::from_secs(10)));
    let back = add_straight(&mut track, fix(40.0, 140.0, None));
    assert_eq!(back, jumped);
    for second in 5..100 {
        add_straight(&mut track, fix(f64::from(second) * 10.0, 140.0, Some(0.0)));
    }
    let still = add_straight(&mut track, fix(1000.0, 140.0, None));
    assert_eq!(still.speed, MIN_SPEED, "old samples expire");
}

#[test]
fn wrong_clocks_are_ignored_and_stored_reports_are_late() {
    let mut right = MotionTrack::default();
    let mut when =
        |tracker_millis: u64, unix: u64| classify(&mut right, Some(tracker_millis), unix);
    assert_eq!(when(DAY, DAY + 2_000), FixTime::Tracker(DAY));
    assert_eq!(when(DAY + 10_000, DAY + 90_000), FixTime::Late, "the tracker was offline");
    assert_eq!(when(DAY + 90_000, DAY + 91_000), FixTime::Tracker(DAY + 90_000));
    let mut wrong = MotionTrack::default();
    let mut when =
        |tracker_millis: u64, unix: u64| classify(&mut wrong, Some(tracker_millis), unix);
    for minute in 0..5 {
        let unix = 9 * DAY + minute * 60_000;
        assert_eq!(when(unix - DAY, unix), FixTime::Arrival, "constantly a day behind");
    }
    let unix = 9 * DAY + 360_000;
    assert_eq!(when(unix, unix), FixTime::Tracker(unix), "the clock was corrected");
    assert_eq!(classify(&mut MotionTrack::default(), None, unix), FixTime::Arrival);
    // A single timestamp in the future does not make later reports late.
    let mut glitch = MotionTrack::default();
    let mut when =
        |tracker_millis: u64, unix: u64| classify(&mut glitch, Some(tracker_millis), unix);
    assert_eq!(when(unix + DAY, unix), FixTime::Arrival);
    assert_eq!(when(unix + 10_000, unix + 10_000), FixTime::Tracker(unix + 10_000));
    assert_eq!(when(unix + 99 * DAY, unix + 20_000), FixTime::Arrival);
    assert_eq!(when(unix + 30_000, unix + 30_000), FixTime::Tracker(unix + 30_000));
    // A constantly fast clock is known after the second report.
    let mut fast = MotionTrack::default();
    let mut when = |tracker_millis: u64, unix: u64| classify(&mut fast, Some(tracker_millis), unix);
    for minute in 0..5 {
        let unix = unix + minute * 60_000;
        assert_eq!(when(unix + DAY, unix), FixTime::Arrival);
    }
    assert_eq!(when(unix + DAY, unix + 300_000), FixTime::Late, "stored for five minutes");
    let mut wild = MotionTrack::default();
    for tracker_millis in [0, u64::MAX, DAY] {
        classify(&mut wild, Some(tracker_millis), unix);
    }
}

#[test]
fn two_reports_per_second_and_simultaneous_reports_are_estimated() {
    let mut track = MotionTrack::default();
    for half in 0..10 {
        add_straight(&mut track, fix(f64::from(half) * 0.5, f64::from(half), None));
    }
    let motion = add_straight(&mut track, fix(5.0, 10.0, None));
    assert_eq!(motion, Motion { speed: 2.2, interval: Duration::from_millis(500) });
    let motion = add_straight(&mut track, fix(5.0, 400.0, None));
    assert_eq!(motion.speed, 2.2);
}
