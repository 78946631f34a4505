//! Queries at junctions of a divided city under `history`.

use super::*;
use crate::message::Place;
use meshcloak::town::Town;
use rand::RngExt as _;

const HORIZON: Duration = Duration::from_secs(60);
const SHARDS: u16 = 3;

fn intake(atlas: &Arc<Atlas>) -> Intake {
    let admission = Admission::new(HistoryClock::Asked, HORIZON);
    Intake::new(Arc::clone(atlas), Some(admission), HORIZON)
}

fn item(number: u64, place: Place) -> QueryItem {
    QueryItem {
        number,
        ticket: number,
        digest: number,
        user: number % 4,
        account: 1,
        place,
        k: 2,
        left_ms: 1_000,
        age_ms: 0,
        dc: Length::metres(50.0).units(),
        speed: Some(20.0),
        question: None,
        carried: Vec::new(),
    }
}

/// Accepts a query in the shard of its street, or in the one that it is sent to from there. Returns
/// also whether it was sent on, which happens once at most.
fn accept_divided(
    intakes: &mut [Intake],
    shard_of: impl Fn(StreetId) -> u16,
    item: &QueryItem,
    receipt: Receipt,
) -> (Result<Arrival<Remote>, NotAccepted>, bool) {
    let mut item = item.clone();
    for is_sent_on in [false, true] {
        let shard = shard_of(Position::from(item.place).street);
        let is_own = |street| shard_of(street) == shard;
        let surroundings = Surroundings { is_alive: |_| true, is_own };
        match intakes[usize::from(shard)].accept(&item, receipt, &surroundings) {
            Err(NotAccepted::Elsewhere(position)) => {
                assert_ne!(shard_of(position.street), shard);
                item.place = position.into();
            }
            result => {
                if let Ok(arrival) = &result {
                    let street = arrival.query.expose().position.street;
                    assert_eq!(shard_of(street), shard, "it waits in the engine of its cell");
                }
                return (result, is_sent_on);
            }
        }
    }
    panic!("query {} finds no shard", item.number);
}

#[test]
fn a_query_at_a_junction_is_accepted_at_the_position_that_one_intake_takes() {
    let (mut accepted, mut refused, mut sent_on) = (0, 0, 0);
    for seed in 0..900 {
        let town = Town::random(seed);
        let mut random = Town::generator(seed);
        let map = &town.map;
        let atlas = Arc::new(Atlas::new(map.clone(), Length::metres(1_000.0)));
        let shards: Vec<u16> = map.streets().map(|_| random.random_range(0..SHARDS)).collect();
        let shard_of = |street: StreetId| shards[street.index()];
        for _ in 0..10 {
            let mut whole = intake(&atlas);
            let mut parts: Vec<Intake> = (0..SHARDS).map(|_| intake(&atlas)).collect();
            for number in [4, 8] {
                let street = StreetId(random.random_range(0..map.street_count() as u32));
                let offset = [Length::ZERO, map.street(street).length][random.random_range(0..2)];
                let query = item(number, Position { street, offset }.into());
                let at = Time::from_millis(number * 2_000);
                let receipt = Receipt { frontend: 1, at, unknown_seconds: 0 };
                let everywhere = Surroundings { is_alive: |_| true, is_own: |_| true };
                let expected = whole.accept(&query, receipt, &everywhere);
                let (found, is_sent_on) = accept_divided(&mut parts, shard_of, &query, receipt);
                let position = |arrival: &Arrival<Remote>| arrival.query.expose().position;
                assert_eq!(
                    found.as_ref().ok().map(position),
                    expected.as_ref().ok().map(position),
                    "seed {seed}\n{town}"
                );
                sent_on += usize::from(is_sent_on);
                let Ok(found) = found else {
                    refused += 1;
                    continue;
                };
                accepted += 1;
                let found = found.query.expose();
                for part in &mut parts {
                    // What every engine of the city reads in the log.
                    let admission = part.admission.as_mut().unwrap();
                    admission.insert_query(found);
                }
            }
        }
    }
    assert!(accepted > 1_000 && refused > 100, "{accepted} {refused}");
    assert!(sent_on > 20, "{sent_on} queries were sent to another shard");
}

#[test]
fn receipts_count_the_time_in_the_frontend_and_in_the_engine_before() {
    let town = Town::random(40);
    let atlas = Arc::new(Atlas::new(town.map.clone(), Length::metres(1_000.0)));
    let place = Position { street: StreetId(0), offset: Length::ZERO };
    let (mut query, at) = (item(1, place.into()), Time::from_millis(60_000));
    let earlier = CarriedItem {
        number: 2,
        ticket: 2,
        digest: 2,
        k: 2,
        left_ms: 400,
        age_ms: 1_900,
        question: None,
    };
    (query.age_ms, query.carried) = (700, vec![earlier]);
    query.shorten(100); // held by the engine for another city
    let receipt = Receipt { frontend: 1, at, unknown_seconds: 0 };
    let everywhere = Surroundings { is_alive: |_| true, is_own: |_| true };
    let accepted = intake(&atlas).accept(&query, receipt, &everywhere).ok().unwrap();
    let millis =
        |pending: &Pending<Remote>| (pending.asked_at.as_millis(), pending.deadline.as_millis());
    assert_eq!(millis(&accepted.pending), (59_200, 60_900));
    assert_eq!(accepted.carried.iter().map(millis).collect::<Vec<_>>(), [(58_000, 60_300)]);
    let query = accepted.query.expose();
    assert_eq!(query.asked_at, at, "the engine takes queries in order of arrival");
    assert_eq!(query.temporal_tolerance, Duration::from_millis(300), "the earliest deadline");
}
