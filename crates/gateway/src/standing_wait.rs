//! Which queries are held as standing questions (`held_arrivals.rs`).

use crate::gateway::Gateway;
use crate::held_arrivals::StandingQuestion;
use crate::intake::CheckedQuery;
use meshcloak::guarantee::{Guarantee, HistoryClock};
use std::time::Duration;

/// Marks a query as one of a standing question if it must be held: under `history` with the clock
/// `published`. With an interval beyond the horizon no past counts.
pub(crate) fn mark_standing(gateway: &Gateway, query: &mut CheckedQuery, interval: Duration) {
    let engine = &gateway.config().engine;
    let is_held = engine.guarantee == Guarantee::History
        && engine.history_clock == HistoryClock::Published
        && query.question.expose().is_some()
        && interval <= engine.horizon_rule().longest();
    query.standing = is_held.then(|| {
        let now = gateway.clock().now();
        let secret = gateway.user_ids().digest(("standing question", query.user.expose(), now));
        StandingQuestion { interval, secret }
    });
}
