//! Intake of an engine: checks the queries of frontends and turns them into arrivals.
//!
//! A frontend has checked limits, zones and rates. The engine checks again what its own safety
//! rests on: positions on the map, k, dc, the ticket, and under `history` the declared speed.

use super::remote::Remote;
use super::tickets::{KnownTickets, TicketUse};
use crate::message::{CarriedItem, EndCode, PendingItem, QueryItem, QuestionItem, WaitingItem};
use gateway::mailbox::{Arrival, Pending};
use meshcloak::accounts::AccountId;
use meshcloak::distance::Atlas;
use meshcloak::guarantee::{Admission, AdmissionError, Admitted, HistoryClock, check_travel};
use meshcloak::history::PastPosition;
use meshcloak::map::{Position, StreetId};
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::units::{Length, Speed, Time};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::time::Duration;

/// Checks and numbers the queries of one shard.
pub struct Intake {
    atlas: Arc<Atlas>,
    /// Under `history`.
    pub admission: Option<Admission>,
    tickets: KnownTickets,
    /// Waiting queries by frontend and number.
    ids: FxHashMap<(u64, u64), QueryId>,
    next_id: u64,
}

/// Circumstances of a query.
#[derive(Clone, Copy)]
pub struct Receipt {
    /// The frontend.
    pub frontend: u64,
    /// Time of arrival, in city time.
    pub at: Time,
    /// Seconds for which `history` is refused; 0 if it is not.
    pub unknown_seconds: u32,
}

/// Reason why a query is not accepted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum NotAccepted {
    /// The query has ended.
    Ended(EndCode),
    /// Under `history`, at a junction: of the streets there only one of another shard can be reached.
    Elsewhere(Position),
}

impl From<EndCode> for NotAccepted {
    fn from(code: EndCode) -> NotAccepted {
        NotAccepted::Ended(code)
    }
}

/// What an intake needs to know of other processes and shards.
pub struct Surroundings<A, S> {
    /// Whether a frontend lives.
    pub is_alive: A,
    /// Whether a street belongs to this shard.
    pub is_own: S,
}

impl Intake {
    /// Creates an intake. Tickets are remembered for `keep` after their end.
    pub fn new(atlas: Arc<Atlas>, admission: Option<Admission>, keep: Duration) -> Intake {
        let (tickets, ids) = (KnownTickets::new(keep), FxHashMap::default());
        Intake { atlas, admission, tickets, ids, next_id: 1 }
    }

    /// Checks a query and returns the arrival.
    ///
    /// # Errors
    /// How the query ended, or the position at which another shard can accept it.
    pub fn accept(
        &mut self,
        item: &QueryItem,
        receipt: Receipt,
        surroundings: &Surroundings<impl Fn(u64) -> bool, impl Fn(StreetId) -> bool>,
    ) -> Result<Arrival<Remote>, NotAccepted> {
        let Receipt { frontend, at, unknown_seconds } = receipt;
        let position = self.position(item).ok_or(EndCode::Invalid)?;
        let question = item.question.as_ref();
        let question = question.map(|item| item.question().ok_or(EndCode::Invalid)).transpose()?;
        let user = TicketUse { digest: item.digest, frontend, number: item.number };
        match self.tickets.find(item.ticket) {
            Some(known) if known.digest != item.digest => return Err(EndCode::TicketTaken.into()),
            Some(known) if (surroundings.is_alive)(known.frontend) => {
                return Err(EndCode::HeldBy(known.frontend).into());
            }
            _ => {}
        }
        let carried: Vec<Pending<Remote>> =
            item.carried.iter().map(|carried| self.carried(item, carried, receipt)).collect();
        let left = item.carried.iter().map(|carried| carried.left_ms).chain([item.left_ms]);
        let asked_at = self.asked_at(item, at);
        let dt = |left_ms: u32| at + Duration::from_millis(u64::from(left_ms)) - asked_at;
        let id = self.number(frontend, item.number);
        let query = Query::builder(item.user(), position)
            .id(id)
            .at(asked_at)
            .k(item.carried.iter().map(|carried| carried.k).fold(item.k, u32::max))
            .dt(dt(left.min().unwrap_or(0)))
            .dc(Length::from_units(item.dc))
            .speed(item.speed())
            .asks(question.is_some() || carried.iter().any(Pending::asks));
        let query = query.build(self.atlas.dc_max());
        let query = query.map_err(|_| NotAccepted::Ended(EndCode::Invalid));
        let admitted = query.and_then(|mut query| {
            Ok((self.admit(&mut query, unknown_seconds, &surroundings.is_own)?, query))
        });
        let (previous, query) = admitted.inspect_err(|_| {
            item.carried.iter().for_each(|carried| self.forget(frontend, carried.number));
            self.forget(frontend, item.number);
        })?;
        for carried in &item.carried {
            let &CarriedItem { number, ticket, digest, .. } = carried;
            self.tickets.insert(ticket, TicketUse { digest, frontend, number });
        }
        self.tickets.insert(item.ticket, user);
        let origin = Remote { frontend, number: item.number, account: AccountId(item.account) };
        let (k, deadline) = (item.k, asked_at + dt(item.left_ms));
        let (question, asked_at) = (question.into(), before(at, item.age_ms));
        let pending = Pending { origin, question, id, k, asked_at, deadline };
        Ok(Arrival { query: query.into(), pending, carried, previous: previous.into() })
    }

