use super::*;
use crate::costs::CostModel;
use meshcloak::map::Position;
use meshcloak::region::Region;
use meshcloak::scheme::{Description, Observer, Published, RegionDependence, Stage};
use meshcloak::town::{Town, town};
use meshcloak::units::{Point, Rectangle};

/// Publishes waiting queries in pairs, in order of arrival, with a rectangle of 10 m by 20 m at the
/// beginning of the only street.
struct PairScheme {
    pace: Pace,
    published: Published,
}

fn pairs(pace: Pace) -> PairScheme {
    PairScheme { pace, published: Published::default() }
}

impl Scheme for PairScheme {
    fn name(&self) -> &'static str {
        "pairs"
    }

    fn describe(&self) -> Description {
        Description::unlisted(self.pace, RegionDependence::Fixed)
    }

    fn cloak(&mut self, state: &State, _: Time, observer: &mut dyn Observer) -> &mut Published {
        observer.stage(Stage::Cliques);
        self.published.clear();
        self.published.stats.nodes = state.waiting.len();
        let corner = Point::new(10.0, 10.0);
        let rectangle = Rectangle { min: Point::new(0.0, -10.0), max: corner };
        for (number, pair) in state.waiting.chunks_exact(2).enumerate() {
            let members = pair.iter().map(|query| query.id);
            let set = self.published.add(members, &Region::Rectangle(rectangle));
            self.published.serve(number as u32 * 2, set);
            self.published.serve(number as u32 * 2 + 1, set);
        }
        &mut self.published
    }
}

fn street() -> Town {
    town("A 0,0  B 100,0 | A-B")
}

/// One query per user at these milliseconds.
fn workload(town: &Town, asked_at: &[u64]) -> Workload {
    let street = town.map.streets().next().expect("a street");
    let query = |(user, &asked_at): (usize, &u64)| traffic::SimulatedQuery {
        user: user as u32,
        number: 0,
        asked_at,
        position: Position { street, offset: Length::ZERO },
        k: 2,
        temporal_tolerance: 0,
        distance_constraint: Length::metres(100.0),
        speed: 10_000,
        query_interval: 10_000,
    };
    let queries = asked_at.iter().enumerate().map(query).collect();
    Workload { queries, users: asked_at.len(), ..Workload::default() }
}

fn run_pairs(pace: Pace, asked_at: &[u64], tolerance: u64, costs: &mut Costs) -> RunResult {
    let town = street();
    let conditions = Conditions::new(Duration::from_millis(tolerance), Length::metres(2000.0));
    run(&mut pairs(pace), &town.map, &workload(&town, asked_at), conditions, costs)
}

fn model(per_turn_ms: u64) -> Costs {
    Costs::Modelled(CostModel { per_turn: per_turn_ms * NANOS_PER_MILLI, per_waiting: 0 })
}

/// Succeeded, expired, and the sum of delays in milliseconds.
fn ends(ran: &RunResult) -> (u64, u64, u64) {
    let tally = &ran.tally;
    assert_eq!(
        tally.accepted,
        tally.succeeded + tally.expired + tally.replaced,
        "every query ends once"
    );
    let delays = tally.delay.value().unwrap_or(0.0) * tally.succeeded as f64 * 1000.0;
    (tally.succeeded, tally.expired, delays.round() as u64)
}

#[test]
fn batches_are_at_whole_seconds_until_no_query_waits() {
    // 0.5 and 0.6 are published at 1 (delays 0.5 and 0.4); 5.0 waits alone and expires at 8, the
    // first batch after 5 + 2.
    let ran = run_pairs(Pace::Batch, &[500, 600, 5_000], 2_000, &mut Costs::Free);
    assert_eq!(ends(&ran), (2, 1, 900));
    let row = |second: &Second| {
        (second.time, second.new, second.succeeded, second.expired, second.waiting)
    };
    let rows: Vec<_> = ran.seconds.iter().map(row).collect();
    assert_eq!(rows[0], (1, 2, 2, 0, 0));
    assert_eq!(rows[4..], [(5, 1, 0, 0, 1), (6, 0, 0, 0, 1), (7, 0, 0, 0, 1), (8, 0, 0, 1, 0)]);
    assert_eq!(ran.tally.turns, 5);
    // 2 of 2 in second 1, 0 of 1 in 5, 6 and 7: a quarter.
    assert_eq!(ran.tally.printed_success_rate.value(), Some(0.25));
    // Ten of the street's hundred metres lie in the rectangle of 10 m by 20 m.
    assert_eq!(ran.tally.region_metres.value(), Some(10.0));
    assert_eq!(ran.tally.region_metres_per_member.value(), Some(5.0));
    assert_eq!(ran.tally.region_area.value(), Some(200.0));
}

#[test]
fn sequential_queries_do_not_wait_for_a_batch_and_expire_without_arrivals() {
    // The second meets the first at 0.6 (delays 0.1 and 0); 5.0 expires at the whole second 8.
    let first = run_pairs(Pace::Sequential, &[500, 600, 5_000], 2_000, &mut Costs::Free);
    assert_eq!(ends(&first), (2, 1, 100));
    assert_eq!((first.tally.turns, first.seconds.last().map(|s| s.time)), (4, Some(8)));
    // The query of 0 has expired at 9 and is not paired with the query of 9.
    let second = run_pairs(Pace::Sequential, &[0, 9_000, 9_001], 2_000, &mut Costs::Free);
    assert_eq!(ends(&second), (2, 1, 1));
    assert_eq!(second.seconds[3].expired, 1);
}

