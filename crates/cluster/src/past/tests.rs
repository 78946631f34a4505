//! The fold against a naive replay.

use super::*;
use crate::names::NodeId;
use crate::record::Tick;
use meshcloak::guarantee::{Admission, HistoryClock};
use meshcloak::map::{Position, StreetId};
use meshcloak::query::UserId;
use meshcloak::town::town;
use meshcloak::units::{Length, Speed};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;
use std::time::Duration;

const HORIZON: Duration = Duration::from_secs(10);
const LOG: LogId = LogId(1);
const USERS: u64 = 12;

fn identity(since: u64, is_first: bool) -> Followed {
    let identity = Identity { log: LOG, since: Time::from_millis(since), wall_ms: since, is_first };
    Followed::Identity { identity, sequence: 1, server_ms: since }
}

fn found(shard: u16, sequence: u64, epoch: u64, (map, at): (u64, u64), body: Body) -> Followed {
    let record = Record { log: LOG, epoch, map, wall_ms: at, body };
    Followed::Record(LogRecord { shard, sequence, server_ms: at, record })
}

fn tick(at: u64, accepted: Option<Members>) -> Body {
    Body::Tick(Tick { at: Time::from_millis(at), accepted, left: None })
}

/// A log of two shards whose entries lag behind their ticks, in order of sequence.
fn random_log(random: &mut Pcg64) -> Vec<Followed> {
    let mut log = vec![identity(0, false)];
    let mut now = 0;
    for sequence in 2..random.random_range(3..60) {
        now += random.random_range(0..3_000);
        let shard = random.random_range(0..2);
        let body = match random.random_range(0..6) {
            0 => Body::Epoch { engine: NodeId(1), plan: 0 },
            1 => tick(now, None),
            2 => tick(now, Some(Members::Users(vec![UserId(1)]))),
            _ => {
                let entry = |_| Entry {
                    user: UserId(random.random_range(0..USERS)),
                    position: Position {
                        street: StreetId(random.random_range(0..3)),
                        offset: Length::from_units(random.random_range(0..100)),
                    },
                    at: Time::from_millis(now.saturating_sub(random.random_range(0..4_000))),
                    speed: None,
                };
                tick(now, Some(Members::Positions((0..5).map(entry).collect())))
            }
        };
        log.push(found(shard, sequence, 1, (7, now), body));
    }
    log
}

/// Returns a user's last position by looking at every entry.
fn naive(log: &[Followed], user: UserId, now: Time) -> Option<(Time, Position)> {
    let mut last: Option<(Time, Position)> = None;
    for found in log {
        let Followed::Record(LogRecord { record, .. }) = found else { continue };
        let Body::Tick(Tick { accepted: Some(Members::Positions(entries)), .. }) = &record.body
        else {
            continue;
        };
        for entry in entries.iter().filter(|entry| entry.user == user) {
            if last.is_none_or(|(at, _)| at <= entry.at) {
                last = Some((entry.at, entry.position));
            }
        }
    }
    last.filter(|(at, _)| *at + HORIZON >= now)
}

fn fold(log: &[Followed]) -> Past {
    let mut past = Past::new(HistoryClock::Asked, HORIZON);
    log.iter().for_each(|found| past.apply(found));
    past
}

#[test]
fn the_fold_of_every_prefix_equals_the_naive_replay() {
    let map = town("A 0,0  B 400,0  C 400,400  D 0,400 | A-B  B-C  C-D").map;
    let (mut known, mut unknown) = (0, 0);
    for seed in 0..200 {
        let log = random_log(&mut Pcg64::seed_from_u64(seed));
        let mut past = Past::new(HistoryClock::Asked, HORIZON);
        for (length, next) in log.iter().enumerate() {
            past.apply(next);
            let prefix = &log[..=length];
            let now = past.mark().unwrap().city;
            let mut admission =
                Admission::with_positions(HistoryClock::Asked, past.positions(&map).unwrap());
            for user in (0..USERS).map(UserId) {
                let previous = admission.previous(user, now).map(|past| (past.at, past.position));
                assert_eq!(previous, naive(prefix, user, now), "seed {seed}, {length} records");
                known += usize::from(previous.is_some());
                unknown += usize::from(previous.is_none());
            }
        }
    }
    assert!(known > 10_000 && unknown > 10_000, "{known} {unknown}");
}

