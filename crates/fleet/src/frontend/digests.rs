//! Keyed hashes that are equal on all frontends.

use gateway::mailbox::{Arrival, Client};
use gateway::user_ids::UserIds;
use meshcloak::query::Query;
use std::fmt::Write as _;

/// Separates the hashes from those of users: no account name begins with it.
const TICKET: &str = "\u{1}ticket ";
const QUERY: &str = "\u{1}query";
const ACCOUNT: &str = "\u{1}account";

/// Returns the hash of an account's ticket.
pub fn ticket(ids: &UserIds, client: &Client) -> u64 {
    let account = format!("{TICKET}{}", client.account.name());
    ids.named(&account, client.ticket.expose()).0
}

/// Returns the hash of a query: the same ticket with another hash is another query.
pub fn query(ids: &UserIds, arrival: &Arrival) -> u64 {
    let Query { user, position, k, temporal_tolerance, distance_constraint, speed, .. } =
        arrival.query.expose();
    let mut text = String::with_capacity(96);
    let (street, offset) = (position.street.0, position.offset.units());
    let (dt, dc) = (temporal_tolerance.as_millis(), distance_constraint.units());
    let question = arrival.pending.question.expose();
    let _ = write!(text, "{:x} {street} {offset} {k} {dt} {dc} {speed:?} {question:?}", user.0);
    ids.named(QUERY, &text).0
}

/// Returns the number of an account.
pub fn account(ids: &UserIds, client: &Client) -> u32 {
    ids.named(ACCOUNT, client.account.name()).0 as u32
}
