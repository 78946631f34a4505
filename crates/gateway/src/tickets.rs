//! The tickets of an account: who waits for the result of which query, and the results of those
//! that have ended, for a while. A ticket that is repeated gets the same result.

use crate::config::ResultsConfig;
use crate::outbox::Outbox;
use crate::outcome::Finished;
use meshcloak::query::QueryId;
use meshcloak::units::Time;
use parking_lot::{Mutex, MutexGuard};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use tokio::sync::oneshot;

/// Where a result goes.
#[derive(Debug)]
pub enum Route {
    /// To the request that waits for it.
    One(oneshot::Sender<Finished>),
    /// To a stream, as a line.
    Stream(Arc<Outbox>),
    /// To whoever else wants to hear it.
    To(Box<dyn Hear>),
}

/// Whoever wants to hear how a query ended. Hears it under the lock of the tickets, so must not
/// ask for them.
pub trait Hear: Send + std::fmt::Debug {
    /// It ended so.
    fn hear(self: Box<Self>, finished: &Finished);
}

impl Route {
    /// Hands the result over; nobody may be there any more.
    pub fn deliver(self, finished: &Finished) {
        match self {
            Route::One(sender) => drop(sender.send(finished.clone())),
            Route::Stream(outbox) => outbox.finish(&finished.body),
            Route::To(ear) => ear.hear(finished),
        }
    }
}

/// What is known of a ticket.
#[derive(Debug, PartialEq)]
pub enum Known {
    /// Nothing.
    No,
    /// Its query waits.
    Waiting(QueryId),
    /// Its query has ended.
    Done(Finished),
    /// It belongs to another query.
    Taken,
}

#[derive(Debug)]
struct Ticket {
    /// Of what was asked.
    digest: u64,
    state: State,
}

#[derive(Debug)]
enum State {
    Waiting(QueryId, Vec<Route>),
    Done(Finished),
}

/// The tickets of an account, behind one lock that is never held across a wait.
#[derive(Debug, Default)]
pub struct Tickets {
    table: Mutex<Table>,
}

/// The tickets themselves.
#[derive(Debug, Default)]
pub struct Table {
    /// Clients choose their tickets: a hash that they could guess would let them choose such as
    /// fall on one another, and everyone would wait for the search.
    tickets: HashMap<Arc<str>, Ticket>,
    /// Those that have ended, in order of time.
    done: VecDeque<(Time, Arc<str>)>,
    waiting: usize,
    /// Bytes of the results that are kept.
    bytes: usize,
}

/// So many results are forgotten under one lock.
const AT_ONCE: usize = 256;

/// Whether there may be more to forget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forgetting {
    /// There may.
    GoesOn,
    /// All is forgotten that was to be.
    IsOver,
}

impl Tickets {
    /// All tickets, for as long as the lock is held.
    pub fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock()
    }
}

impl Table {
    /// What is known of a ticket; `digest` is that of what is asked.
    pub fn look(&self, ticket: &str, digest: u64) -> Known {
        match self.tickets.get(ticket) {
            None => Known::No,
            Some(known) if known.digest != digest => Known::Taken,
            Some(Ticket { state: State::Waiting(id, _), .. }) => Known::Waiting(*id),
            Some(Ticket { state: State::Done(finished), .. }) => Known::Done(finished.clone()),
        }
    }

    /// The same for whoever knows nothing but the ticket.
    pub fn find(&self, ticket: &str) -> Known {
        let digest = self.tickets.get(ticket).map_or(0, |known| known.digest);
        self.look(ticket, digest)
    }

    /// A query that was accepted.
    pub fn begin(&mut self, ticket: Arc<str>, digest: u64, id: QueryId, route: Route) {
        let state = State::Waiting(id, vec![route]);
        self.waiting += 1;
        self.tickets.insert(ticket, Ticket { digest, state });
    }

