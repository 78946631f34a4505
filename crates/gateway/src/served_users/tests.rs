//! Tests of the record: generations, damage, failing disks.

use super::*;
use crate::batch::BatchEngine;
use crate::city::CityParts;
use crate::clock::Clock;
use crate::config::{Config, Mode};
use crate::gateway::{Gateway, Parts};
use crate::intake::parse_query;
use crate::keys::{KeyFile, LimitOverrides};
use crate::outcome::Outcome;
use crate::service::BuiltIn;
use crate::submit::submit;
use crate::tickets::Route;
use crate::walk::Walker;
use meshcloak::distance::Atlas;
use meshcloak::guarantee::Guarantee;
use meshcloak::units::Length;
use std::sync::Arc;

const HORIZON: Duration = Duration::from_secs(600);

fn open(path: &Path) -> ServedUsers {
    ServedUsers::open(Some(path), HORIZON, AfterStart::Refuse).unwrap()
}

/// A start with `engine.after_start = "new"`.
fn open_new(path: &Path) -> ServedUsers {
    ServedUsers::open(Some(path), HORIZON, AfterStart::New).unwrap()
}

fn is_refused(served: &ServedUsers, user: u64, millis: u64) -> bool {
    served.admit(UserId(user), Time::from_millis(millis)).is_err()
}

fn record(served: &ServedUsers, users: &[u64], seconds: u64) {
    let users = users.iter().map(|&user| UserId(user));
    served.record(users, Time::from_millis(seconds * 1000)).unwrap();
}

#[test]
fn known_users_are_refused_for_one_horizon_after_each_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("served");
    let first = open_new(&path);
    assert!(!is_refused(&first, 1, 0), "a declared first start refuses no user");
    record(&first, &[1, 2, 1], 1);
    assert!(!is_refused(&first, 1, 2000), "only earlier processes count");
    drop(first);
    for _ in 0..3 {
        let next = open(&path);
        assert!(is_refused(&next, 1, 0) && is_refused(&next, 2, 599_999));
        assert!(!is_refused(&next, 3, 0) && !is_refused(&next, 2, 600_000));
        let left = next.admit(UserId(1), Time::from_millis(500)).unwrap_err();
        assert_eq!(left, Refusal::AfterStart(600));
    }
}

#[test]
fn a_record_of_another_horizon_counts_as_incomplete() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("served");
    let short = ServedUsers::open(Some(&path), HORIZON / 100, AfterStart::New).unwrap();
    record(&short, &[1], 1);
    // User 1 is forgotten after two horizons of the first process, but not after one of the second.
    record(&short, &[2], 60);
    drop(short);
    let long = open(&path);
    assert!(is_refused(&long, 1, 0) && is_refused(&long, 3, 599_999));
    assert!(!is_refused(&long, 1, 600_000));
}

#[test]
fn users_are_forgotten_after_two_generations_unless_they_return() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("served");
    let first = open_new(&path);
    record(&first, &[1, 2], 1);
    record(&first, &[2], 601);
    let known = |at: u64| {
        // Reads a copy: the record is in use.
        let copy = tempfile::tempdir().unwrap();
        for name in ["served", "served.old", "served.key"] {
            std::fs::copy(folder.path().join(name), copy.path().join(name)).unwrap();
        }
        let next = open(&copy.path().join("served"));
        [1, 2, 3].map(|user| is_refused(&next, user, at))
    };
    assert_eq!(known(0), [true, true, false]);
    record(&first, &[3], 1202);
    assert_eq!(known(0), [false, true, true]);
    record(&first, &[], 1803);
    assert_eq!(known(0), [false, false, true]);
}

#[test]
fn a_lost_or_corrupt_record_refuses_all_users() {
    let damages: [fn(&Path); 7] = [
        |path| std::fs::remove_file(path).unwrap(),
        |path| std::fs::remove_file(path.with_extension("old")).unwrap(),
        |path| std::fs::remove_file(path.with_extension("key")).unwrap(),
        |path| std::fs::write(path, "").unwrap(),
        |path| std::fs::write(path.with_extension("key"), "short").unwrap(),
        |path| {
            let mut bytes = std::fs::read(path).unwrap();
            bytes[30] ^= 1;
            std::fs::write(path, bytes).unwrap();
        },
        |path| {
            let zeros = [std::fs::read(path).unwrap(), vec![0; 64]].concat();
            std::fs::write(path, zeros).unwrap();
        },
    ];
    for (number, damage) in damages.into_iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("served");
        record(&open_new(&path), &[1, 2], 1);
        damage(&path);
        for _ in 0..2 {
            let next = open(&path);
            assert!(is_refused(&next, 1, 0) && is_refused(&next, 99, 0), "damage {number}");
            assert!(!is_refused(&next, 99, 600_000));
        }
    }
    let without_file = ServedUsers::open(None, HORIZON, AfterStart::Refuse).unwrap();
    assert!(is_refused(&without_file, 1, 0) && !is_refused(&without_file, 1, 600_000));
}

/// An earlier process may have served users without a record, or with another one.
#[test]
fn a_start_without_a_record_refuses_all_users_and_so_do_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("served");
    for _ in 0..3 {
        let next = open(&path);
        assert!(is_refused(&next, 1, 599_999) && !is_refused(&next, 1, 600_000));
    }
    let long = open(&path);
    record(&long, &[1], 601);
    record(&long, &[2], 1202);
    drop(long);
    let next = open(&path);
    assert_eq!([1, 2, 3].map(|user| is_refused(&next, user, 0)), [true, true, false]);
}