#[test]
fn a_scheme_of_ten_milliseconds_per_query_falls_behind() {
    // A thousand queries at 0 with a tolerance of 3 s. Turn n begins at 10 n ms and ends 10 ms
    // later; every second turn publishes a pair: turns that end by 3,000 ms serve 2 × 150. The
    // query of the turn at 3,000 has not expired; from the turn at 3,010 on all have.
    let ran = run_pairs(Pace::Sequential, &[0; 1000], 3_000, &mut model(10));
    let (succeeded, expired, _) = ends(&ran);
    assert_eq!((succeeded, expired), (300, 700));
    // 301 turns with work, and one that counts the other queries as expired.
    assert_eq!(ran.tally.turns, 302);
    assert!(ran.tally.delay.value() <= Some(3.0));
}

#[test]
fn a_batch_longer_than_a_second_delays_the_next() {
    // The batch of second 1 ends at 3.5: delays of 2.5 s. The next begins at 4, not at 2, and ends
    // at 6.5: delays of 4.5 s for the queries of second 2.
    let asked_at = [1_000, 1_000, 2_000, 2_000];
    let tolerant = run_pairs(Pace::Batch, &asked_at, 5_000, &mut model(2_500));
    assert_eq!(ends(&tolerant), (4, 0, 2 * 2_500 + 2 * 4_500));
    assert_eq!(tolerant.tally.turns, 2);
    assert_eq!(tolerant.seconds.last().map(|s| (s.time, s.succeeded)), Some((7, 2)));
    // With a tolerance of 4.4 s the queries still wait at 4 and are published too late.
    let hasty = run_pairs(Pace::Batch, &asked_at, 4_400, &mut model(2_500));
    assert_eq!(ends(&hasty), (2, 2, 2 * 2_500));
    assert_eq!(hasty.seconds.last().map(|s| (s.time, s.expired)), Some((7, 2)));
}

#[test]
fn replayed_costs_reproduce_the_measured_run() {
    for pace in [Pace::Batch, Pace::Sequential] {
        let asked_at: Vec<u64> = (0..400).map(|n| n * 7).collect();
        let mut measured = Costs::Measured(Vec::new());
        let first = run_pairs(pace, &asked_at, 1, &mut measured);
        let Costs::Measured(record) = measured else { unreachable!("the variant does not change") };
        let mut recorded = Costs::Recorded(record.clone(), 0);
        let second = run_pairs(pace, &asked_at, 1, &mut recorded);
        assert!(recorded.is_complete());
        assert_eq!(first.seconds, second.seconds);
        assert_eq!(ends(&first), ends(&second));
        let mut others = Costs::Recorded(record, 1);
        run_pairs(pace, &asked_at, 1, &mut others);
        assert!(!others.is_complete());
    }
}

#[test]
fn a_distance_constraint_above_the_limit_is_refused() {
    let town = street();
    let conditions = Conditions::new(Duration::from_secs(1), Length::metres(99.0));
    let workload = workload(&town, &[0, 0]);
    for pace in [Pace::Batch, Pace::Sequential] {
        let ran = run(&mut pairs(pace), &town.map, &workload, conditions, &mut Costs::Free);
        assert_eq!((ran.tally.refused(), ran.tally.accepted), (2, 0));
    }
}

#[test]
fn silent_users_are_not_counted_and_sets_without_an_asker_keep_waiting() {
    let town = street();
    let asked_at: Vec<u64> = (0..60).map(|user| 1000 + user / 3 * 1000).collect();
    let workload = workload(&town, &asked_at);
    let tally = |presence| {
        let conditions = Conditions {
            presence,
            ..Conditions::new(Duration::from_secs(3), Length::metres(2000.0))
        };
        run(&mut pairs(Pace::Batch), &town.map, &workload, conditions, &mut Costs::Free).tally
    };
    let asking = |presence: Presence| {
        let user = |number: usize| workload.query(number, Duration::ZERO).user;
        (0..60).filter(|&number| presence.asks(user(number))).count() as u64
    };
    for share in [0, 30, 60, 90] {
        let (present, absent) = (Presence::Present(share), Presence::Absent(share));
        assert_eq!(asking(present), asking(absent));
        for presence in [present, absent] {
            let tally = tally(presence);
            assert_eq!(tally.accepted, asking(presence));
            assert_eq!(
                tally.succeeded + tally.expired + tally.replaced,
                tally.accepted,
                "{presence:?}"
            );
        }
    }
    let counts = |tally: Tally| (tally.accepted, tally.succeeded, tally.expired);
    assert_eq!(counts(tally(Presence::Present(0))), counts(tally(Presence::AllAsk)));
    // With 90 % present users every asking user finds a partner at once.
    let few = tally(Presence::Present(90));
    assert_eq!((few.expired, few.succeeded), (0, asking(Presence::Present(90))));
    assert!(tally(Presence::Absent(90)).expired > 0);
}

#[test]
fn with_a_lag_of_a_tick_queries_join_the_batch_after_the_next() {
    let town = street();
    let run_with = |lag| {
        let conditions = Conditions {
            lag,
            ..Conditions::new(Duration::from_millis(1_500), Length::metres(2000.0))
        };
        let asked_at = workload(&town, &[100, 200, 1_000, 1_700]);
        run(&mut pairs(Pace::Batch), &town.map, &asked_at, conditions, &mut Costs::Free).tally
    };
    let at = run_with(Duration::ZERO);
    // {100, 200} leave at 1 s; 1000 belongs to the same batch and meets 1700 at 2 s.
    assert_eq!((at.succeeded, at.expired), (4, 0));
    assert_eq!(at.delay.value(), Some((0.9 + 0.8 + 1.0 + 0.3) / 4.0));
    let after = run_with(TICK);
    // At 2 s the queries of 100 and 200 have expired; 1000 joins that batch, and has expired at 3 s.
    assert_eq!((after.succeeded, after.expired), (0, 4));
}
