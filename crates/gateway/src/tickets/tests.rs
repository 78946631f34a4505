//! Tests of repeated tickets and of the limits of stored results.

use super::*;
use std::time::Duration;
use tokio::sync::oneshot;

fn finished(text: &'static str) -> Finished {
    Finished { outcome: Outcome::Answered, body: text.into() }
}

fn accepted(number: u64, digest: u64) -> AcceptedQuery {
    AcceptedQuery { id: QueryId(number), user: UserId(number % 2).into(), digest }
}

#[test]
fn the_queries_in_progress_of_a_user_are_counted() {
    let mut table = TicketTable::default();
    let tickets: Vec<Arc<str>> = (0..5).map(|number| number.to_string().into()).collect();
    for (number, ticket) in (0..).zip(&tickets) {
        table.insert(Arc::clone(ticket), accepted(number, 0), Route::One(oneshot::channel().0));
    }
    assert_eq!([0, 1, 2].map(|user| table.in_progress(UserId(user))), [3, 2, 0]);
    for ticket in &tickets[1..] {
        table.finish(ticket, &finished("yes"), Time::from_millis(1));
        table.finish(ticket, &finished("yes"), Time::from_millis(2));
    }
    assert_eq!([0, 1].map(|user| table.in_progress(UserId(user))), [1, 0]);
    assert_eq!(table.in_progress.expose().len(), 1, "users without queries are removed");
}

#[test]
fn a_result_goes_to_all_routes_of_its_ticket_and_stays_available() {
    let mut table = TicketTable::default();
    let (first, mut first_result) = oneshot::channel();
    let (second, mut second_result) = oneshot::channel();
    let ticket: Arc<str> = "t".into();
    table.insert(Arc::clone(&ticket), accepted(1, 7), Route::One(first));
    assert_eq!(table.status("t", 7), TicketStatus::Waiting(QueryId(1)));
    assert_eq!(table.status("t", 8), TicketStatus::Conflict);
    table.add_route("t", Route::One(second));
    table.finish(&ticket, &finished("yes"), Time::from_millis(5));
    table.finish(&ticket, &finished("no"), Time::from_millis(6));
    assert_eq!(first_result.try_recv().unwrap(), finished("yes"));
    assert_eq!(second_result.try_recv().unwrap(), finished("yes"));
    assert_eq!(table.status("t", 7), TicketStatus::Done(finished("yes")));
    assert_eq!((table.waiting_count(), table.find("u")), (0, TicketStatus::Unknown));
}

#[test]
fn results_are_removed_by_age_and_by_count() {
    let mut table = TicketTable::default();
    let limits = ResultsConfig { keep: Duration::from_millis(100), max_count: 3, max_bytes: 100 };
    for number in 0..5 {
        let ticket: Arc<str> = number.to_string().into();
        let (route, _) = oneshot::channel();
        table.insert(Arc::clone(&ticket), accepted(number, 0), Route::One(route));
        table.finish(&ticket, &finished("yes"), Time::from_millis(number));
    }
    table.purge(Time::from_millis(50), limits);
    assert_eq!((table.find("1"), table.tickets.expose().len()), (TicketStatus::Unknown, 3));
    table.purge(Time::from_millis(103), limits);
    assert_eq!((table.find("2"), table.tickets.expose().len()), (TicketStatus::Unknown, 2));
    table.purge(Time::from_millis(105), limits);
    assert!(
        table.tickets.expose().is_empty() && table.done.expose().is_empty() && table.bytes == 0
    );
}

#[test]
fn the_number_of_kept_results_is_bounded_under_load() {
    let mut table = TicketTable::default();
    let limits =
        ResultsConfig { keep: Duration::from_secs(60), max_count: 500, max_bytes: 1 << 20 };
    for round in 0..40 {
        for number in 0..300 {
            let ticket: Arc<str> = format!("{round}-{number}").into();
            let route = Route::One(oneshot::channel().0);
            table.insert(Arc::clone(&ticket), accepted(number, 0), route);
            table.finish(&ticket, &finished("yes"), Time::from_millis(round));
        }
        while table.purge(Time::from_millis(round), limits) == Purge::Unfinished {}
        assert!(table.tickets.expose().len() <= 500 && table.done.expose().len() <= 500);
        assert_eq!(table.bytes, 3 * table.tickets.expose().len());
    }
    assert_eq!(table.find("39-299"), TicketStatus::Done(finished("yes")));
    assert!(table.tickets.expose().capacity() < 4_000, "the capacity is bounded as well");
}

#[test]
fn the_size_of_kept_results_is_bounded() {
    let mut table = TicketTable::default();
    let limits = ResultsConfig { keep: Duration::from_secs(60), max_count: 1000, max_bytes: 5000 };
    let large = Finished { outcome: Outcome::Answered, body: vec![b'x'; 2000].into() };
    for number in 0..10 {
        let ticket: Arc<str> = number.to_string().into();
        table.insert(Arc::clone(&ticket), accepted(number, 0), Route::One(oneshot::channel().0));
        table.finish(&ticket, &large, Time::from_millis(number));
    }
    table.purge(Time::from_millis(10), limits);
    assert_eq!((table.bytes, table.tickets.expose().len()), (4000, 2));
    assert_eq!(table.find("9"), TicketStatus::Done(large));
}
