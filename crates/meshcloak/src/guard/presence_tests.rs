//! Injected faults in sets with presence reports.

use super::tests::{faulty, queries, road, run};
use super::*;
use crate::units::Speed;
use std::time::Duration;

/// The queries of [`queries`], with k 3 and two presence reports, the last of which is 6 s old in the
/// batch at 11 s.
fn with_present() -> Vec<Query> {
    let mut queries = queries(&road());
    for query in &mut queries[1..] {
        (query.asks, query.k, query.temporal_tolerance) = (false, 1, Duration::from_secs(30));
    }
    queries[2].asked_at = Time::from_millis(5_000);
    queries
}

fn limited(guarantee: Guarantee, presence: PresenceRule) -> (usize, Vec<Violation>) {
    let mut scheme = faulty(guarantee);
    scheme.promise.presence = presence;
    run(scheme, with_present(), &[])
}

#[test]
fn a_set_without_a_question_is_rejected() {
    let mut waiting = with_present();
    let mut published = Published::default();
    let map = road().map;
    published
        .add_mesh(waiting[..3].iter().map(|query| query.id), |mesh| mesh.extend(map.streets()));
    (0..3).for_each(|index| published.serve(index, 0));
    let promise = faulty(Guarantee::Reciprocal).promise;
    for asks in [true, false] {
        waiting[0].asks = asks;
        let inspected = Inspected {
            waiting: &waiting,
            history: &History::default(),
            accounts: &Accounts::default(),
            now: Time::from_millis(11_000),
        };
        let mut published = published.clone();
        let rejected = Guard::default().inspect(&promise, inspected, &mut published).to_vec();
        let violation = Violation::NoQuestion;
        let expected = if asks { vec![] } else { vec![Rejection { set: 0, violation }] };
        assert_eq!(rejected, expected);
    }
}

#[test]
fn presence_reports_that_do_not_count_meet_no_k() {
    for guarantee in [Guarantee::Reciprocal, Guarantee::History] {
        let all = PresenceRule::default();
        assert_eq!(limited(guarantee, all), (3, vec![]));
        let young = |seconds| PresenceRule { max_age: Some(Duration::from_secs(seconds)), ..all };
        assert_eq!(limited(guarantee, young(6)), (3, vec![]));
        assert_eq!(limited(guarantee, young(5)), (0, vec![Violation::TooSmall]));
        let none = PresenceRule { counts: false, ..all };
        assert_eq!(limited(guarantee, none), (0, vec![Violation::TooSmall]));
    }
}

#[test]
fn a_place_of_a_report_that_does_not_count_hides_no_member_that_asks() {
    // Three members count for the first, which asks with k 2, but it can have reached only its own
    // place and the old report.
    let town = road();
    let mut waiting = with_present();
    waiting[0].k = 2;
    waiting[0].speed = Some(Speed::metres_per_second(10.0));
    waiting[1].position = town.at("C-D", 50.0);
    waiting[2].position = town.at("A-B", 60.0);
    let (id, asked_at) = (QueryId(1), Time::from_millis(5_000));
    let before = Query { id, asked_at, ..waiting[0].clone() };
    for (max_age, expected) in [(6, (3, vec![])), (5, (0, vec![Violation::History]))] {
        let mut scheme = faulty(Guarantee::History);
        scheme.promise.presence.max_age = Some(Duration::from_secs(max_age));
        assert_eq!(
            run(scheme, waiting.clone(), std::slice::from_ref(&before)),
            expected,
            "{max_age} s"
        );
    }
}