#[test]
fn a_log_of_several_records_per_tick_folds_as_one_of_one_record() {
    let mut added = 0;
    for seed in 0..100 {
        let log = random_log(&mut Pcg64::seed_from_u64(seed));
        let mut split = Vec::new();
        for found in &log {
            match found {
                Followed::Record(LogRecord { shard, sequence, server_ms, record }) => {
                    for record in halves(record) {
                        let (shard, sequence, server_ms) = (*shard, *sequence, *server_ms);
                        split.push(Followed::Record(LogRecord {
                            shard,
                            sequence,
                            server_ms,
                            record,
                        }));
                    }
                }
                other => split.push(other.clone()),
            }
        }
        added += split.len() - log.len();
        let (whole, split) = (fold(&log), fold(&split));
        assert_eq!((whole.mark(), whole.len()), (split.mark(), split.len()), "seed {seed}");
        let now = whole.mark().unwrap().city;
        let (mut one, mut two) = (whole.positions.clone(), split.positions.clone());
        for user in (0..USERS).map(UserId) {
            assert_eq!(one.get(user, now), two.get(user, now), "seed {seed}");
        }
    }
    assert!(added > 500, "{added} records were split");
}

/// Splits the entries of a record into two records.
fn halves(record: &Record) -> Vec<Record> {
    let Body::Tick(Tick { at, accepted: Some(Members::Positions(entries)), .. }) = &record.body
    else {
        return vec![record.clone()];
    };
    let parts = [&entries[..2], &entries[2..]].into_iter().map(|part| {
        let accepted = Some(Members::Positions(part.to_vec()));
        let body = Body::Tick(Tick { at: *at, accepted, left: None });
        Record { body, ..record.clone() }
    });
    parts.collect()
}

fn one_position(street: u32) -> Option<Members> {
    let position = Position { street: StreetId(street), offset: Length::ZERO };
    let at = Time::from_millis(1_000);
    Some(Members::Positions(vec![Entry { user: UserId(1), position, at, speed: None }]))
}

#[test]
fn a_walker_is_remembered_until_it_can_have_travelled_the_distance() {
    let horizon = Horizon { time: HORIZON, distance: Length::metres(60.0) };
    let at = Time::from_millis;
    let entry = |(user, speed): (u64, f64)| Entry {
        user: UserId(user),
        position: Position { street: StreetId(0), offset: Length::ZERO },
        at: at(1_000),
        speed: Some(Speed::metres_per_second(speed)),
    };
    let members = Members::Positions([(1, 1.0), (2, 20.0)].map(entry).to_vec());
    let mut past = Past::new(HistoryClock::Asked, horizon);
    past.apply(&identity(1, false));
    past.apply(&found(0, 2, 1, (7, 1_000), tick(1_000, Some(members))));
    past.apply(&found(0, 3, 1, (7, 40_000), tick(40_000, Some(Members::Positions(Vec::new())))));
    let mut positions = past.positions(&town("A 0,0  B 100,0 | A-B").map).unwrap();
    assert_eq!(positions.until(UserId(1), at(40_000)), Some(at(61_000)), "60 m at 1 m/s");
    assert_eq!(positions.until(UserId(2), at(40_000)), None, "a driver");
    assert!(!past.is_complete(at(61_000)), "a standing user counts for four hours");
    assert!(past.is_complete(at(2) + Horizon::MAX_TIME));
}

#[test]
fn a_past_is_complete_one_horizon_after_a_new_log_or_a_loss() {
    let at = Time::from_millis;
    assert!(!Past::new(HistoryClock::Asked, HORIZON).is_complete(at(u64::MAX)), "without identity");
    assert!(fold(&[identity(5_000, true)]).is_complete(at(0)), "the operator's word");
    let young = fold(&[identity(5_000, false)]);
    assert!(!young.is_complete(at(15_000)) && young.is_complete(at(15_001)));
    let losses = [Followed::Gap { from: 3, next: 5 }, Followed::Rewound { seen: 9, last: 2 }];
    for loss in losses {
        let mut past = fold(&[identity(5_000, true), loss]);
        assert!(!past.is_complete(at(u64::MAX)), "nothing known after the loss");
        past.apply(&found(0, 5, 1, (7, 20_000), tick(20_000, None)));
        assert_eq!(past.complete_since(), Some(at(20_000)));
    }
    let mut past = fold(&[identity(5_000, true), found(0, 2, 1, (7, 6_000), tick(6_000, None))]);
    past.apply(&Followed::Replaced);
    assert!(past.identity().is_none() && !past.is_complete(at(u64::MAX)));
}