#[test]
fn a_start_that_treats_users_as_new_goes_on_with_the_record() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("served");
    record(&open_new(&path), &[1], 1);
    let new = open_new(&path);
    assert!(!is_refused(&new, 1, 0));
    record(&new, &[2], 1);
    drop(new);
    let next = open(&path);
    assert_eq!([1, 2, 3].map(|user| is_refused(&next, user, 0)), [true, true, false]);
    drop(next);
    std::fs::write(&path, "damaged").unwrap();
    assert!(!is_refused(&open_new(&path), 3, 0));
    assert!(is_refused(&open(&path), 3, 0), "the users before the damage are still unknown");
}

#[test]
fn a_gateway_that_does_not_continue_the_record_removes_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("served");
    ServedUsers::discard(&path).unwrap();
    let running = open_new(&path);
    record(&running, &[1], 1);
    ServedUsers::discard(&path).unwrap();
    assert!(path.exists(), "another process uses it");
    drop(running);
    ServedUsers::discard(&path).unwrap();
    let next = open(&path);
    assert!(is_refused(&next, 1, 0) && is_refused(&next, 2, 0));
}

#[test]
fn a_frame_cut_off_by_a_crash_is_dropped_and_all_before_it_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("served");
    let first = open_new(&path);
    record(&first, &[1], 1);
    let whole = std::fs::metadata(&path).unwrap().len();
    record(&first, &[2, 3], 2);
    drop(first);
    let bytes = std::fs::read(&path).unwrap();
    for cut in whole as usize..bytes.len() {
        std::fs::write(&path, &bytes[..cut]).unwrap();
        let next = open(&path);
        assert_eq!([1, 2, 3].map(|user| is_refused(&next, user, 0)), [true, false, false]);
        record(&next, &[4], 1);
        drop(next);
        assert!(is_refused(&open(&path), 4, 0), "the record goes on after the cut");
    }
}

#[test]
fn a_record_belongs_to_one_process_and_is_private() {
    use std::os::unix::fs::MetadataExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("served");
    let first = open(&path);
    let second = ServedUsers::open(Some(&path), HORIZON, AfterStart::New).unwrap_err();
    assert!(second.to_string().contains("another process"), "{second}");
    record(&first, &[0x1122_3344_5566_7788], 1);
    for name in ["served", "served.old", "served.key"] {
        assert_eq!(std::fs::metadata(folder.path().join(name)).unwrap().mode() & 0o777, 0o600);
    }
}

fn gateway(folder: &Path) -> (Gateway, String) {
    let keys = folder.join("keys.json");
    let add = |file: &mut KeyFile| file.add("app", LimitOverrides::default());
    let key = KeyFile::update(&keys, add).unwrap().secret;
    let source = "city:500:7".parse().unwrap();
    let map = import::read_map(&source, &import::Options::default(), &()).unwrap().map;
    let walker = Arc::new(Walker::new(Arc::new(Atlas::new(map, Length::metres(300.0)))));
    let service = Box::new(BuiltIn::new(Arc::clone(&walker)));
    let mut config = Config { keys: Some(keys), ..Config::default() };
    config.engine.guarantee = Guarantee::History;
    config.engine.record = Some(folder.join("served"));
    config.engine.after_start = AfterStart::New;
    let clock = Clock::manual();
    let parts = Parts {
        config,
        mode: Mode::Guarded,
        cities: vec![CityParts::only(walker, service)],
        clock,
    };
    (Gateway::new(parts).unwrap(), key)
}

#[tokio::test]
async fn a_batch_whose_users_cannot_be_recorded_fails_and_publishes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (gateway, key) = gateway(folder.path());
    gateway.refresh_categories().await.unwrap();
    let gateway = Arc::new(gateway);
    let map = gateway.city().atlas().map();
    let lon_lat = map.frame().unwrap().lon_lat(map.shape(meshcloak::map::StreetId(3))[0]);
    let account = Arc::clone(gateway.directory().account(Some(&key)).unwrap());
    let mut engine = BatchEngine::new(Arc::clone(&gateway));
    for (second, is_full) in [(1, false), (2, true)] {
        if is_full {
            let record = gateway.served_users().record.as_ref().unwrap();
            record.lock().file.fill_disk();
        }
        for user in 0..4 {
            let text = serde_json::json!({
                "ticket": format!("{user}-{second}"), "person": format!("{user}-{second}"),
                "k": 2, "dt": 30, "lon": lon_lat.lon, "lat": lon_lat.lat, "dc": 200,
                "speed": 20, "question": {"find": "nearest", "count": 1},
            });
            let query = parse_query(&gateway, &account, text.to_string().as_bytes()).unwrap();
            let route = || Route::One(tokio::sync::oneshot::channel().0);
            submit(&gateway, &account, [query], route, |_, _| ());
        }
        gateway.clock().advance(1000);
        let round = engine.turn(gateway.clock().now());
        let failed = round.ended.iter().filter(|(_, outcome)| *outcome == Outcome::Failed);
        let expected = if is_full { (true, 4) } else { (false, 0) };
        assert_eq!((round.requests.is_empty(), failed.count()), expected);
    }
    assert_eq!(engine.waiting_count(), 0);
}
