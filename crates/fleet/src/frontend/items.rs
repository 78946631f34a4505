//! Encoding of the queries of a frontend.

use super::digests;
use crate::message::{CarriedItem, QueryItem, QuestionItem};
use gateway::mailbox::Arrival;
use gateway::user_ids::UserIds;
use meshcloak::units::{Speed, Time};

/// Encodes a query.
pub fn item(ids: &UserIds, arrival: &Arrival, now: Time) -> QueryItem {
    let query = arrival.query.expose();
    let (left, age) = (arrival.pending.deadline - now, now - query.asked_at);
    QueryItem {
        number: arrival.pending.id.0,
        ticket: digests::ticket(ids, &arrival.pending.origin),
        digest: digests::query(ids, arrival),
        user: query.user.0,
        account: digests::account(ids, &arrival.pending.origin),
        place: query.position.into(),
        k: query.k,
        left_ms: u32::try_from(left.as_millis()).unwrap_or(u32::MAX),
        age_ms: u32::try_from(age.as_millis()).unwrap_or(u32::MAX),
        dc: query.distance_constraint.units(),
        speed: query.speed.map(Speed::as_metres_per_second),
        question: arrival.pending.question.expose().as_ref().map(QuestionItem::of),
        carried: Vec::new(),
    }
}

/// Encodes the question of a query that was withdrawn.
pub fn carried_item(ids: &UserIds, arrival: &Arrival, now: Time) -> CarriedItem {
    let QueryItem { number, ticket, digest, k, left_ms, age_ms, question, .. } =
        item(ids, arrival, now);
    CarriedItem { number, ticket, digest, k, left_ms, age_ms, question }
}
