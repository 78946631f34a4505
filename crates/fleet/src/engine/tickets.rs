//! Tickets that an engine has seen, so that a client can come back to another frontend.

use meshcloak::units::Time;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::time::Duration;

/// Query of a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TicketUse {
    /// Keyed hash of the query.
    pub digest: u64,
    /// Frontend that holds it.
    pub frontend: u64,
    /// Number of the query there.
    pub number: u64,
}

/// Tickets by keyed hash: those of waiting queries, and of ended ones for a limited time.
pub struct KnownTickets {
    keep: Duration,
    tickets: FxHashMap<u64, TicketUse>,
    by_number: FxHashMap<(u64, u64), u64>,
    ended: VecDeque<(Time, u64, u64)>,
}

impl KnownTickets {
    /// Creates an empty table; ended tickets are kept for `keep`.
    pub fn new(keep: Duration) -> KnownTickets {
        let (tickets, by_number) = (FxHashMap::default(), FxHashMap::default());
        KnownTickets { keep, tickets, by_number, ended: VecDeque::new() }
    }

    /// Returns the query of a ticket.
    pub fn find(&self, ticket: u64) -> Option<TicketUse> {
        self.tickets.get(&ticket).copied()
    }

    /// Adds the ticket of a query.
    pub fn insert(&mut self, ticket: u64, user: TicketUse) {
        self.tickets.insert(ticket, user);
        self.by_number.insert((user.frontend, user.number), ticket);
    }

    /// Records the end of a query.
    pub fn end(&mut self, frontend: u64, number: u64, now: Time) {
        if self.by_number.contains_key(&(frontend, number)) {
            self.ended.push_back((now, frontend, number));
        }
    }

    /// Removes tickets that ended longer ago than they are kept.
    pub fn purge(&mut self, now: Time) {
        while let Some(&(at, frontend, number)) = self.ended.front() {
            if at + self.keep >= now {
                return;
            }
            self.ended.pop_front();
            self.forget(frontend, number);
        }
    }

    /// Removes the ticket of a query.
    pub fn forget(&mut self, frontend: u64, number: u64) {
        let Some(ticket) = self.by_number.remove(&(frontend, number)) else { return };
        let is_same = |user: &TicketUse| (user.frontend, user.number) == (frontend, number);
        if self.tickets.get(&ticket).is_some_and(is_same) {
            self.tickets.remove(&ticket);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_known_until_some_time_after_its_end() {
        let mut tickets = KnownTickets::new(Duration::from_secs(60));
        let first = TicketUse { digest: 1, frontend: 7, number: 1 };
        tickets.insert(9, first);
        tickets.purge(Time::from_millis(1_000_000));
        assert_eq!(tickets.find(9), Some(first), "it waits");
        tickets.end(7, 1, Time::from_millis(1_000_000));
        tickets.purge(Time::from_millis(1_060_000));
        assert_eq!(tickets.find(9), Some(first));
        let second = TicketUse { digest: 1, frontend: 8, number: 5 };
        tickets.insert(9, second);
        tickets.purge(Time::from_millis(1_060_001));
        assert_eq!(tickets.find(9), Some(second), "another frontend uses it");
        tickets.end(8, 5, Time::from_millis(1_060_001));
        tickets.purge(Time::from_millis(2_000_000));
        assert_eq!(tickets.find(9), None);
        assert!(tickets.by_number.is_empty() && tickets.ended.is_empty());
    }
}
