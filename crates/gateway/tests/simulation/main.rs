//! Deterministic simulation of the gateway: thousands of random schedules of clients, faults of the
//! service, kills with a restart, steps of the wall clock and times, in virtual time. Equal seeds give equal schedules and equal results.
//!
//! `MESHCLOAK_SCHEDULES=N` sets the number of schedules (default 2,000), `MESHCLOAK_SEED=S` runs the
//! schedule with this seed only. A failure prints the seed.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod checks;
mod fault;
mod log;
mod permutation;
mod plan;
mod process;
mod service;
mod world;

use fault::Fault;
use log::Log;
use plan::Plan;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use world::simulate;

const DEFAULT_SCHEDULES: u64 = 2_000;

fn setting(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is `{text}`, expected a number")))
}

/// Runs a schedule and returns its log and the first broken promise.
fn run(seed: u64, fault: Option<Fault>) -> (Log, Result<(), String>) {
    let log = simulate(&Plan::random(seed), fault);
    let result = checks::check(&log);
    (log, result)
}

#[test]
fn every_schedule_keeps_every_promise() {
    let one = setting("MESHCLOAK_SEED");
    let seeds = match one {
        Some(seed) => seed..seed + 1,
        None => 0..setting("MESHCLOAK_SCHEDULES").unwrap_or(DEFAULT_SCHEDULES),
    };
    let schedules = seeds.end - seeds.start;
    world::walker();
    let logs: Vec<Log> = seeds
        .into_par_iter()
        .map(|seed| {
            let (log, result) = run(seed, None);
            if let Err(broken) = result {
                panic!("MESHCLOAK_SEED={seed}: {broken}\n{:?}", Plan::random(seed));
            }
            log
        })
        .collect();
    // The schedules must reach what they are meant to test.
    let sum = |count: &dyn Fn(&Log) -> usize| logs.iter().map(count).sum::<usize>();
    let outcomes = |name: &str| sum(&|log| log.outcome_count(name));
    let counts = ["answered", "expired", "cancelled", "failed", "present", "refused"].map(outcomes);
    let requests = sum(&|log| log.requests.len());
    let restarts = sum(&|log| log.restarts);
    println!(
        "seeds 0..{schedules}: answered, expired, cancelled, failed, present, refused {counts:?}, \
         {requests} requests, {restarts} restarts"
    );
    if one.is_none() && schedules >= 100 {
        assert!(counts.iter().all(|&count| count as u64 > schedules / 10), "{counts:?}");
        assert!(requests as u64 > schedules, "{requests} requests");
        assert!(restarts as u64 > schedules / 4, "{restarts} restarts");
    }
}

#[test]
fn equal_seeds_give_equal_runs() {
    for seed in 0..40 {
        let ((a, _), (b, _)) = (run(seed, None), run(seed, None));
        assert_eq!(a.ends, b.ends, "MESHCLOAK_SEED={seed}");
        assert_eq!(a.sorted_requests(), b.sorted_requests(), "MESHCLOAK_SEED={seed}");
    }
}

#[test]
fn each_injected_fault_is_found() {
    for fault in Fault::ALL {
        let mut seeds = (0..DEFAULT_SCHEDULES).filter(|&seed| fault.concerns(&Plan::random(seed)));
        let found = seeds.by_ref().take(200).find(|&seed| run(seed, Some(fault)).1.is_err());
        assert!(found.is_some(), "{fault:?} was not found by 200 schedules");
    }
}
