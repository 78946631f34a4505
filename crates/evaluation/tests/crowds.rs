//! Crowds as tapes: simulated ones, and the real taxi trips of Porto.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use evaluation::experiment::Experiment;
use evaluation::grid::{Crowd, cells};
use evaluation::maps::MapPlan;
use evaluation::people::tape;
use evaluation::tape::Tape;
use import::{Options, read_map};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn crowd(text: &str, folder: Option<&Path>) -> Crowd {
    let experiment = Experiment::from_toml(Path::new("e"), text).unwrap();
    cells(&experiment, folder).unwrap().swap_remove(0).crowd
}

fn tape_of(crowd: &Crowd, folder: Option<&Path>) -> Tape {
    let MapPlan { source, .. } = &crowd.map;
    let map = read_map(source, &Options::default(), &()).unwrap().map;
    tape(crowd, &map, folder).unwrap()
}

#[test]
fn a_simulated_crowd_asks_in_order_and_waits_as_long_as_it_is_told() {
    let crowd = crowd("maps = \"city:500:7\"\nusers = 50\nk = \"2-10\"\nprofiles = \"p2\"", None);
    let tape = tape_of(&crowd, None);
    assert_eq!((tape.users, tape.queries.len()), (50, 550));
    assert!(tape.queries.is_sorted_by_key(|query| query.asked_at));
    assert!(tape.queries.iter().all(|query| (2..=10).contains(&query.k)));
    let (a, b) = (tape.query(7, Duration::from_secs(3)), tape.query(7, Duration::from_secs(9)));
    assert_eq!((a.id, a.position, a.k), (b.id, b.position, b.k));
    assert_eq!(b.temporal_tolerance, Duration::from_secs(9));
    assert_eq!(tape_of(&crowd, None), tape, "same seed, same crowd");
    assert_ne!(tape_of(&Crowd { seed: 2, ..crowd }, None), tape);
}

#[test]
fn real_taxis_begin_within_the_window_and_ask_at_their_interval() {
    let Some(folder) = std::env::var_os("MESHCLOAK_MAPS").map(PathBuf::from) else {
        eprintln!("skipped: MESHCLOAK_MAPS is not set, so there are no taxis");
        return;
    };
    let text = "maps = \"porto\"\nusers = 40\nprofiles = \"taxi-p2\"\noverlay = 60";
    let crowd = crowd(text, Some(&folder));
    let tape = tape_of(&crowd, Some(&folder));
    assert!(tape.users >= 30, "{} people", tape.users);
    assert!(tape.queries.is_sorted_by_key(|query| query.asked_at));
    let first = |user: u32| tape.queries.iter().find(|query| query.user == user).unwrap();
    // A trip may break, and its later pieces begin when they begin.
    let early = (0..tape.users as u32).filter(|&user| first(user).asked_at < 60_000).count();
    assert!(early >= 30, "{early} of {} begin within a minute", tape.users);
    assert!(tape.queries.iter().all(|query| [20_000, 30_000].contains(&query.query_interval)));
}
