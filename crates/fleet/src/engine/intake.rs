//! Intake of an engine: checks the queries of frontends and turns them into arrivals.
//!
//! A frontend has checked limits, zones and rates. The engine checks again what its own safety
//! rests on: positions on the map, k, dc, the ticket, and under `history` the declared speed.

use super::remote::Remote;
use super::tickets::{KnownTickets, TicketUse};
use crate::message::{EndCode, PendingItem, QueryItem, WaitingItem};
use gateway::mailbox::{Arrival, Pending};
use meshcloak::accounts::AccountId;
use meshcloak::distance::Atlas;
use meshcloak::guarantee::{Admission, AdmissionError};
use meshcloak::history::PastPosition;
use meshcloak::map::Position;
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

impl Intake {
    /// Creates an intake. Tickets are remembered for `keep` after their end.
    pub fn new(atlas: Arc<Atlas>, admission: Option<Admission>, keep: Duration) -> Intake {
        let (tickets, ids) = (KnownTickets::new(keep), FxHashMap::default());
        Intake { atlas, admission, tickets, ids, next_id: 1 }
    }

    /// Checks a query and returns the arrival. `is_alive` tells whether a frontend lives.
    ///
    /// # Errors
    /// How the query ended.
    pub fn accept(
        &mut self,
        item: &QueryItem,
        receipt: Receipt,
        is_alive: impl Fn(u64) -> bool,
    ) -> Result<Arrival<Remote>, EndCode> {
        let Receipt { frontend, at, unknown_seconds } = receipt;
        let position = self.position(item).ok_or(EndCode::Invalid)?;
        let question = item.question.as_ref();
        let question = question.map(|item| Some(item.kind()?.question(item.rung)));
        let question = question.map(|question| question.ok_or(EndCode::Invalid)).transpose()?;
        let user = TicketUse { digest: item.digest, frontend, number: item.number };
        match self.tickets.find(item.ticket) {
            Some(known) if known.digest != item.digest => return Err(EndCode::TicketTaken),
            Some(known) if is_alive(known.frontend) => {
                return Err(EndCode::HeldBy(known.frontend));
            }
            _ => {}
        }
        let dt = Duration::from_millis(u64::from(item.left_ms));
        let id = QueryId(self.next_id);
        let query = Query::builder(item.user(), position)
            .id(id)
            .at(at)
            .k(item.k)
            .dt(dt)
            .dc(Length::from_units(item.dc))
            .speed(item.speed())
            .asks(question.is_some());
        let query = query.build(self.atlas.dc_max()).map_err(|_| EndCode::Invalid)?;
        let previous = match &mut self.admission {
            Some(_) if unknown_seconds > 0 => {
                return Err(EndCode::HistoryUnknown(unknown_seconds));
            }
            Some(admission) => {
                admission.admit(&self.atlas, &query).map_err(|error| match error {
                    AdmissionError::Speed => EndCode::Speed,
                    AdmissionError::FasterThanDeclared => EndCode::FasterThanDeclared,
                })?
            }
            None => None,
        };
        self.tickets.insert(item.ticket, user);
        self.ids.insert((frontend, item.number), id);
        self.next_id = self.next_id.saturating_add(1);
        let origin = Remote { frontend, number: item.number, account: AccountId(item.account) };
        let pending = Pending {
            origin,
            question: question.into(),
            id,
            k: query.k,
            asked_at: at,
            deadline: at + dt,
        };
        Ok(Arrival { query: query.into(), pending, carried: Vec::new(), previous: previous.into() })
    }

    /// Returns a query that another engine has handed over.
    pub fn adopt(&mut self, item: &WaitingItem) -> Option<Arrival<Remote>> {
        let mut pendings: Vec<Pending<Remote>> = Vec::new();
        for pending in &item.pendings {
            let id = QueryId(self.next_id);
            self.next_id = self.next_id.saturating_add(1);
            let PendingItem { frontend, number, account, k, asked_at, deadline, .. } = *pending;
            let kind = pending.question.as_ref();
            let question = kind.and_then(|item| Some(item.kind()?.question(item.rung)));
            self.ids.insert((frontend, number), id);
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

    /// Removes tickets that ended long ago.
    pub fn purge(&mut self, now: Time) {
        self.tickets.purge(now);
    }
}
