//! Promises that every schedule must keep.

use crate::log::{End, Log, Place};
use crate::world::SPEED;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the first broken promise.
pub fn check(log: &Log) -> Result<(), String> {
    nothing_is_lost(log)?;
    sets_are_large_enough(log)?;
    no_user_is_in_two_sets(log)?;
    requests_of_a_batch_are_distinct(log)?;
    sets_are_released_together(log)?;
    answers_are_in_time(log)?;
    no_query_expires_early(log)?;
    nobody_jumps(log)
}

fn require(holds: bool, problem: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(problem()) }
}

/// Every accepted query has exactly one outcome, every client gets a response, and nothing is left.
fn nothing_is_lost(log: &Log) -> Result<(), String> {
    require(log.accepted == log.ended, || {
        format!("{} queries were accepted, {} have ended", log.accepted, log.ended)
    })?;
    require(log.under_way == 0 && log.queued_requests == 0, || {
        format!("{} queries and {} requests are left", log.under_way, log.queued_requests)
    })?;
    let stuck = log.ends.iter().find(|(_, end)| end.outcome == "stuck");
    require(stuck.is_none(), || format!("{stuck:?} got no response"))
}

/// The size of a set meets the k of each of its members.
fn sets_are_large_enough(log: &Log) -> Result<(), String> {
    let small = log.sets.iter().find(|set| set.members.iter().any(|(_, k)| *k as usize > set.size));
    require(small.is_none(), || format!("{small:?} is smaller than a k"))
}

/// In one batch a user is in one set.
fn no_user_is_in_two_sets(log: &Log) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for set in &log.sets {
        let users: BTreeSet<usize> =
            set.members.iter().map(|(number, _)| log.user_of[number]).collect();
        for user in users {
            require(seen.insert((set.batch, user)), || format!("user {user} is twice in a batch"))?;
        }
    }
    Ok(())
}

/// No two requests of a batch are equal.
fn requests_of_a_batch_are_distinct(log: &Log) -> Result<(), String> {
    for batch in &log.batches {
        let distinct: BTreeSet<&String> = batch.iter().collect();
        require(distinct.len() == batch.len(), || format!("{batch:?} repeats a request"))?;
    }
    Ok(())
}

/// The members of a set that wait for a response get it at the same time.
fn sets_are_released_together(log: &Log) -> Result<(), String> {
    for set in &log.sets {
        let ends = set.members.iter().filter_map(|(number, _)| log.ends.get(number));
        // A client that was refused may have repeated the query on another connection.
        let is_released = |outcome: &str| ["answered", "failed"].contains(&outcome);
        // A query that was answered and is repeated after a restart is a new one.
        let is_of_set = |end: &&End| is_released(&end.outcome) && end.at >= set.published;
        let times: BTreeSet<u128> = ends.filter(is_of_set).map(|end| end.at).collect();
        require(times.len() <= 1, || format!("{set:?} was released at {times:?} ms"))?;
    }
    Ok(())
}

/// The results of a set arrive within the wait before the service and the time-out of a question.
fn answers_are_in_time(log: &Log) -> Result<(), String> {
    for set in &log.sets {
        for (number, _) in &set.members {
            let Some(end) = log.ends.get(number) else { continue };
            let is_late = end.at > set.published + log.longest_answer;
            require(!is_late, || format!("query {number} of {set:?} ended late: {end:?}"))?;
        }
    }
    Ok(())
}

/// A query expires when its dt has passed, not before, unless the gateway stops.
fn no_query_expires_early(log: &Log) -> Result<(), String> {
    for (number, end) in &log.ends {
        let asked = log.asked[number];
        let is_early = end.outcome == "expired" && end.at < asked.at + asked.dt;
        require(!is_early || end.at >= log.stopped, || {
            format!("query {number} expired before its dt: {asked:?} {end:?}")
        })?;
    }
    Ok(())
}

/// Under `history` a user who was published within the horizon is published at a place that can be
/// reached from the last one, whether or not the gateway was restarted in between.
fn nobody_jumps(log: &Log) -> Result<(), String> {
    let Some(horizon) = log.horizon else { return Ok(()) };
    let mut last: BTreeMap<usize, &Place> = BTreeMap::new();
    for place in &log.places {
        if let Some(before) = last.insert(place.user, place) {
            let longest = place.latest - before.earliest;
            let metres = before.point.distance(place.point);
            let is_jump = longest < horizon && metres > SPEED * longest as f64 / 1_000.0;
            require(!is_jump, || format!("{before:?} is followed by {place:?}: {metres} m"))?;
        }
    }
    Ok(())
}