    /// Somebody else wants to know how a waiting query ends.
    pub fn join(&mut self, ticket: &str, route: Route) {
        if let Some(Ticket { state: State::Waiting(_, routes), .. }) = self.tickets.get_mut(ticket)
        {
            routes.push(route);
        }
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// A query has ended; tells everyone who waits for it.
    pub fn finish(&mut self, ticket: &Arc<str>, finished: &Finished, now: Time) {
        let Some(known) = self.tickets.get_mut(ticket) else { return };
        if let State::Waiting(_, routes) = &mut known.state {
            let routes = std::mem::take(routes);
            known.state = State::Done(finished.clone());
            self.waiting -= 1;
            self.bytes += finished.body.len();
            self.done.push_back((now, Arc::clone(ticket)));
            routes.into_iter().for_each(|route| route.deliver(finished));
        }
    }

    /// Forgets results that are too old or too many, some of them at once.
    pub fn forget(&mut self, now: Time, kept: ResultsConfig) -> Forgetting {
        for _ in 0..AT_ONCE {
            let few = self.done.len() <= kept.most && self.bytes <= kept.bytes;
            if self.done.front().is_none_or(|(at, _)| *at + kept.keep >= now && few) {
                return Forgetting::IsOver;
            }
            if let Some((_, ticket)) = self.done.pop_front()
                && let Entry::Occupied(entry) = self.tickets.entry(ticket)
                && let State::Done(finished) = &entry.get().state
            {
                self.bytes -= finished.body.len();
                entry.remove();
            }
        }
        Forgetting::GoesOn
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Outcome;
    use std::time::Duration;

    fn finished(text: &'static str) -> Finished {
        Finished { outcome: Outcome::Answered, body: text.into() }
    }

    #[test]
    fn everyone_who_waits_for_a_ticket_is_told_and_later_ones_too() {
        let mut table = Table::default();
        let (first, mut told) = oneshot::channel();
        let (second, mut told_too) = oneshot::channel();
        let ticket: Arc<str> = "t".into();
        table.begin(Arc::clone(&ticket), 7, QueryId(1), Route::One(first));
        assert_eq!(table.look("t", 7), Known::Waiting(QueryId(1)));
        assert_eq!(table.look("t", 8), Known::Taken);
        table.join("t", Route::One(second));
        table.finish(&ticket, &finished("yes"), Time::from_millis(5));
        table.finish(&ticket, &finished("no"), Time::from_millis(6));
        assert_eq!(told.try_recv().unwrap(), finished("yes"));
        assert_eq!(told_too.try_recv().unwrap(), finished("yes"));
        assert_eq!(table.look("t", 7), Known::Done(finished("yes")));
        assert_eq!((table.waiting(), table.find("u")), (0, Known::No));
    }

    #[test]
    fn results_are_kept_for_a_while_and_not_without_end() {
        let mut table = Table::default();
        let kept = ResultsConfig { keep: Duration::from_millis(100), most: 3, bytes: 100 };
        for number in 0..5 {
            let ticket: Arc<str> = number.to_string().into();
            let (route, _) = oneshot::channel();
            table.begin(Arc::clone(&ticket), 0, QueryId(number), Route::One(route));
            table.finish(&ticket, &finished("yes"), Time::from_millis(number));
        }
        table.forget(Time::from_millis(50), kept);
        assert_eq!((table.find("1"), table.tickets.len()), (Known::No, 3));
        table.forget(Time::from_millis(103), kept);
        assert_eq!((table.find("2"), table.tickets.len()), (Known::No, 2));
        table.forget(Time::from_millis(105), kept);
        assert!(table.tickets.is_empty() && table.done.is_empty() && table.bytes == 0);
    }

    #[test]
    fn however_many_come_no_more_results_are_kept_than_may_be() {
        let mut table = Table::default();
        let kept = ResultsConfig { keep: Duration::from_secs(60), most: 500, bytes: 1 << 20 };
        for round in 0..40 {
            for number in 0..300 {
                let ticket: Arc<str> = format!("{round}-{number}").into();
                table.begin(
                    Arc::clone(&ticket),
                    0,
                    QueryId(number),
                    Route::One(oneshot::channel().0),
                );
                table.finish(&ticket, &finished("yes"), Time::from_millis(round));
            }
            while table.forget(Time::from_millis(round), kept) == Forgetting::GoesOn {}
            assert!(table.tickets.len() <= 500 && table.done.len() <= 500);
            assert_eq!(table.bytes, 3 * table.tickets.len());
        }
        assert_eq!(table.find("39-299"), Known::Done(finished("yes")));
        assert!(table.tickets.capacity() < 4_000, "the room for them is bounded too");
    }

    #[test]
    fn large_results_are_not_kept_without_end() {
        let mut table = Table::default();
        let kept = ResultsConfig { keep: Duration::from_secs(60), most: 1000, bytes: 5000 };
        let large = Finished { outcome: Outcome::Answered, body: vec![b'x'; 2000].into() };
        for number in 0..10 {
            let ticket: Arc<str> = number.to_string().into();
            table.begin(Arc::clone(&ticket), 0, QueryId(number), Route::One(oneshot::channel().0));
            table.finish(&ticket, &large, Time::from_millis(number));
        }
        table.forget(Time::from_millis(10), kept);
        assert_eq!((table.bytes, table.tickets.len()), (4000, 2));
        assert_eq!(table.find("9"), Known::Done(large));
    }
}