    /// Returns the question of an earlier query of the same user.
    fn carried(
        &mut self,
        item: &QueryItem,
        carried: &CarriedItem,
        receipt: Receipt,
    ) -> Pending<Remote> {
        let Receipt { frontend, at, .. } = receipt;
        Pending {
            origin: Remote { frontend, number: carried.number, account: AccountId(item.account) },
            question: carried.question.as_ref().and_then(QuestionItem::question).into(),
            id: self.number(frontend, carried.number),
            k: carried.k,
            asked_at: before(at, carried.age_ms),
            deadline: at + Duration::from_millis(u64::from(carried.left_ms)),
        }
    }

    /// Under `history`, checks a query and returns the previous position of its user.
    fn admit(
        &mut self,
        query: &mut Query,
        unknown_seconds: u32,
        is_own: impl Fn(StreetId) -> bool,
    ) -> Result<Option<PastPosition>, NotAccepted> {
        let Some(admission) = &mut self.admission else { return Ok(None) };
        if unknown_seconds > 0 {
            return Err(EndCode::HistoryUnknown(unknown_seconds).into());
        }
        let previous = admission.previous(query.user, query.asked_at);
        let admitted = check_travel(&self.atlas, query, previous).map_err(|error| match error {
            AdmissionError::Speed => EndCode::Speed,
            AdmissionError::FasterThanDeclared => EndCode::FasterThanDeclared,
        });
        let Admitted { position, previous } = admitted?;
        if position != query.position && !is_own(position.street) {
            return Err(NotAccepted::Elsewhere(position));
        }
        query.position = position;
        admission.record(query);
        Ok(previous)
    }

    /// Numbers a query of a frontend.
    fn number(&mut self, frontend: u64, number: u64) -> QueryId {
        let id = QueryId(self.next_id);
        self.next_id = self.next_id.saturating_add(1);
        self.ids.insert((frontend, number), id);
        id
    }

    /// Returns the time of a query that arrives at a time, for the engine. With the clock `published` of
    /// `history` frontends hold standing questions, and positions count as of when they were reported.
    /// With the clock `asked` queries are admitted in order of arrival.
    fn asked_at(&self, item: &QueryItem, arrival: Time) -> Time {
        let clock = self.admission.as_ref().map(Admission::clock);
        match clock {
            Some(HistoryClock::Published) => before(arrival, item.age_ms),
            Some(HistoryClock::Asked) | None => arrival,
        }
    }

    /// Returns a query that another engine has handed over.
    pub fn adopt(&mut self, item: &WaitingItem) -> Option<Arrival<Remote>> {
        let mut pendings: Vec<Pending<Remote>> = Vec::new();
        for pending in &item.pendings {
            let PendingItem { frontend, number, account, k, asked_at, deadline, .. } = *pending;
            let id = self.number(frontend, number);
            let question = pending.question.as_ref().and_then(QuestionItem::question);
            pendings.push(Pending {
                origin: Remote { frontend, number, account: AccountId(account) },
                question: question.into(),
                id,
                k,
                asked_at: Time::from_millis(asked_at),
                deadline: Time::from_millis(deadline),
            });
        }
        let own = pendings.pop()?;
        let previous = item.previous.map(|(at, place, travelled)| PastPosition {
            at: Time::from_millis(at),
            position: place.into(),
            travelled: travelled.map(Length::from_units),
        });
        let speed = item.speed.filter(|speed| speed.is_finite());
        let asks = own.asks() || pendings.iter().any(Pending::asks);
        let query = Query::builder(UserId(item.user), item.place.into())
            .id(own.id)
            .at(Time::from_millis(item.asked_at))
            .k(item.k)
            .dt(Duration::from_millis(u64::from(item.dt_ms)))
            .dc(Length::from_units(item.dc))
            .speed(speed.map(Speed::metres_per_second))
            .asks(asks);
        let query = query.build(self.atlas.dc_max()).ok()?;
        if let Some(admission) = &mut self.admission {
            // The earlier owner may have accepted it since its last record.
            admission.insert_query(&query);
        }
        Some(Arrival {
            query: query.into(),
            pending: own,
            carried: pendings,
            previous: previous.into(),
        })
    }

    /// Returns the position of a query if it lies on the map.
    fn position(&self, item: &QueryItem) -> Option<Position> {
        let position = Position::from(item.place);
        let map = self.atlas.map();
        let is_known = position.street.index() < map.street_count();
        (is_known && position.offset <= map.street(position.street).length).then_some(position)
    }

    /// Returns the number of a waiting query.
    pub fn find(&self, frontend: u64, number: u64) -> Option<QueryId> {
        self.ids.get(&(frontend, number)).copied()
    }

    /// Forgets a query that has ended at `now`; its ticket stays known for a while.
    pub fn end(&mut self, origin: &Remote, now: Time) {
        self.ids.remove(&(origin.frontend, origin.number));
        self.tickets.end(origin.frontend, origin.number, now);
    }

    /// Forgets a query that another shard has now, and its ticket.
    pub fn forget(&mut self, frontend: u64, number: u64) {
        self.ids.remove(&(frontend, number));
        self.tickets.forget(frontend, number);
    }

    /// Removes tickets that ended long ago.
    pub fn purge(&mut self, now: Time) {
        self.tickets.purge(now);
    }
}

/// Returns the time some milliseconds before another: when the user asked, for the receipt. A query may
/// have waited in its frontend until another engine had withdrawn an earlier one.
fn before(at: Time, millis: u32) -> Time {
    Time::from_millis(at.as_millis().saturating_sub(u64::from(millis)))
}

#[cfg(test)]
mod tests;