#[test]
fn positions_on_another_map_are_dropped_and_impossible_ones_refused() {
    let map = town("A 0,0  B 400,0 | A-B").map;
    let mut past =
        fold(&[identity(0, true), found(0, 2, 1, (7, 1_000), tick(1_000, one_position(0)))]);
    assert_eq!((past.len(), past.map()), (1, Some(7)));
    assert!(past.positions(&map).is_some());
    past.apply(&found(0, 3, 2, (8, 2_000), tick(2_000, None)));
    assert!(past.is_empty() && past.complete_since() == Some(Time::from_millis(2_000)));
    past.apply(&found(0, 4, 2, (8, 3_000), tick(3_000, one_position(9))));
    assert!(past.positions(&map).is_none(), "street 9 does not exist");
}

#[test]
fn a_record_that_another_replaced_at_its_sequence_is_not_contained() {
    let epoch = || Body::Epoch { engine: NodeId(1), plan: 0 };
    let log = [
        identity(0, true),
        found(0, 2, 3, (7, 100), epoch()),
        found(0, 3, 3, (7, 200), tick(200, None)),
        found(0, 4, 5, (7, 300), epoch()),
        found(0, 6, 5, (7, 30_000), tick(30_000, None)),
    ];
    let now = Time::from_millis(8_000);
    let seen = |sequence, epoch| Seen { log: LOG, sequence, epoch, at: Time::from_millis(250) };
    let past = fold(&log[..4]);
    let trace = |seen| past.trace(seen, 4, now);
    assert_eq!((trace(seen(3, 3)), trace(seen(4, 5))), (Trace::Held, Trace::Held));
    assert_eq!(trace(seen(4, 3)), Trace::Lost, "written by the former owner and lost");
    assert_eq!(trace(seen(9, 5)), Trace::Unread, "the log is shorter, or was not read");
    assert_eq!(trace(Seen { log: LogId(2), ..seen(3, 3) }), Trace::Lost, "another log");
    let trace = |seen| fold(&log).trace(seen, 6, Time::from_millis(30_000));
    assert_eq!(trace(seen(3, 3)), Trace::Held, "nothing depends on it");
    assert_eq!(trace(Seen { log: LogId(2), ..seen(9, 9) }), Trace::Held, "the same");
    let recent = Seen { at: Time::from_millis(20_000), ..seen(5, 3) };
    assert_eq!(trace(recent), Trace::Lost, "within the horizon it must be there");
    assert!(!format!("{past:?}").contains("position"));
}

#[test]
fn a_recorded_loss_tells_later_owners_and_ends_the_comparison() {
    let at = Time::from_millis;
    let mut past =
        fold(&[identity(0, true), found(0, 2, 1, (7, 2_000), tick(2_000, one_position(0)))]);
    let seen = Seen { log: LogId(9), sequence: 77, epoch: 1, at: at(1_500) };
    assert_eq!(past.trace(seen, 2, at(3_000)), Trace::Lost);
    past.apply(&found(0, 3, 1, (7, 3_000), Body::Lost { at: at(3_000) }));
    assert_eq!(past.complete_since(), Some(at(3_000)));
    assert!(!past.is_complete(at(13_000)) && past.is_complete(at(13_001)));
    assert_eq!(past.trace(seen, 3, at(3_000)), Trace::Held, "the log admits the loss");
    assert_eq!(past.len(), 1, "what is known stays known");
    let later = Seen { at: at(3_500), ..seen };
    assert_eq!(past.trace(later, 3, at(4_000)), Trace::Lost, "another loss");
}

/// A tick of one second in which a user was accepted and left.
fn tick_of(clock: HistoryClock) -> Body {
    let users = Some(Members::Users(vec![UserId(1)]));
    let (accepted, left) = match clock {
        HistoryClock::Asked => (one_position(0), users),
        HistoryClock::Published => (users, one_position(0)),
    };
    Body::Tick(Tick { at: Time::from_millis(1_000), accepted, left })
}

#[test]
fn a_log_written_with_another_clock_is_incomplete_for_one_horizon() {
    let clocks = [HistoryClock::Asked, HistoryClock::Published];
    for (written, read) in clocks.into_iter().flat_map(|a| clocks.map(|b| (a, b))) {
        let mut past = Past::new(read, HORIZON);
        past.apply(&identity(0, true));
        past.apply(&found(0, 2, 1, (7, 1_000), tick_of(written)));
        let is_same = written == read;
        assert_eq!(past.len(), usize::from(is_same), "{written:?} {read:?}");
        assert_eq!(past.is_complete(Time::from_millis(11_000)), is_same, "{written:?} {read:?}");
        assert!(past.is_complete(Time::from_millis(11_001)), "the position is too old to matter");
    }
}
